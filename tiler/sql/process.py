"""Process that a statement is bound and run in: it reads a request, writes a reply, and ends."""

from __future__ import annotations

import sys

import msgspec

from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.sql.answer import SqlRefusal, SqlReply, SqlRequest
from tilescope.tiler.sql.statement import run_statement


def main() -> int:
    """Answers the request on standard input."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=SqlRequest)
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
