"""Instructions that the kinds of operations of all tracks run, as places in one list: sums are added as columns."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.caches import Memo, OwnerCache
from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STAT
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.host_operations.naming import ITERATOR, framework_op
from tilescope.tiler.facts.metadata_codes import Codes, MetadataCodes, metadata_codes
from tilescope.tiler.facts.operations.instruction_metadata import (
    CUSTOM_CALL,
    InstructionColumns,
    metadata_of_rows,
    program_id,
    text_of,
)
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.overloads import overload
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.records.device.operations import OperationKinds, TrackKinds

UNKNOWN_TYPE: Final = "Unknown"


def named(metadata: OperationMetadata) -> tuple[str, str]:
    """What the framework's operation that an instruction comes from is called, and its type."""
    return _op(metadata.framework) if metadata.framework else (metadata.name, UNKNOWN_TYPE)


def framework_op_name(path: str) -> str:
    """What the operation is called that a path in the framework's terms ends with."""
    # Of tens of thousands the type is not asked for, and most end with a colon: they are called what comes before it.
    plain = path[:-1]
    return plain if path[-1:] == ":" and ":" not in plain and plain != ITERATOR else _op(path)[0]


def _parse_path(framework: str) -> tuple[str, str]:
    op = framework_op(framework)
    return op.name, op.type or UNKNOWN_TYPE


# Asked of each of maybe 40,000 instructions.
_op: Final = Memo("framework_paths", "Names of operations of frameworks, by path", 500).remembered(_parse_path, 1 << 16)

Ints = NDArray[np.int64]


class FrameworkNames(Sequence[str]):
    """What operations of the framework are called, made when looked at: first those of plain paths, then others."""

    def __init__(self, codes: MetadataCodes, plain: Codes, others: Sequence[str]) -> None:
        """`plain`: codes of paths that are names with a colon at their end."""
        self._codes, self._plain, self._others = codes, plain, others

    def __len__(self) -> int:
        return len(self._plain) + len(self._others)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
        place = range(len(self))[number]
        if place >= len(self._plain):
            return self._others[place - len(self._plain)]
        return text_of(self._codes.values[int(self._plain[place])])[:-1]


def framework_numbers(codes: MetadataCodes, rows: Ints) -> tuple[FrameworkNames, Ints]:
    """What operations are called that rows of metadata come from, and of each row which of them it is.

    They are called as the path of the instruction says, or else as the instruction is.
    """
    matrix = codes.matrix[rows]
    paths, place = distinct(matrix[:, STAT["tf_op"]])
    is_plain = codes.values.plain_paths(paths, f"{ITERATOR}:")
    plain = paths[is_plain]
    number = np.full(len(paths), -1)
    number[is_plain] = np.arange(len(plain))
    names: dict[str, int] = {}

    def number_of(name: str) -> int:
        """A path may be the same but for its colon."""
        code = codes.values.code_of(name + ":")
        rank = int(np.searchsorted(plain, code)) if code >= 0 else len(plain)
        if rank < len(plain) and plain[rank] == code:
            return rank
        return names.setdefault(name, len(plain) + len(names))

    others = np.flatnonzero(~is_plain)
    for rank, path in zip(others.tolist(), codes.values.of(paths[others]), strict=True):
        if text := text_of(path):
            number[rank] = number_of(framework_op_name(text))
    framework: Ints = number[place]
    unnamed = np.flatnonzero(framework < 0)
    used, own = distinct(matrix[unnamed, NAME])
    framework[unnamed] = np.array([number_of(name) for name in codes.names(used)], np.int64)[own]
    return FrameworkNames(codes, plain, list(names)), framework


# Sums of so many tracks of smaller numbers fit into 64 bits.
_LONG: Final = 1 << 50

_MAX_TRACKS: Final = 1 << 11

_ROW_BYTES: Final = 120  # of columns

_METADATA_BYTES: Final = 800


class InstructionPlaces(Sequence[OperationMetadata]):
    """Of a build: the metadata of each place; planes that have the same of an instruction share its place."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._codes = metadata_codes(reader)
        self._rows = np.zeros(0, np.int64)  # of metadata, by place
        self._place = np.zeros(0, np.int64)  # by row, -1 not looked up yet
        self._of_tracks: dict[int, Ints] = {}
        self._saying: dict[str, NDArray[np.bool_]] = {}  # by word, of the first places
        self._columns: InstructionColumns | None = None
        self._metadata: dict[int, OperationMetadata] = {}
        self._frameworks: tuple[FrameworkNames, Ints] | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> OperationMetadata: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[OperationMetadata]: ...

    def __getitem__(self, place: int | slice) -> OperationMetadata | Sequence[OperationMetadata]:
        if isinstance(place, slice):
            return [self[row] for row in range(len(self))[place]]
        return self.some([place])[0]

    def some(self, places: Sequence[int]) -> list[OperationMetadata]:
        """The metadata of some places: a thousand take less than ten milliseconds together."""
        new = [place for place in dict.fromkeys(places) if place not in self._metadata]
        if new:
            made = metadata_of_rows(self._codes, self._rows[new])
            self._metadata.update(zip(new, made, strict=True))
        return [self._metadata[place] for place in places]

    def places(self, track: int, kinds: TrackKinds) -> Steps[Ints | None]:
        """Of each kind of a track the place; None: the file has no metadata. Raises DamagedStore."""
        if track in self._of_tracks:
            return self._of_tracks[track]
        file = self._reader.store.file_of(track)
        tables = self._reader.store.event_metadata(file)
        if tables is None:
            return None
        columns = OperationKinds.of(kinds.kinds)
        plain = (columns.metadata >= 0) & (columns.metadata < len(tables))
        rows = np.full(len(columns), -1)
        numbers = tables.alike[columns.metadata[plain]]
        yield from self._codes.rows_of(file, tables, numbers)
        rows[plain] = self._codes.of(file, numbers)
        for place in {*np.flatnonzero(~plain).tolist(), *columns.stats}:
            rows[place] = self._codes.row(file, tables, columns[place].metadata, columns[place].stats)
        with self._lock:
            track_places = self._of_tracks[track] = self._places(rows)
        return track_places

    def are_custom(self) -> NDArray[np.bool_]:
        """Of each place whether it is of custom calls."""
        return self.columns.are(lambda category: category == CUSTOM_CALL)

    def are_saying(self, word: str) -> NDArray[np.bool_]:
        """Of each place whether a word is in the name of the instruction, or in its expression."""
        are_with = self._saying.get(word, np.zeros(0, np.bool_))
        rows, matrix = self._rows[len(are_with) :], self._codes.matrix
        if len(rows):
            in_expression = self._codes.values.saying(matrix[rows, LONG_NAME], word)
            are_with = np.concatenate([are_with, self._are_named(matrix[rows, NAME], word) | in_expression])
            self._saying[word] = are_with
        return are_with

    def _texts(self, codes: Codes) -> Sequence[str]:
        """What some codes stand for."""
        return [value if type(value) is str else text_of(value) for value in self._codes.values.of(codes)]

    def _are_named(self, codes: Codes, word: str) -> NDArray[np.bool_]:
        """Which of some names have a word in them."""
        used, place = distinct(codes)
        are_unused = np.array(
            [word in name for name in self._codes.names(used[used < 0])], np.bool_
        )  # those of no event
        return np.concatenate([are_unused, self._reader.names.are_with(word, used[used >= 0].astype(np.int64))])[place]

    def said(self, stat: str, places: Ints) -> tuple[Sequence[str], Ints]:
        """What a stat says of the instructions at some places, and of each which of these."""
        rows = self._rows[places]
        used, place = distinct(self._codes.matrix[rows, STAT[stat]])
        return self._texts(used), place

    def programs(self, places: Ints) -> tuple[Sequence[str], Ints]:
        """Ids of programs, each once, and of the instructions at some places the number of their program."""
        texts, text = self.said("program_id", places)
        ids: dict[str, int] = {}
        numbers = np.array([ids.setdefault(program_id(each), len(ids)) for each in texts], np.int64)
        return list(ids), numbers[text]

    def categories(self, places: Ints) -> tuple[Sequence[str], Ints]:
        """Categories, and of the instructions at some places the number of their category."""
        return self.said("hlo_category", places)

    def names(self, places: Ints) -> Ints:
        """Of the instructions at some places a number that those of one name share."""
        rows = self._rows[places]
        names: Ints = self._codes.matrix[rows, NAME].astype(np.int64)
        return names

    def originals(self, places: Ints) -> Ints:
        """Of the instructions at some places a number that one shares with its copies, among those of one program."""
        rows, matrix = self._rows[places], self._codes.matrix
        codes: Codes = matrix[rows, NAME]
        numbers_of_rows: Ints = codes.astype(np.int64)
        copies = np.flatnonzero(matrix[rows, STAT["deduplicated_name"]])
        if not len(copies):
            return numbers_of_rows
        originals, original = self.said("deduplicated_name", places[copies])
        unused, _ = distinct(codes[codes < 0])
        names = dict(zip(self._codes.names(unused), unused.tolist(), strict=True))  # those of no event
        names.update(self._reader.names.numbers_of(originals, numbers_of_rows[numbers_of_rows >= 0]))
        more = int(numbers_of_rows.max()) + 1  # of originals that are not there
        numbers = [names.get(text, more + place) for place, text in enumerate(originals)]
        numbers_of_rows[copies] = np.array(numbers, np.int64)[original]
        return numbers_of_rows

    def frameworks(self) -> tuple[Sequence[str], Ints]:
        """What operations of the framework are called, and of each place which of them it is of."""
        if self._frameworks is None or len(self._frameworks[1]) < len(self):
            self._frameworks = framework_numbers(self._codes, self._rows)
        return self._frameworks

    @property
    def size_bytes(self) -> int:
        """About what it takes, without the codes that it shares."""
        arrays = sum(column.nbytes for column in (self._rows, self._place, *self._of_tracks.values()))
        return arrays + len(self._rows) * _ROW_BYTES + len(self._metadata) * _METADATA_BYTES

    @property
    def columns(self) -> InstructionColumns:
        """What is known of each place."""
        if self._columns is None or len(self._columns) < len(self):
            self._columns = InstructionColumns.of_rows(self._codes, self._rows)
        return self._columns

    def _places(self, rows: Ints) -> Ints:
        more = len(self._codes.matrix) - len(self._place)
        self._place = np.concatenate([self._place, np.full(more, -1)])
        unknown = rows[self._place[rows] < 0]  # none where other cores run the same
        order = np.arange(len(unknown))
        first = np.zeros(len(self._place), np.int64)
        first[unknown[::-1]] = order[::-1]  # of what is written to one place the last stays
        new = unknown[first[unknown] == order]  # in the order in which they are met
        self._place[new] = len(self._rows) + np.arange(len(new))
        self._rows = np.concatenate([self._rows, new])
        places: Ints = self._place[rows]
        return places


_PLACES: Final = OwnerCache[QueryReader, InstructionPlaces](
    "instructions", "Instructions of programs, and what is stored of them", lambda value: value.size_bytes, grows=True
)


def instruction_places(reader: QueryReader) -> InstructionPlaces:
    """Places of a build, cached. A place is one of this object: a later call may return a new one."""
    places = _PLACES.get(reader)
    return _PLACES.keep(reader, InstructionPlaces(reader)) if places is None else places


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
