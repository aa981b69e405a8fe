"""Process that a statement is bound and run in: it reads a request, writes a reply, and ends.

What takes long to load is loaded before the request is read: a process may be started ahead of the statement. It runs
one alone, so that nothing of a statement is left for the next.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

import msgspec
import numpy as np

from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.sql.answer import SqlRefusal, SqlReply, SqlRequest
from tilescope.tiler.sql.database import load_duckdb
from tilescope.tiler.sql.statement import run_statement
from tilescope.tiler.system import give_way, limit_memory, processors
from tilescope.tiler.tables.pyarrow_batches import load_pyarrow

# Memory that DuckDB does not count: its code and ours, what is read at once, and long texts; and that of each thread.
_OWN_BYTES: Final = 512 << 20
_THREAD_BYTES: Final = 32 << 20


def main() -> int:
    """Answers the request on standard input; without one nobody has a statement any more."""
    with suppress(UsageError):  # the reply says so
        _load()
    body = sys.stdin.buffer.read()
    if not body:
        return 0
    request = msgspec.json.decode(body, type=SqlRequest)
    if request.niceness:
        give_way(request.niceness)
    limit_memory(request.memory_bytes + _OWN_BYTES + processors() * _THREAD_BYTES)
    try:
        reply = SqlReply(answer=run_statement(request))
    except TilescopeError as error:
        reply = SqlReply(refusal=SqlRefusal(str(error), isinstance(error, UsageError)))
    except MemoryError:
        reply = SqlReply(refusal=SqlRefusal("the statement takes more memory than it may", is_usage=True))
    sys.stdout.buffer.write(msgspec.json.encode(reply))
    sys.stdout.flush()
    os._exit(0)  # at once: to take the databases apart keeps whoever waits


def _load() -> None:
    """Loads what statements need, as far as it is loaded when it is first used: 0.1 s of the processor."""
    load_pyarrow()
    duckdb = load_duckdb()
    duckdb.extract_statements("select 1")
    duckdb.connect(":memory:").close()
    np.ma.getmaskarray(np.zeros(1))


if __name__ == "__main__":
    sys.exit(main())
