"""Histograms of names: how often each name occurs in a span of a track, and how long. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import HISTOGRAM_MAGIC, MAX_ROWS, decode, encode
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# A histogram has at most so many rows, and then one that sums up all other names. Such a record has about a megabyte.
HISTOGRAM_ROWS = 65_536

# Name of the row that sums up all others. (-1 is that of events without a name.)
OTHER_NAMES = -2

# A track whose events last longer than this in total has none: the sums would not fit into a column.
BUSY_LIMIT = 1 << 63

# Longer than any.
_NONE = np.iinfo(np.int64).max

_COLUMNS: tuple[int, ...] = (
    Col.HISTOGRAM_NAME,
    Col.HISTOGRAM_COUNT,
    Col.HISTOGRAM_BUSY,
    Col.BUSY_MINUS_SELF,
    Col.LONGEST,
    Col.DURATION_MINUS_BUSY,
    Col.LONGEST_MINUS_SHORTEST,
)


HISTOGRAM = Record(
    "H",
    "track level tile",
    "track {track}, level {level}, tile {tile}: its histogram",
    Available.WITH_TRACK,
    doc="how often each name occurs among the slices that start in a tile of a track, and how long they take",
    proof="the slices of the leaves below, added up anew",
)
BLOCK_HISTOGRAM = Record(
    "J",
    "block level tile",
    "block {block}, level {level}, tile {tile}: its histogram",
    Available.WITH_BLOCK,
    doc="the same of all tracks of a block together",
    proof="the slices of the leaves below, added up anew",
)
TRACK_SUMS = Record(
    "U",
    "block level tile",
    "block {block}, level {level}, tile {tile}: the sums of its tracks",
    Available.WITH_BLOCK,
    doc="the same by track: a row for each track of a block, whatever its slices are called",
    proof="the slices of the leaves below, added up anew",
)


class Histogram(Struct, frozen=True):
    """Columns of shape (n,), the busiest name first, then by name id; times in ticks.

    Integers, int64 unless the sums are too large for it: then Python's, in columns of objects.
    """

    name: Ints
    count: Ints  # slices that start in the span
    busy: NDArray[Any]  # overlap with the span, each slice by itself
    self_busy: NDArray[Any]  # where a slice of the name is the last started of those that run
    duration: NDArray[Any]  # of those that start in the span, not clipped to it
    longest: Ints  # duration of the longest that starts in the span; 0 when none does
    shortest: Ints  # of the shortest

    def __len__(self) -> int:
        return len(self.name)

    @property
    def has_other_names(self) -> bool:
        """Whether its last row sums up names that have none of their own."""
        return bool(len(self) and self.name[-1] == OTHER_NAMES)

    def encode(self, track: int, level: int) -> bytes:
        """The record of a tile of this track, uncompressed."""
        columns = (
            *(self.name, self.count, self.busy, self.busy - self.self_busy, self.longest),
            *(self.duration - self.busy, self.longest - self.shortest),
        )
        return encode(HISTOGRAM_MAGIC, level, len(self), track, dict(zip(_COLUMNS, columns, strict=True)))

    @classmethod
    def decode(cls, data: bytes, track: int, level: int) -> Histogram:
        """The histogram in an uncompressed record of a tile of this track. Raises DamagedStore."""
        record = decode(data)
        columns = [record.ints(column) for column in _COLUMNS]
        sizes = {len(column) for column in columns}
        of_tile = (record.magic, record.block, record.level) == (HISTOGRAM_MAGIC, track, level)
        if not of_tile or sizes != {record.n_tiles}:
            raise DamagedStore("a histogram is damaged")
        name, count, busy, nested, longest, outside, shorter = columns
        return cls(name, count, busy, busy - nested, busy + outside, longest, longest - shorter)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Histogram:
        """Some of its rows."""
        return Histogram(*(getattr(self, column)[which] for column in self.__struct_fields__))

    def first_rows(self, rows: int) -> Histogram:
        """Itself, or so many of its rows and one that sums up the others."""
        if len(self) <= rows:
            return self
        others = self.take(slice(rows, None))
        return join_rows([self.take(slice(rows)), others.one_row(OTHER_NAMES)])

    def one_row(self, name: int) -> Histogram:
        """All rows in one, under that name."""
        starting = self.shortest[self.count > 0]
        sums = (self.count.sum(), self.busy.sum(), self.self_busy.sum(), self.duration.sum())
        extremes = (self.longest.max(initial=0), starting.min() if len(starting) else 0)
        return Histogram(*(np.array([value]) for value in (name, *sums, *extremes)))


def name_bounds(data: bytes, names: NDArray[np.bool_], track: int, level: int) -> tuple[int, int] | None:
    """How long the shortest and the longest slice of some names last that start in a tile of this track.

    `data`: its uncompressed record; `names`: by name id, shifted by one. Where none starts, the shortest is longer than
    the longest. None: names in it have no row of their own. Raises DamagedStore.
    """
    if (
        len(data) < 16
        or data[:4] != HISTOGRAM_MAGIC
        or (data[5], int.from_bytes(data[12:16], "little")) != (level, track)
    ):
        raise DamagedStore("a histogram is damaged")
    try:
        return _native.name_bounds(data, MAX_ROWS, names)
    except _native.DamagedContainer as error:
        raise DamagedStore(str(error)) from None


def busy_of_names(data: bytes, names: NDArray[np.bool_], track: int, level: int) -> int | None:
    """How long slices of some names run in a tile of this track, each by itself: in ticks.

    `data`: its uncompressed record; `names`: by name id, shifted by one. None: names in it have no row of their own.
    Raises DamagedStore.
    """
    record = decode(data, (Col.HISTOGRAM_NAME, Col.HISTOGRAM_BUSY))
    name, busy = record.ints(Col.HISTOGRAM_NAME), record.ints(Col.HISTOGRAM_BUSY)
    of_tile = (record.magic, record.block, record.level) == (HISTOGRAM_MAGIC, track, level)
    if not of_tile or not len(name) == len(busy) == record.n_tiles:
        raise DamagedStore("a histogram is damaged")
    if len(name) and name[-1] == OTHER_NAMES:
        return None
    if len(name) and (int(name.min()) < -1 or int(name.max()) + 1 >= len(names)):
        raise DamagedStore("a histogram has names that there are not")
    return int(busy[names[name + 1]].sum())


def join_rows(parts: Sequence[Histogram]) -> Histogram:
    """The rows of all parts, one part after the other; at least one part."""
    return Histogram(
        *(np.concatenate([getattr(part, column) for part in parts]) for column in Histogram.__struct_fields__)
    )


def sum_by_name(parts: Sequence[Histogram], dtype: type[Any] = np.int64) -> Histogram:
    """One histogram of all parts, which may name a name several times. `dtype`: of the sums of ticks."""
    name, count, longest, shortest = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, column) for part in parts)])
        for column in ("name", "count", "longest", "shortest")
    )
    busy, self_busy, duration = (
        np.concatenate([np.zeros(0, dtype), *(getattr(part, column).astype(dtype) for part in parts)])
        for column in ("busy", "self_busy", "duration")
    )
    order = np.argsort(name, kind="stable")
    name = name[order]
    first = np.flatnonzero(np.diff(name, prepend=name[:1] - 1))
    if not len(first):
        return Histogram(name, count, busy, self_busy, duration, longest, shortest)
    busy = np.add.reduceat(busy[order], first)
    busiest_first = np.argsort(-busy, kind="stable")  # names ascend, so they do among equals
    least = np.minimum.reduceat(np.where(count > 0, shortest, _NONE)[order], first)
    return Histogram(
        name[first][busiest_first],
        np.add.reduceat(count[order], first)[busiest_first],
        busy[busiest_first],
        np.add.reduceat(self_busy[order], first)[busiest_first],
        np.add.reduceat(duration[order], first)[busiest_first],
        np.maximum.reduceat(longest[order], first)[busiest_first],
        np.where(least == _NONE, 0, least)[busiest_first],
    )
