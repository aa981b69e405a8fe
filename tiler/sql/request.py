"""Statements about a run, each worked out in a process of its own, which is killed where it does not end in time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from tilescope.tiler.errors import StoreError, UsageError
from tilescope.tiler.schema import MOST_SQL_CHARACTERS, MOST_SQL_ROWS
from tilescope.tiler.sql.answer import SqlAnswer, SqlReply, SqlRequest

# Time for the process to start, read what it is told, and notice that it is late.
GRACE_S: Final = 15.0

COMMAND: Final = (sys.executable, "-P", "-m", "tilescope.tiler.sql.process")


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """Limits of a statement: time, memory, and rows and bytes of its answer."""

    seconds: float = 30.0
    memory_bytes: int = 10**9
    rows: int = MOST_SQL_ROWS
    answer_bytes: int = 16 << 20


DEFAULT_LIMITS: Final = SqlLimits()


def ask_sql(store: Path, statement: str, limits: SqlLimits = DEFAULT_LIMITS, *, build: str = "") -> SqlAnswer:
    """The answer to one statement that selects from the tables of a run.

    Raises UsageError for one that cannot be run, writes, reaches outside of the tables or takes too much, or where the
    store has another build by now, and StoreError for a store that cannot be read.
    """
    request = request_of(store, statement, limits, build)
    try:
        done = subprocess.run(
            COMMAND, input=msgspec.json.encode(request), capture_output=True, timeout=limits.seconds + GRACE_S
        )
    except subprocess.TimeoutExpired:
        raise too_late(limits) from None
    return read_reply(done.stdout, done.returncode)


def too_late(limits: SqlLimits) -> UsageError:
    """The error of a statement that did not end in time."""
    return UsageError(f"the statement took longer than {limits.seconds:g} s")


def read_reply(body: bytes, exit_code: int) -> SqlAnswer:
    """The answer in what the process has written. Raises as `ask_sql`."""
    if exit_code != 0:
        raise UsageError(f"the process that ran the statement ended with {exit_code}: it took too much memory?")
    reply = msgspec.json.decode(body, type=SqlReply)
    if reply.answer is not None:
        return reply.answer
    assert reply.refusal is not None
    raise (UsageError if reply.refusal.is_usage else StoreError)(reply.refusal.reason)


def request_of(store: Path, statement: str, limits: SqlLimits, build: str = "", *, niceness: int = 0) -> SqlRequest:
    """Request for the process. Raises UsageError for a statement that is too long."""
    if len(statement) > MOST_SQL_CHARACTERS:
        raise UsageError(f"a statement has at most {MOST_SQL_CHARACTERS:,} characters")
    return SqlRequest(
        str(store), statement, limits.seconds, limits.memory_bytes, limits.rows, limits.answer_bytes, build, niceness
    )
