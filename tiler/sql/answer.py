"""Answers to statements, and how they travel from the process that worked them out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

Cell = int | float | str | bool | None


class SqlColumn(Struct, frozen=True):
    """A column by its name; `type` as DuckDB calls it."""

    name: str
    type: str


class SqlAnswer(Struct, frozen=True):
    """Rows of a statement. `is_cut`: there are more than may be listed."""

    columns: Sequence[SqlColumn]
    rows: Sequence[Sequence[Cell]]
    is_cut: bool


class SqlRefusal(Struct, frozen=True):
    """The reason why there is no answer, in one line. `is_usage`: another statement would have one."""

    reason: str
    is_usage: bool


class SqlRequest(Struct, frozen=True):
    """A statement about the run in a store, and what it may take.

    `build`: the one that is meant; empty: any. `niceness`: above 0, others come first, and signals of a terminal are
    not for it.
    """

    store: str
    statement: str
    seconds: float
    memory_bytes: int
    rows: int
    answer_bytes: int
    build: str = ""
    niceness: int = 0


class SqlReply(Struct, frozen=True):
    """Reply of the process: an answer or a refusal."""

    answer: SqlAnswer | None = None
    refusal: SqlRefusal | None = None
