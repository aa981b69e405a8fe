"""Values of stats of many events of an XSpace: their own, and those that they share with others of their metadata.

And with them the codec `xstat`, whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import OwnerCache
from tilescope.tiler.details.codec import ArgsCodec
from tilescope.tiler.details.values import ValueKind, Values, first_of
from tilescope.tiler.details.wire import WireDamage, varint, write_varint
from tilescope.tiler.details.xstat import decode, integers
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, XStatTables

_REFERENCE: Final = 7  # a kind of native code: the name of another stat is the value
_UNKNOWN: Final = 255
LONG_NAME: Final = "long_name"
_VARINT_BYTES: Final = 10
_PLAIN: Final = (ValueKind.ABSENT, ValueKind.INTEGER, ValueKind.UNSIGNED, ValueKind.TEXT)
_KEPT_NAMES: Final = 32
_ENTRY_BYTES: Final = 9  # of a name, for each metadata of the file


class _Shared:
    """Values that the events of each metadata share under one name, as far as they were asked for."""

    def __init__(self, tables: XStatTables, name: str) -> None:
        self._tables = tables
        self._name = name
        self._filling = Lock()
        self._texts: dict[str, int] = {}  # places: each is kept once
        entries = len(tables.first)
        self._values = Values(np.full(entries, _UNKNOWN, np.uint8), np.zeros(entries, np.int64))

    def values_of(self, metadata: NDArray[np.int64]) -> Values:
        """Values of these metadata, which exist."""
        shared = self._values
        entries = self._tables.place[metadata]
        with self._filling:
            missing = np.unique(entries[shared.kind[entries] == _UNKNOWN])
            for entry in self._fill(missing):
                number = int(self._tables.first[entry])
                arguments = decode(write_varint(number), self._tables)
                value, is_there = first_of(arguments, self._name)
                if sum(name == self._name for name, _ in arguments) > 1:
                    shared.kind[entry] = ValueKind.UNCLEAR
                elif isinstance(value, str):
                    shared.kind[entry], shared.bits[entry] = ValueKind.TEXT, self._text(value)
                elif is_there:
                    shared.put([entry], [value])
                else:
                    shared.kind[entry] = ValueKind.ABSENT
        return Values(shared.kind[entries], shared.bits[entries], shared.objects)

    def _text(self, text: str) -> int:
        """Its place among the objects, where each is once."""
        place = self._texts.setdefault(text, len(self._values.objects))
        if place == len(self._values.objects):
            self._values.objects.append(text)
        return place

    def _fill(self, entries: NDArray[np.int32]) -> list[int]:
        """Reads all that native code can: numbers, texts, and that there is nothing. Returns those that are left."""
        if self._name == LONG_NAME or not len(entries):
            return [int(entry) for entry in entries]
        left: list[int] = []
        plane = self._tables.plane[self._tables.first[entries]]
        for page in np.unique(entries // ENTRIES_PER_PAGE).tolist():
            stats = self._tables.stats_page(page)
            of_page = entries // ENTRIES_PER_PAGE == page
            for number in np.unique(plane[of_page]).tolist():
                ids = _ids(self._tables.planes[number].stat_names, self._name)
                of_plane = entries[of_page & (plane == number)]
                places = (of_plane % ENTRIES_PER_PAGE).astype(np.int64)
                (((kind, bits),), texts), _ = _native.stat_values(
                    stats.ends, stats.data, places, [ids], has_number=False
                )
                page_values = Values(kind, bits, [text.decode("utf-8", "replace") for text in texts])
                _take_references(page_values, self._tables.planes[number].stat_names)
                in_texts = page_values.where(ValueKind.TEXT)
                if len(in_texts):
                    distinct, inverse = np.unique(bits[in_texts], return_inverse=True)
                    bits[in_texts] = np.array(
                        [self._text(str(page_values.objects[index])) for index in distinct.tolist()]
                    )[inverse]
                is_real = (kind == ValueKind.REAL) & np.isfinite(bits.view(np.float64))
                plain = np.isin(kind, _PLAIN) | is_real
                entries_read = of_plane[plain]
                self._values.kind[entries_read], self._values.bits[entries_read] = kind[plain], bits[plain]
                left += of_plane[~plain].tolist()
        return left


class _SharedOfFile:
    """Shared values of a file, by name."""

    def __init__(self, tables: XStatTables) -> None:
        self._entries = len(tables.first)
        self.by_name = lru_cache(_KEPT_NAMES)(lambda name: _Shared(tables, name))

    @property
    def size_bytes(self) -> int:
        """About what it takes, without texts."""
        return self.by_name.cache_info().currsize * self._entries * _ENTRY_BYTES


_SHARED: Final = OwnerCache[XStatTables, _SharedOfFile](
    "stats", "Stats that events share with their metadata", lambda shared: shared.size_bytes, grows=True
)


def stat_values(
    args_end: NDArray[np.int64],
    args: NDArray[np.uint8],
    rows: NDArray[np.int64],
    names: Sequence[str],
    tables: XStatTables,
) -> list[Values]:
    """As `ReadValues` says."""
    begins = np.where(rows > 0, args_end[rows - 1], 0)
    with_args = np.flatnonzero(args_end[rows] > begins)
    stat_names = _stat_names(args, int(begins[with_args[0]]), tables) if len(with_args) else {}
    ids = [_ids(stat_names, name) for name in names]
    (columns, texts), metadata = _native.stat_values(args_end, args, rows, ids)
    objects: list[object] = [text.decode("utf-8", "replace") for text in texts]
    columns_of_names = [Values(kind, bits, objects) for kind, bits in columns]
    is_known = (metadata >= 0) & (metadata < len(tables))
    strange = (metadata >= len(tables)) | (metadata < -1)
    shared = _SHARED.get(tables) or _SHARED.keep(tables, _SharedOfFile(tables))
    for values, name in zip(columns_of_names, names, strict=True):
        _take_references(values, stat_names)
        if name == LONG_NAME:  # that of the metadata comes first
            strange = strange | (values.kind != ValueKind.ABSENT)
        shared_rows = np.flatnonzero(is_known & (values.kind == ValueKind.ABSENT))
        _take(values, shared_rows, shared.by_name(name).values_of(metadata[shared_rows]))
        values.kind[strange] = ValueKind.UNCLEAR
    return columns_of_names


def metadata_with(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], names: Sequence[str], tables: XStatTables
) -> NDArray[np.int64]:
    """The numbers of metadata of which some event has a stat of its own with one of these names, other than 0."""
    begins = np.append(0, args_end[:-1])
    with_args = np.flatnonzero(args_end > begins)
    stat_names = _stat_names(args, int(begins[with_args[0]]), tables) if len(with_args) else {}
    ids = [stat_ids for name in names if (stat_ids := _ids(stat_names, name))]
    if not ids:
        return np.zeros(0, np.int64)
    (columns, _), metadata = _native.stat_values(args_end, args, np.arange(len(args_end)), ids)
    has = np.zeros(len(args_end), np.bool_)
    for kind, bits in columns:
        has |= (kind != ValueKind.ABSENT) & ~((kind == ValueKind.INTEGER) & (bits == 0))
    return np.unique(metadata[has & (metadata >= 0) & (metadata < len(tables))])


def _stat_names(args: NDArray[np.uint8], begin: int, tables: XStatTables) -> dict[int, str]:
    """Names of the stats of an event's plane, which is that of its whole track."""
    try:
        number, _ = varint(args[begin : begin + _VARINT_BYTES].tobytes(), 0)
    except WireDamage:
        return {}
    return tables.planes[int(tables.plane[number])].stat_names if number < len(tables) else {}


def _ids(stat_names: dict[int, str], name: str) -> list[int]:
    """The ids of the stats that are told under a name."""
    ids = [stat for stat, text in stat_names.items() if (text or f"[stat {stat}]") == name]
    number = name.removeprefix("[stat ").removesuffix("]")
    if not ids and name == f"[stat {number}]" and number.removeprefix("-").isdecimal() and number.isascii():
        stat = int(number)
        if -(1 << 63) <= stat < 1 << 63 and not stat_names.get(stat) and str(stat) == number:
            ids.append(stat)
    return ids


def _take_references(values: Values, stat_names: dict[int, str]) -> None:
    rows = np.flatnonzero(values.kind == _REFERENCE)
    if len(rows):
        distinct, inverse = np.unique(values.bits[rows], return_inverse=True)
        first = len(values.objects)
        values.objects += [stat_names.get(stat, f"[stat {stat}]") for stat in distinct.tolist()]
        values.bits[rows] = first + inverse
        values.kind[rows] = ValueKind.TEXT


def _take(values: Values, rows: NDArray[np.int64], shared: Values) -> None:
    """Gives some events what they share."""
    taken = np.flatnonzero(shared.kind != ValueKind.ABSENT)
    rows = rows[taken]
    kind, bits = shared.kind[taken], shared.bits[taken]
    in_objects = np.flatnonzero((kind == ValueKind.TEXT) | (kind == ValueKind.OTHER))
    if len(in_objects):
        distinct, inverse = np.unique(bits[in_objects], return_inverse=True)
        first = len(values.objects)
        values.objects += [shared.objects[place] for place in distinct.tolist()]
        bits[in_objects] = first + inverse
    values.kind[rows] = kind
    values.bits[rows] = bits


CODEC: Final = ArgsCodec(
    id="xstat",
    decode=decode,
    tables=XStatTables,
    integers=integers,
    values=stat_values,
    in_pages=True,
    in_columns=True,
)
