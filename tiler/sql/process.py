"""Process that a statement is bound and run in: it reads a request, writes a reply, and ends."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.sql.answer import SqlRefusal, SqlReply, SqlRequest
from tilescope.tiler.sql.statement import run_statement
from tilescope.tiler.system import limit_memory, processors

# Memory that DuckDB does not count: its code and ours, what is read at once, and long texts; and that of each thread.
_OWN_BYTES: Final = 512 << 20
_THREAD_BYTES: Final = 32 << 20


def main() -> int:
    """Answers the request on standard input."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=SqlRequest)
    limit_memory(request.memory_bytes + _OWN_BYTES + processors() * _THREAD_BYTES)
    try:
        reply = SqlReply(answer=run_statement(request))
    except TilescopeError as error:
        reply = SqlReply(refusal=SqlRefusal(str(error), isinstance(error, UsageError)))
    except MemoryError:
        reply = SqlReply(refusal=SqlRefusal("the statement takes more memory than it may", is_usage=True))
    sys.stdout.buffer.write(msgspec.json.encode(reply))
    return 0


if __name__ == "__main__":
    sys.exit(main())
