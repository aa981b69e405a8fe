"""Statements of SQL about a build, and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count

MOST_SQL_CHARACTERS = 65_536  # of a statement
MOST_SQL_ROWS = 10_000  # of an answer


class SqlOrder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A statement to run."""

    statement: Annotated[
        str, Meta(min_length=1, max_length=MOST_SQL_CHARACTERS, description="One statement, which selects.")
    ]
    rows: Annotated[int, Meta(ge=0, le=MOST_SQL_ROWS, description="The most rows.")] = MOST_SQL_ROWS


class SqlRowsColumn(Struct, frozen=True, kw_only=True):
    """A column of the rows."""

    name: str
    type: Annotated[str, Meta(description="As DuckDB calls it.")]


class SqlRows(Struct, frozen=True, kw_only=True):
    """Rows of a statement."""

    columns: Sequence[SqlRowsColumn]
    rows: Annotated[
        Sequence[Sequence[str | float | bool | None]],
        Meta(description="Cells in the order of the columns. Whole numbers, decimals, times and lists are text."),
    ]
    cut: Annotated[bool, Meta(description="There are more rows than these.")]


class SqlTableColumn(Struct, frozen=True, kw_only=True):
    """A column of a table of a run."""

    name: str
    type: Annotated[str, Meta(description="As Arrow calls it.")]
    doc: Annotated[str, Meta(description="Its meaning, in a few words.")]


class SqlTable(Struct, frozen=True, kw_only=True):
    """A table of each run."""

    name: str
    doc: Annotated[str, Meta(description="Its rows, in a few words.")]
    columns: Sequence[SqlTableColumn]


class SqlRoom(Struct, frozen=True, kw_only=True):
    """Statements on this server: whether this client may run some, and about what."""

    allowed: bool
    reason: Annotated[str | None, Meta(description="One line that says why not, and what to do.")]
    seconds: Annotated[Count, Meta(description="Seconds after which a statement is interrupted.")]
    tables: Sequence[SqlTable]
