"""Tables whose rows are made one by one: those of which a run has few, and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables.batch import Batch, Column, masked
from tilescope.tiler.tables.column import ColumnKind, ColumnType
from tilescope.tiler.tables.table import BATCH_ROWS, TableKind, TablePart
from tilescope.tiler.words import Words

Cell = int | float | str | bool | None
Row = Sequence[Cell]


def made_table(
    name: str,
    doc: str,
    columns: Sequence[ColumnKind],
    rows: Callable[[QueryReader, TablePart], Iterable[Row]],
    *,
    has_tracks: bool = False,
    has_names: bool = False,
) -> TableKind:
    """A table of rows, each with a cell for each column."""
    places = {column.name: place for place, column in enumerate(columns)}

    def scan(reader: QueryReader, chosen: Sequence[str], part: TablePart, /) -> Iterator[Batch]:
        listed = iter(rows(reader, part))
        while batch := list(islice(listed, BATCH_ROWS)):
            cells = {name: [row[places[name]] for row in batch] for name in chosen}
            made = {name: _column(columns[places[name]], values) for name, values in cells.items()}
            yield Batch(made, len(batch))

    return TableKind(name, doc, columns, scan, has_tracks=has_tracks, has_names=has_names)


def _column(column: ColumnKind, cells: Sequence[Cell]) -> Column:
    match column.type:
        case ColumnType.TEXT:
            return Words.from_texts([None if cell is None else str(cell) for cell in cells])
        case ColumnType.REAL:
            return np.array(cells, np.float64)  # None becomes NaN, which is null
        case ColumnType.FLAG:
            return np.array(cells, np.bool_)
    return masked([None if cell is None else int(cell) for cell in cells])
