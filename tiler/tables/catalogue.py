"""All tables of a run, and the scan of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables.arguments import ARGUMENTS
from tilescope.tiler.tables.batch import Batch
from tilescope.tiler.tables.events import COUNTERS, INSTANTS, SLICES
from tilescope.tiler.tables.flows import FLOWS
from tilescope.tiler.tables.run_parts import NAMES, PROCESSES, RUNS, TRACKS
from tilescope.tiler.tables.steps import STEPS
from tilescope.tiler.tables.table import TableKind, TablePart

_ALL: Final = (SLICES, INSTANTS, COUNTERS, FLOWS, ARGUMENTS, NAMES, TRACKS, STEPS, PROCESSES, RUNS)
TABLES: Final = {table.name: table for table in _ALL}


def run_table(name: str) -> TableKind:
    """The table of that name. Raises UsageError."""
    if name not in TABLES:
        raise UsageError(f"there is no table {name!r}: there are {', '.join(TABLES)}")
    return TABLES[name]


def scan(
    reader: QueryReader, table: TableKind, columns: Sequence[str] | None = None, part: TablePart | None = None
) -> Iterator[Batch]:
    """Chosen columns of a part of a table, batch by batch; by default all of it.

    Raises UsageError for a column or track that is not there, NotBuilt while the run is indexed, DamagedStore.
    """
    chosen = table.column_names if columns is None else list(columns)
    table.check(chosen)
    if reader.store.is_growing:
        raise NotBuilt("the run is still being indexed: read its tables when that is done")
    return table.scan(reader, chosen, part or TablePart())
