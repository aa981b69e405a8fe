"""Columns of rows that are from tables: which file of the run each is from, and where in the timeline it may be."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.row_query import query_column


def place_columns(tables: Sequence[RunTable]) -> list[Column]:
    """The columns for rows of which each is from one of these tables."""
    entries = [table.entry for table in tables]
    return [
        Column("rank", "Rank", "count", [entry.rank for entry in entries], total="none"),
        Column("host", "Host", "name", [entry.host or None for entry in entries]),
        Column("device", "Device", "text", [entry.device or None for entry in entries]),
        Column("capture", "Capture", "text", [entry.capture or None for entry in entries]),
        Column("file", "File", "text", [entry.name for entry in entries]),
    ]


def search_column(reader: QueryReader, names: Sequence[str | None]) -> Column:
    """A search for the events of each name; none where the run is of tables alone."""
    return query_column(name if reader.tree.tracks else None for name in names)


def unquoted(cell: str | None) -> str | None:
    """A cell without the quotation marks that some profilers write around shapes."""
    is_quoted = cell is not None and len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1] if cell is not None and is_quoted else cell
