"""Instructions of programs as XLA's metadata has them: single records, columns of all at once, and places.

The kinds of operations of all tracks are places in one list, so that sums of tracks are added as columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import OwnerCache
from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STAT
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.metadata_codes import Codes, MetadataCodes, keep_metadata_codes, metadata_codes
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, exact, sum_of_columns
from tilescope.tiler.facts.operations.operation import Memory, OperationMetadata, Traffic
from tilescope.tiler.overloads import overload
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import OperationKind, OperationKinds, TrackKinds, program_id
from tilescope.tiler.records.device.xla_words import CUSTOM_CALL

T = TypeVar("T")


def operation_metadata(codes: MetadataCodes, file: int, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    """Metadata of a kind of operations of a file. Raises DamagedStore."""
    return metadata_of_row(codes, codes.row(file, tables, kind.metadata, kind.stats))


def metadata_of_row(codes: MetadataCodes, row: int) -> OperationMetadata:
    """Metadata from a row of codes."""
    return metadata_of_rows(codes, np.array([row], np.int64))[0]


def metadata_of_rows(codes: MetadataCodes, rows: NDArray[np.int64]) -> list[OperationMetadata]:
    """Metadata from rows of codes. What several say is made once."""
    matrix = codes.matrix[rows]

    def column(number: int, made: Callable[[object], T]) -> list[T]:
        used, place = distinct(matrix[:, number])
        values = [made(value) for value in codes.values.of(used)]
        return [values[row_place] for row_place in place.tolist()]

    used, name = distinct(matrix[:, NAME])
    texts = codes.names(used)
    names = [texts[name_place] for name_place in name.tolist()]
    flops, model_flops = column(STAT["flops"], integer_of), column(STAT["model_flops"], integer_of)
    columns = zip(
        column(STAT["program_id"], lambda value: program_id(text_of(value))),
        column(STAT["symbol_id"], lambda value: integer_of(value) or 0),
        names,
        [expression or name for expression, name in zip(column(LONG_NAME, text_of), names, strict=True)],
        column(STAT["hlo_category"], text_of),
        column(STAT["tf_op"], text_of),
        flops,
        [whole if own is None else own for own, whole in zip(model_flops, flops, strict=True)],
        column(STAT["bytes_accessed"], integer_of),
        column(STAT["memory_access_breakdown"], traffic_of),
        column(STAT["source"], text_of),
        column(STAT["source_stack"], text_of),
        column(STAT["shape_with_layout"], text_of),
        column(STAT["deduplicated_name"], text_of),
        strict=True,
    )
    return [OperationMetadata(*each) for each in columns]


def text_of(value: object) -> str:
    """A stat as a text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def integer_of(value: object) -> int | None:
    """A stat as a number that is not negative; None: it is none."""
    return value if isinstance(value, int) and value >= 0 else None


def traffic_of(value: object) -> tuple[Traffic, ...]:
    """A message: field 1, repeated, has the operation (2 write), the memory and the bytes."""
    if not isinstance(value, bytes | str):
        return ()
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    try:
        return tuple(Traffic(memory, what == _WRITE, moved) for what, memory, moved in _native.memory_traffic(raw))
    except ValueError:
        return ()


_WRITE: Final = 2


@dataclass(frozen=True, slots=True)
class InstructionColumns:
    """A row for each instruction; numbers are of one time that it runs, 0 where they are not known."""

    flops: Exact
    model_flops: Exact
    bytes: Exact
    hbm: Exact  # bytes of which the trace says that they go to the device's memory, or come from it
    tells_flops: Mask  # whether the trace says how much it computes
    tells_bytes: Mask
    tells_memory: Mask  # whether it says of any bytes which memory they belong to
    has_symbol: Mask
    first: Ints  # the first row that is of the same instruction of the same program
    rank: Ints  # in the order of programs and instructions
    category: Ints  # its place in `categories`
    categories: Sequence[str]
    traffic: Mapping[tuple[int, bool], Exact]  # bytes by memory and whether it is written

    @classmethod
    def of_rows(cls, codes: MetadataCodes, rows: Ints) -> InstructionColumns:
        """Columns of rows of metadata."""
        matrix, values = codes.matrix[rows], codes.values

        def column(stat: str) -> tuple[Sequence[object], Ints]:
            used, place = distinct(matrix[:, STAT[stat]])
            return values.of(used), place

        def numbers(stat: str) -> tuple[Exact, Mask]:
            return values.numbers(np.ascontiguousarray(matrix[:, STAT[stat]]))

        def texts(stat: str, text: Callable[[object], str]) -> tuple[list[str], Ints]:
            """In alphabetical order, each once."""
            said_values, place = column(stat)
            each_text = [text(value) for value in said_values]
            order = sorted(set(each_text))
            ranks = {word: rank for rank, word in enumerate(order)}
            return order, np.array([ranks[word] for word in each_text], np.int64)[place]

        flops, tells_flops = numbers("flops")
        model_flops, tells_model = numbers("model_flops")
        moved, tells_bytes = numbers("bytes_accessed")
        symbol, _ = numbers("symbol_id")
        _, program = texts("program_id", lambda value: program_id(text_of(value)))
        order, is_new = _in_order(program, symbol)
        rank, first = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        rank[order] = np.arange(len(rows))
        first[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
        categories, category = texts("hlo_category", text_of)
        traffic, tells_memory = _traffic(*column("memory_access_breakdown"))
        hbm = [column for (memory, _), column in traffic.items() if memory == Memory.HBM]
        return cls(
            flops,
            np.where(tells_model, model_flops, flops),
            moved,
            sum_of_columns(hbm, len(rows)),
            tells_flops,
            tells_bytes,
            tells_memory,
            symbol != 0,
            first,
            rank,
            category,
            categories,
            traffic,
        )

    def __len__(self) -> int:
        return len(self.rank)

    def are(self, wanted: Callable[[str], bool]) -> Mask:
        """Mask of the instructions of categories that are wanted."""
        return np.array([wanted(category) for category in self.categories], np.bool_)[self.category]


def _in_order(program: Ints, symbol: Exact) -> tuple[Ints, Mask]:
    """The order of programs and symbols, in which rows that are alike stay as they are; and which begin a new pair."""
    order = np.argsort(symbol, kind="stable")
    if len(program) and int(program.max()):
        order = order[np.argsort(program[order], kind="stable")]
    is_new = np.ones(len(order), np.bool_)
    symbols, programs = symbol[order], program[order]
    is_new[1:] = (symbols[1:] != symbols[:-1]) | (programs[1:] != programs[:-1])
    return order, is_new


def _traffic(values: Sequence[object], place: Ints) -> tuple[dict[tuple[int, bool], Exact], Mask]:
    """Bytes by memory and whether it is written, and of which instructions any are told."""
    parts = [traffic_of(value) for value in values]
    columns = _moved(parts)
    return {key: moved[place] for key, moved in columns.items()}, np.array([bool(part) for part in parts], np.bool_)[
        place
    ]


def _moved(parts: Sequence[Sequence[Traffic]]) -> dict[tuple[int, bool], Exact]:
    columns: dict[tuple[int, bool], list[int]] = {}
    for place, traffic in enumerate(parts):
        for part in traffic:
            key = part.memory, part.is_write
            if key not in columns:
                columns[key] = [0] * len(parts)
            columns[key][place] += part.bytes
    return {key: exact(moved) for key, moved in columns.items()}


_ROW_BYTES: Final = 120  # of columns

_METADATA_BYTES: Final = 800


@dataclass(frozen=True, slots=True)
class TrackInstructions:
    """Places of the kinds of a track, among so many; `custom_calls`: kind, place and metadata of each."""

    places: Ints
    size: int
    custom_calls: Sequence[tuple[int, int, OperationMetadata]]


class InstructionPlaces(Sequence[OperationMetadata]):
    """Metadata of the instructions of a build, by place; planes that say the same of an instruction share its place."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._codes = metadata_codes(reader)
        self._rows = np.zeros(0, np.int64)  # of metadata, by place
        self._place = np.zeros(0, np.int64)  # by row, -1 not looked up yet
        self._of_tracks: dict[int, Ints] = {}
        self._saying: dict[str, NDArray[np.bool_]] = {}  # by word, of the first places
        self._columns: InstructionColumns | None = None
        self._metadata: dict[int, OperationMetadata] = {}
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
        return self.metadata_of([place])[0]

    def metadata_of(self, places: Sequence[int]) -> list[OperationMetadata]:
        """The metadata of some places: a thousand take less than ten milliseconds together."""
        new = [place for place in dict.fromkeys(places) if place not in self._metadata]
        if new:
            made = metadata_of_rows(self._codes, self._rows[new])
            self._metadata.update(zip(new, made, strict=True))
        return [self._metadata[place] for place in places]

    def places(self, track: int, kinds: TrackKinds) -> Interruptible[Ints | None]:
        """Places of the kinds of a track; None: the file has no metadata. Raises DamagedStore."""
        if track in self._of_tracks:
            return self._of_tracks[track]
        file = self._reader.file_of(track)
        tables = self._reader.event_metadata(file)
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

    def of_track(self, track: int, kinds: TrackKinds) -> Interruptible[TrackInstructions | None]:
        """Instructions of the kinds of a track; None: the file has no metadata. Raises DamagedStore."""
        places = yield from self.places(track, kinds)
        if places is None:
            return None
        custom = np.flatnonzero(self.are_custom()[places])
        custom_places = places[custom].tolist()
        calls = list(zip(custom.tolist(), custom_places, self.metadata_of(custom_places), strict=True))
        return TrackInstructions(places, len(self), calls)

    def are_custom(self) -> NDArray[np.bool_]:
        """Mask of the places of custom calls."""
        return self.columns.are(lambda category: category == CUSTOM_CALL)

    def are_saying(self, word: str) -> NDArray[np.bool_]:
        """Mask of the places with a word in the name of the instruction, or in its expression."""
        are_with = self._saying.get(word, np.zeros(0, np.bool_))
        rows, matrix = self._rows[len(are_with) :], self._codes.matrix
        if len(rows):
            in_expression = self._codes.values.saying(matrix[rows, LONG_NAME], word)
            are_with = np.concatenate([are_with, self._are_named(matrix[rows, NAME], word) | in_expression])
            self._saying[word] = are_with
        return are_with

    def _texts(self, codes: Codes) -> Sequence[str]:
        """Texts that codes stand for."""
        return [value if type(value) is str else text_of(value) for value in self._codes.values.of(codes)]

    def _are_named(self, codes: Codes, word: str) -> NDArray[np.bool_]:
        """Mask of the names that have a word in them."""
        used, place = distinct(codes)
        # Names of no event have negative codes.
        are_unused = np.array([word in name for name in self._codes.names(used[used < 0])], np.bool_)
        return np.concatenate([are_unused, self._reader.names.are_with(word, used[used >= 0].astype(np.int64))])[place]

    def stat_texts(self, stat: str, places: Ints) -> tuple[Sequence[str], Ints]:
        """Texts of a stat of the instructions at these places, and for each instruction the number of its text."""
        rows = self._rows[places]
        used, place = distinct(self._codes.matrix[rows, STAT[stat]])
        return self._texts(used), place

    def programs(self, places: Ints) -> tuple[Sequence[str], Ints]:
        """Ids of programs, each once, and of the instructions at some places the number of their program."""
        texts, text = self.stat_texts("program_id", places)
        ids: dict[str, int] = {}
        numbers = np.array([ids.setdefault(program_id(each), len(ids)) for each in texts], np.int64)
        return list(ids), numbers[text]

    def categories(self, places: Ints) -> tuple[Sequence[str], Ints]:
        """Categories, and of the instructions at some places the number of their category."""
        return self.stat_texts("hlo_category", places)

    def names(self, places: Ints) -> Ints:
        """A number for each of the instructions at these places, which those of one name share."""
        rows = self._rows[places]
        names: Ints = self._codes.matrix[rows, NAME].astype(np.int64)
        return names

    def originals(self, places: Ints) -> Ints:
        """A number for each of the instructions at these places, which copies share, among those of one program."""
        rows, matrix = self._rows[places], self._codes.matrix
        codes: Codes = matrix[rows, NAME]
        numbers_of_rows: Ints = codes.astype(np.int64)
        copies = np.flatnonzero(matrix[rows, STAT["deduplicated_name"]])
        if not len(copies):
            return numbers_of_rows
        originals, original = self.stat_texts("deduplicated_name", places[copies])
        unused, _ = distinct(codes[codes < 0])
        names = dict(zip(self._codes.names(unused), unused.tolist(), strict=True))  # those of no event
        names.update(self._reader.names.numbers_of(originals, numbers_of_rows[numbers_of_rows >= 0]))
        more = int(numbers_of_rows.max()) + 1  # of originals that are not there
        numbers = [names.get(text, more + place) for place, text in enumerate(originals)]
        numbers_of_rows[copies] = np.array(numbers, np.int64)[original]
        return numbers_of_rows

    def mark_used(self) -> None:
        """Counts as used now, with its codes; cached again, if it has been evicted from the cache meanwhile."""
        _PLACES.keep(self._reader, self)
        keep_metadata_codes(self._reader, self._codes)

    @property
    def codes(self) -> MetadataCodes:
        """The codes that `rows` are numbers of."""
        return self._codes

    @property
    def rows(self) -> Ints:
        """The row of metadata of each place."""
        return self._rows

    @property
    def size_bytes(self) -> int:
        """About what it takes, without the codes that it shares."""
        arrays = sum(column.nbytes for column in (self._rows, self._place, *self._of_tracks.values()))
        return arrays + len(self._rows) * _ROW_BYTES + len(self._metadata) * _METADATA_BYTES

    @property
    def columns(self) -> InstructionColumns:
        """Columns of the instructions, by place."""
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
    if places is None:
        return _PLACES.keep(reader, InstructionPlaces(reader))
    places.mark_used()
    return places
