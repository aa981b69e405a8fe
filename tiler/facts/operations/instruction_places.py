"""What the kinds of operations of all tracks are, as places in one list: sums of tracks are added as columns."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.facts.operations.instruction_columns import InstructionColumns
from tilescope.tiler.facts.operations.metadata import CUSTOM_CALL, OperationMetadata, operation_metadata
from tilescope.tiler.pages.operations import OperationKind, OperationKinds, TrackKinds
from tilescope.tiler.query import QueryReader

Ints = NDArray[np.int64]

# Sums of so many tracks of smaller numbers fit into 64 bits.
_LONG: Final = 1 << 50
_MAX_TRACKS: Final = 1 << 11


class InstructionPlaces:
    """Of a build: `metadata` of each place; planes that have the same of an instruction share its place."""

    def __init__(self) -> None:
        self.metadata: list[OperationMetadata] = []
        self._places: dict[OperationMetadata, int] = {}
        self._of_numbers: dict[int, Ints] = {}  # by file: of each number of metadata its place, -1 not looked up yet
        self._of_tracks: dict[int, Ints] = {}
        self._custom: list[bool] = []
        self._saying: dict[str, list[bool]] = {}
        self._columns: InstructionColumns | None = None

    def places(self, reader: QueryReader, track: int, kinds: TrackKinds) -> Ints | None:
        """Of each kind of a track the place; None: the file has no metadata. Raises DamagedStore."""
        if track in self._of_tracks:
            return self._of_tracks[track]
        file = reader.store.file_of(track)
        tables = reader.store.event_metadata(file)
        if tables is None:
            return None
        of = OperationKinds.of(kinds.kinds)
        plain = (of.metadata >= 0) & (of.metadata < len(tables))
        places = np.full(len(of), -1)
        places[plain] = self._plain(reader, file, tables, tables.alike[of.metadata[plain]])
        for place in {*np.flatnonzero(~plain).tolist(), *of.stats}:
            places[place] = self._place(operation_metadata(reader, file, tables, of[place]))
        self._of_tracks[track] = places
        return places

    def are_custom(self) -> NDArray[np.bool_]:
        """Of each place whether it is of custom calls."""
        for metadata in self.metadata[len(self._custom) :]:
            self._custom.append(metadata.category == CUSTOM_CALL)
        return np.array(self._custom, np.bool_)

    def are_saying(self, word: str) -> NDArray[np.bool_]:
        """Of each place whether a word is in the name of the instruction, or in its expression."""
        known = self._saying.setdefault(word, [])
        known += [word in of.name or word in of.expression for of in self.metadata[len(known) :]]
        return np.array(known, np.bool_)

    @property
    def columns(self) -> InstructionColumns:
        """What is known of each place."""
        if self._columns is None or len(self._columns) < len(self.metadata):
            self._columns = InstructionColumns.of(self.metadata)
        return self._columns

    def _plain(self, reader: QueryReader, file: int, tables: XStatTables, numbers: NDArray[np.int32]) -> Ints:
        """The places of metadata by their numbers."""
        known = self._of_numbers.setdefault(file, np.full(len(tables), -1))
        for number in np.unique(numbers[known[numbers] < 0]).tolist():
            known[number] = self._place(operation_metadata(reader, file, tables, OperationKind(number)))
        found: Ints = known[numbers]
        return found

    def _place(self, metadata: OperationMetadata) -> int:
        place = self._places.setdefault(metadata, len(self._places))
        if place == len(self.metadata):
            self.metadata.append(metadata)
        return place


_KNOWN: WeakKeyDictionary[QueryReader, InstructionPlaces] = WeakKeyDictionary()


def instruction_places(reader: QueryReader) -> InstructionPlaces:
    """Those of a build, kept for the next question."""
    return _KNOWN.setdefault(reader, InstructionPlaces())


class ColumnSums:
    """Sums of columns of numbers that are not negative, by place: exact."""

    def __init__(self) -> None:
        self._sums: NDArray[Any] = np.zeros(0, np.int64)
        self._added = 0

    def add(self, places: Ints, values: NDArray[Any], size: int) -> None:
        """Adds values at places, all below `size`."""
        self._added += 1
        if len(self._sums) < size:
            self._sums = np.concatenate([self._sums, np.zeros(size - len(self._sums), self._sums.dtype)])
        is_large = values.dtype == object or int(values.max(initial=0)) >= _LONG or self._added > _MAX_TRACKS
        if is_large and self._sums.dtype != object:
            self._sums = self._sums.astype(object)
        np.add.at(self._sums, places, values)

    def of(self, size: int) -> NDArray[Any]:
        """The sums of so many places."""
        return np.concatenate([self._sums, np.zeros(size - len(self._sums), self._sums.dtype)])
