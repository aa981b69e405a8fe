"""Histograms of names: how often each name occurs in a span of a track, and how long. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import HISTOGRAM_MAGIC, decode, encode

Ints = NDArray[np.int64]

# A histogram has at most so many rows, and then one that sums up all other names. Such a record has about a megabyte.
HISTOGRAM_ROWS = 65_536

# Name of the row that sums up all others. (-1 is that of events without a name.)
OTHER_NAMES = -2

# A track whose events last longer than this in total has none: the sums would not fit into a column.
BUSY_LIMIT = 1 << 63

_COLUMNS: tuple[int, ...] = (
    Col.HISTOGRAM_NAME,
    Col.HISTOGRAM_COUNT,
    Col.HISTOGRAM_BUSY,
    Col.BUSY_MINUS_SELF,
    Col.LONGEST,
)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Columns of shape (n,), the busiest name first, then by name id; times in ticks.

    Integers, int64 unless the sums are too large for it: then Python's, in columns of objects.
    """

    name: Ints
    count: Ints  # slices that start in the span
    busy: NDArray[Any]  # overlap with the span, each slice by itself
    self_busy: NDArray[Any]  # where a slice of the name is the last started of those that run
    longest: Ints  # duration of the longest that starts in the span; 0 when none does

    def __len__(self) -> int:
        return len(self.name)

    @property
    def has_other_names(self) -> bool:
        """Whether its last row sums up names that have none of their own."""
        return bool(len(self) and self.name[-1] == OTHER_NAMES)

    def encode(self, track: int, level: int) -> bytes:
        """The record of a tile of this track, uncompressed."""
        columns = (self.name, self.count, self.busy, self.busy - self.self_busy, self.longest)
        return encode(HISTOGRAM_MAGIC, level, len(self), track, dict(zip(_COLUMNS, columns, strict=True)))

    @classmethod
    def decode(cls, data: bytes, track: int, level: int) -> Histogram:
        """The histogram in an uncompressed record of a tile of this track. Raises DamagedStore."""
        record = decode(data)
        name, count, busy, nested, longest = (record.ints(column) for column in _COLUMNS)
        sizes = {len(column) for column in (name, count, busy, nested, longest)}
        of_tile = (record.magic, record.block, record.level) == (HISTOGRAM_MAGIC, track, level)
        if not of_tile or sizes != {record.n_tiles}:
            raise DamagedStore("a histogram is damaged")
        return cls(name, count, busy, busy - nested, longest)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Histogram:
        """Some of its rows."""
        return Histogram(*(getattr(self, column)[which] for column in self.__slots__))

    def first_rows(self, rows: int) -> Histogram:
        """Itself, or so many of its rows and one that sums up the others."""
        if len(self) <= rows:
            return self
        others = self.take(slice(rows, None))
        last = Histogram(
            *(np.array([value]) for value in (OTHER_NAMES, others.count.sum(), others.busy.sum())),
            *(np.array([value]) for value in (others.self_busy.sum(), others.longest.max())),
        )
        return join_rows([self.take(slice(rows)), last])


def join_rows(parts: Sequence[Histogram]) -> Histogram:
    """The rows of all parts, one part after the other; at least one part."""
    return Histogram(*(np.concatenate([getattr(part, column) for part in parts]) for column in Histogram.__slots__))


def sum_by_name(parts: Sequence[Histogram], dtype: type[Any] = np.int64) -> Histogram:
    """One histogram of all parts, which may name a name several times. `dtype`: of the sums of ticks."""
    name, count, longest = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, column) for part in parts)])
        for column in ("name", "count", "longest")
    )
    busy, self_busy = (
        np.concatenate([np.zeros(0, dtype), *(getattr(part, column).astype(dtype) for part in parts)])
        for column in ("busy", "self_busy")
    )
    order = np.argsort(name, kind="stable")
    name = name[order]
    first = np.flatnonzero(np.diff(name, prepend=name[:1] - 1))
    if not len(first):
        return Histogram(name, count, busy, self_busy, longest)
    busy = np.add.reduceat(busy[order], first)
    busiest_first = np.argsort(-busy, kind="stable")  # names ascend, so they do among equals
    return Histogram(
        name[first][busiest_first],
        np.add.reduceat(count[order], first)[busiest_first],
        busy[busiest_first],
        np.add.reduceat(self_busy[order], first)[busiest_first],
        np.maximum.reduceat(longest[order], first)[busiest_first],
    )
