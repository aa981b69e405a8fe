"""Event metadata of an XSpace: what the events of one kind share, in tables of which little is read at a time.

Metadata has numbers: first that which events use, by which their arguments name it, then what no event uses and has
stats. Many are alike, as several devices run one program: those with the same names and stats, of planes that call
their stats the same. Only the first of each kind is an entry; entries count from 0.
The head of the tables is a msgpack map:

    planes  by plane [name, {stat metadata id: name}]; without names where the plane has no metadata in the tables
    plane   of each number its plane
    id      of each number the id of the metadata, int64
    alike   of each number the first one that it is like, or itself
    name    of each entry the id of its name in the run, -1 where no event uses it

Columns are int32 but for `id`, little-endian, each value minus the one before it. Pages of 1,024 entries follow: two of
them together, first their stats, then their texts. A page is columns of bytes: u32 how many entries; of each column the
lengths, u32, all lowest bytes first; then, column by column, what has these lengths. Stats have one column, `stats`
fields as they lie in the file. Texts have two: the names where no event uses them, and the long names.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

import msgpack
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.typed_stats import Stat, stat_head, stats_with, typed_stats
from tilescope.tiler.size_estimate import estimated_bytes

# A page of stats is inflated in 0.2 ms for one click, one of texts in 0.3 ms; they take 5 % less room than of 256.
ENTRIES_PER_PAGE: Final = 1024

# Of stats and of texts each, by whoever reads many.
KEPT_PAGES: Final = 8
_INT32: Final = np.dtype("<i4")
_INT64: Final = np.dtype("<i8")
_COUNT: Final = struct.Struct("<I")
_LENGTH_BYTES: Final = 4


class PlaneNames(Struct, frozen=True):
    """A plane, and how its stats are called."""

    name: str
    stat_names: dict[int, str]

    def heads(self, name: str) -> tuple[bytes, ...]:
        """Bytes that stats of that name begin with, in a file that writes their numbers first."""
        return tuple(stat_head(stat) for stat, text in self.stat_names.items() if text == name)


class EventMetadata(Struct, frozen=True):
    """Metadata that the events of one kind share."""

    plane: int
    id: int
    long_name: str  # "" where it is not longer than the name of the events
    name: str  # "" where events use it: their names are in the run's table
    stats: bytes  # fields of XStat messages


class BytesColumn(Struct, frozen=True):
    """Bytes of each of some entries: those of entry k are data[ends[k-1]:ends[k]]."""

    ends: NDArray[np.int64]
    data: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.ends)

    def entry(self, index: int) -> bytes:
        """Bytes of one string."""
        begin = int(self.ends[index - 1]) if index else 0
        return self.data[begin : int(self.ends[index])].tobytes()


class XStatTables:
    """The tables of a file. `page` gives each by its number; both it and this may be used from any thread."""

    def __init__(self, head: bytes, page: Callable[[int], bytes]) -> None:
        """Raises ValueError, LookupError or TypeError for a head that makes no sense."""
        packed = msgpack.unpackb(head, strict_map_key=False)  # columns are taken out: a pod has megabytes of them
        self.planes = tuple(PlaneNames(name, names) for name, names in packed["planes"])
        self.plane: NDArray[np.int32] = _summed(packed.pop("plane"), _INT32)  # of each number
        self.id: NDArray[np.int64] = _summed(packed.pop("id"), _INT64)
        self.alike: NDArray[np.int32] = _summed(packed.pop("alike"), _INT32)  # the first number of the same content
        is_first = self.alike == np.arange(len(self.alike))
        self.place: NDArray[np.int32] = (np.cumsum(is_first) - 1).astype(np.int32)  # of each number its entry
        self.first: NDArray[np.int64] = np.flatnonzero(is_first)  # of each entry its first number
        names = _summed(packed.pop("name"), _INT32)
        if len({len(self.plane), len(self.id), len(self.alike)}) != 1 or len(names) != len(self.first):
            raise ValueError("tables of metadata whose columns differ")
        if np.any(self.alike > np.arange(len(self.alike))) or np.any(self.alike < 0):
            raise ValueError("tables of metadata that is like other than there is")
        if not np.all(is_first[self.alike]):
            raise ValueError("tables of metadata that is like other that is no first")
        self.place = self.place[self.alike]
        if np.any(self.plane >= len(self.planes)) or np.any(self.plane < 0):
            raise ValueError("tables of metadata of planes that there are not")
        self.name: NDArray[np.int32] = names[self.place]  # of each number the id of its name in the run, or -1
        self._head_bytes = estimated_bytes(
            [self.planes, self.plane, self.id, self.alike, self.place, self.first, self.name]
        )
        self._page_bytes = 0  # of the largest page that was read
        self._stats_page = lru_cache(KEPT_PAGES)(lambda number: stats_of_page(self._measured(page(2 * number))))
        self._texts_page = lru_cache(KEPT_PAGES)(lambda number: texts_of_page(self._measured(page(2 * number + 1))))
        self._stat_ids: dict[int, Mapping[str, list[int]]] = {}

    def __len__(self) -> int:
        return len(self.plane)

    @property
    def size_bytes(self) -> int:
        """At most about what it takes: its columns, and the pages that it keeps, as if all were like the largest."""
        pages = self._stats_page.cache_info().currsize + self._texts_page.cache_info().currsize
        return self._head_bytes + pages * self._page_bytes

    def entry(self, number: int) -> EventMetadata:
        """The metadata of this number. Raises LookupError, ValueError."""
        page, index = self._where(number)
        names, long_names = self.texts_page(page)
        return EventMetadata(
            plane=int(self.plane[number]),
            id=int(self.id[number]),
            long_name=long_names.entry(index).decode(),
            name=names.entry(index).decode(),
            stats=self.stats_page(page).entry(index),
        )

    def stats_page(self, page: int) -> BytesColumn:
        """The stats of the entries of a page, for whoever reads many. Raises LookupError, ValueError."""
        stats: BytesColumn = self._stats_page(page)
        return self._whole(page, stats)

    def texts_page(self, page: int) -> tuple[BytesColumn, BytesColumn]:
        """Their names where no event uses them, and their long names, in UTF-8. Raises LookupError, ValueError."""
        names, long_names = self._texts_page(page)
        return self._whole(page, names), self._whole(page, long_names)

    def stat_ids(self, plane: int) -> Mapping[str, list[int]]:
        """The ids of a plane's stats by their names. Found once: a plane may have many stats, and many tracks."""
        ids_by_name = self._stat_ids.get(plane)
        if ids_by_name is None:
            ids: dict[str, list[int]] = {}
            for stat, name in self.planes[plane].stat_names.items():
                ids.setdefault(name, []).append(stat)
            ids_by_name = self._stat_ids.setdefault(plane, ids)
        return ids_by_name

    def of_plane(self, plane: int) -> list[int]:
        """The numbers of the metadata of a plane."""
        return [int(number) for number in np.flatnonzero(self.plane == plane)]

    def used_in(self, plane: int) -> NDArray[np.int64]:
        """The numbers of the metadata of a plane that events use, ascending."""
        numbers, planes = self._used
        first, stop = np.searchsorted(planes, (plane, plane + 1))
        return numbers[first:stop]

    @cached_property
    def _used(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The numbers of metadata that events use, plane by plane, and the planes."""
        numbers = np.flatnonzero(self.name >= 0)
        numbers = numbers[np.argsort(self.plane[numbers], kind="stable")]
        return numbers, self.plane[numbers]

    def stats(self, number: int) -> list[Stat]:
        """The stats of the metadata of this number, with their types. Raises LookupError, ValueError, WireDamage."""
        return list(typed_stats(self._stats(number), self.planes[self.plane[number]].stat_names))

    def stats_called(self, name: str, number: int) -> list[Stat]:
        """Stats that the plane calls so; the others are passed over undecoded. Raises as `stats` does."""
        raw = self._stats(number)
        plane = self.planes[self.plane[number]]
        return [stat for stat in stats_with(raw, plane.stat_names, plane.heads(name)) if stat.name == name]

    def _stats(self, number: int) -> bytes:
        page, index = self._where(number)
        return self.stats_page(page).entry(index)

    def _where(self, number: int) -> tuple[int, int]:
        if not 0 <= number < len(self):
            raise LookupError(f"there is no metadata {number}")
        return divmod(int(self.place[number]), ENTRIES_PER_PAGE)

    def _measured(self, page: bytes) -> bytes:
        self._page_bytes = max(self._page_bytes, len(page))
        return page

    def _whole(self, page: int, column: BytesColumn) -> BytesColumn:
        if len(column) != min(ENTRIES_PER_PAGE, len(self.first) - page * ENTRIES_PER_PAGE):
            raise ValueError(f"a page of {len(column)} entries of metadata")
        return column


def page_count(entries: int) -> int:
    """Number of pages that so many entries take, those of stats and those of texts together."""
    return 2 * -(-entries // ENTRIES_PER_PAGE)


def pack_head(
    planes: Sequence[PlaneNames],
    plane: NDArray[np.int32],
    ids: NDArray[np.int64],
    alike: NDArray[np.int32],
    name: NDArray[np.int32],
) -> bytes:
    """The head of the tables. `name` is of each number."""
    packed: bytes = msgpack.packb(
        {
            "planes": [[entry.name, entry.stat_names] for entry in planes],
            "plane": _steps(plane, _INT32),
            "id": _steps(ids, _INT64),
            "alike": _steps(alike, _INT32),
            "name": _steps(name[alike == np.arange(len(alike))], _INT32),
        }
    )
    return packed


def stats_of_page(page: bytes) -> BytesColumn:
    """The stats in a page of them. Raises ValueError for what is none."""
    return _columns_of(page, 1)[0]


def texts_of_page(page: bytes) -> tuple[BytesColumn, BytesColumn]:
    """The names and the long names in a page of texts. Raises ValueError for what is none."""
    names, long_names = _columns_of(page, 2)
    return names, long_names


def check_page(number: int, page: bytes) -> int:
    """Number of entries of a page that is stored under this number. Raises ValueError for what makes no sense."""
    if number % 2 == 0:
        return len(stats_of_page(page))
    columns = texts_of_page(page)
    for column in columns:
        for index in range(len(column)):
            column.entry(index).decode()
    return len(columns[0])


def _columns_of(page: bytes, columns: int) -> list[BytesColumn]:
    if len(page) < _COUNT.size:
        raise ValueError("a page of metadata that is cut short")
    (count,) = _COUNT.unpack_from(page)
    data_begin = _COUNT.size + columns * count * _LENGTH_BYTES
    if data_begin > len(page):
        raise ValueError("a page of metadata that is cut short")
    planes = np.frombuffer(page, np.uint8, data_begin - _COUNT.size, _COUNT.size).reshape(columns, _LENGTH_BYTES, count)
    lengths = np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<u4").reshape(columns, count)
    data = np.frombuffer(page, np.uint8, offset=data_begin)
    bytes_columns: list[BytesColumn] = []
    begin = 0
    for of_column in lengths:
        ends = np.cumsum(of_column, dtype=np.int64)
        stop = begin + (int(ends[-1]) if count else 0)
        if stop > len(data):
            raise ValueError("a page of metadata that is cut short")
        bytes_columns.append(BytesColumn(ends, data[begin:stop]))
        begin = stop
    if begin != len(data):
        raise ValueError("a page of metadata that is longer than what is in it")
    return bytes_columns


def _steps(values: NDArray[Any], dtype: np.dtype[Any]) -> bytes:
    whole = values.astype(dtype)
    return np.diff(whole, prepend=whole.dtype.type(0)).tobytes()


def _summed(packed: bytes, dtype: np.dtype[Any]) -> NDArray[Any]:
    sums: NDArray[Any] = np.cumsum(np.frombuffer(packed, dtype), dtype=dtype)
    return sums
