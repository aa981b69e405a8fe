"""Tables of a run: what each has, and how a part of it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import EVERYTHING, QueryReader
from tilescope.tiler.tables.batch import Batch
from tilescope.tiler.tables.column import ColumnKind
from tilescope.tiler.windows import WindowsOf, everywhere

# Rows of a batch, at least, where a table has more: about thirty megabytes of all columns. Each batch has its words
# anew, and with a quarter of the rows these took a third of the time (10 million slices of 40,000 names, 2026-11-30).
BATCH_ROWS: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class TablePart:
    """TablePart of a table that is read. A table that has no tracks, times or names is read whole in that respect."""

    tracks: Sequence[int] | None = None  # None: all; a rollup stands for the tracks that it sums
    windows_of: WindowsOf = field(default_factory=lambda: everywhere(EVERYTHING))
    names: frozenset[str] | None = None  # exactly these; None: all


class Scan(Protocol):
    """Reads chosen columns of a part of a table. Raises UsageError for an unknown track, DamagedStore."""

    def __call__(self, reader: QueryReader, columns: Sequence[str], part: TablePart, /) -> Iterator[Batch]: ...


@dataclass(frozen=True, slots=True)
class TableKind:
    """A table by its name."""

    name: str
    doc: str
    columns: Sequence[ColumnKind]
    scan: Scan
    has_tracks: bool = False  # `TablePart.tracks` and `TablePart.windows_of` choose rows
    has_names: bool = False  # `TablePart.names` does

    @property
    def column_names(self) -> list[str]:
        """The names of all columns, in their order."""
        return [column.name for column in self.columns]

    def check(self, columns: Sequence[str]) -> None:
        """Raises UsageError for a column that it does not have."""
        unknown = [name for name in columns if name not in self.column_names]
        if unknown:
            raise UsageError(f"{self.name} has no column {unknown[0]!r}: there are {', '.join(self.column_names)}")
