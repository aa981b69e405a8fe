"""Statements about a run, each worked out in a process of its own, which is killed where it does not end in time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from tilescope.tiler.errors import StoreError, UsageError
from tilescope.tiler.sql.answer import SqlAnswer, SqlReply, SqlRequest

# Time for the process to start, read what it is told, and notice that it is late.
_GRACE_S: Final = 15.0

MOST_CHARACTERS: Final = 65_536  # of a statement


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """Limits of a statement: time, memory, and rows and bytes of its answer."""

    seconds: float = 30.0
    memory_bytes: int = 10**9
    rows: int = 10_000
    answer_bytes: int = 16 << 20


DEFAULT_LIMITS: Final = SqlLimits()


def ask_sql(store: Path, statement: str, limits: SqlLimits = DEFAULT_LIMITS, *, build: str = "") -> SqlAnswer:
    """The answer to one statement that selects from the tables of a run.

    Raises UsageError for one that cannot be run, writes, reaches outside of the tables or takes too much, or where the
    store has another build by now, and StoreError for a store that cannot be read.
    """
    request = request_of(store, statement, limits, build)
    command = [sys.executable, "-P", "-m", "tilescope.tiler.sql.process"]
    try:
        done = subprocess.run(
            command, input=msgspec.json.encode(request), capture_output=True, timeout=limits.seconds + _GRACE_S
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"the statement took longer than {limits.seconds:g} s") from None
    if done.returncode != 0:
        raise UsageError(f"the process that ran the statement ended with {done.returncode}: it took too much memory?")
    reply = msgspec.json.decode(done.stdout, type=SqlReply)
    if reply.answer is not None:
        return reply.answer
    assert reply.refusal is not None
    raise (UsageError if reply.refusal.is_usage else StoreError)(reply.refusal.reason)


def request_of(store: Path, statement: str, limits: SqlLimits, build: str = "") -> SqlRequest:
    """Request for the process. Raises UsageError for a statement that is too long."""
    if len(statement) > MOST_CHARACTERS:
        raise UsageError(f"a statement has at most {MOST_CHARACTERS:,} characters")
    return SqlRequest(
        str(store), statement, limits.seconds, limits.memory_bytes, limits.rows, limits.answer_bytes, build
    )
