"""Tables whose rows are made one by one: those of which a run has few, and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables.batch import Batch, Column, masked
from tilescope.tiler.tables.column import ColumnKind, ColumnType
from tilescope.tiler.tables.table import BATCH_ROWS, TableKind, TablePart
from tilescope.tiler.words import Words

Cell = int | float | str | bool | None
Row = Sequence[Cell]

_BATCH_CHARACTERS: Final = 1 << 24  # of texts of a batch: an argument may be a long one


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
        for batch in _batches(rows(reader, part)):
            cells = {name: [row[places[name]] for row in batch] for name in chosen}
            made = {name: _column(columns[places[name]], values) for name, values in cells.items()}
            yield Batch(made, len(batch))

    return TableKind(name, doc, columns, scan, has_tracks=has_tracks, has_names=has_names)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch, size = list[Row](), 0
    for row in rows:
        batch.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, str))
        if len(batch) == BATCH_ROWS or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _column(column: ColumnKind, cells: Sequence[Cell]) -> Column:
    match column.type:
        case ColumnType.TEXT:
            return Words.from_texts([None if cell is None else str(cell) for cell in cells])
        case ColumnType.REAL:
            return np.array(cells, np.float64)  # None becomes NaN, which is null
        case ColumnType.FLAG:
            return np.array(cells, np.bool_)
    return masked([None if cell is None else int(cell) for cell in cells])
