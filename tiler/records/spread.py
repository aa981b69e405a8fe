"""Spreads: how many events of each name have durations of which bucket, for quantiles. See docs/page-format.md."""

from __future__ import annotations

from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import SPREAD_MAGIC, decode, encode
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.record import Available, Record
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]


SPREAD = Record(
    "Q",
    "track level tile",
    "track {track}, level {level}, tile {tile}: its spread",
    Available.WITH_TRACK,
    doc="how durations are spread, for each row of the histogram with these numbers",
    proof="the slices of the leaves below, added up anew",
)
BLOCK_SPREAD = Record(
    "R",
    "block level tile",
    "block {block}, level {level}, tile {tile}: its spread",
    Available.WITH_BLOCK,
    doc="the same for the histogram of a block",
    proof="the slices of the leaves below, added up anew",
)
TRACK_SUMS_SPREAD = Record(
    "V",
    "block level tile",
    "block {block}, level {level}, tile {tile}: the spread of its tracks",
    Available.WITH_BLOCK,
    doc="the same for the sums of the tracks of a block",
    proof="the slices of the leaves below, added up anew",
)


@cache
def bucket_values() -> Ints:
    """What stands for the durations of each bucket: none of them is more than one per cent away."""
    values = []
    least = 0
    while least < TICK_LIMIT:
        values.append(least * 101 // 100)
        least = values[-1] * 100 // 99 + 1
    return np.array(values, np.int64)


class DurationSpread(Struct, frozen=True):
    """Of rows, one after the other. Made for the rows of a histogram, in their order."""

    n: Ints  # buckets of each row
    bucket: Ints  # of all rows, ascending in each
    count: Ints  # events whose durations are of that bucket

    def __len__(self) -> int:
        return len(self.n)

    def quantiles(self, per_cent: int, shortest: Ints, longest: Ints) -> Ints:
        """Of each row the duration that so many per cent of its events do not exceed; 0 where there is no event.

        Within one per cent of the duration at rank ceil(n * per_cent / 100), and between the row's extremes.
        """
        if not len(self.bucket):
            return np.zeros(len(self), np.int64)
        ends = np.cumsum(self.n)
        up_to = np.cumsum(self.count)
        after = np.append(0, up_to)[ends]
        before = np.append(0, after[:-1])
        rank = -((before - after) * per_cent // 100)
        at = np.searchsorted(up_to, before + rank)
        values = bucket_values()[self.bucket[np.minimum(at, len(self.bucket) - 1)]]
        return np.where(after > before, np.clip(values, shortest, longest), 0)

    def take(self, rows: Ints) -> DurationSpread:
        """Some of its rows, in this order."""
        ends = np.cumsum(self.n)
        n = self.n[rows]
        within = np.arange(int(n.sum()), dtype=np.int64) - np.repeat(np.cumsum(n) - n, n)
        at = np.repeat(ends[rows] - n, n) + within
        return DurationSpread(n, self.bucket[at], self.count[at])

    def summed(self, group: Ints, n_groups: int) -> DurationSpread:
        """Rows that are summed up; `group`: the new row of each."""
        row = np.repeat(group, self.n)
        wide = len(bucket_values())
        key = row * wide + self.bucket
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        count = np.add.reduceat(self.count[order], first) if len(first) else self.count[:0]
        key = key[first]
        return DurationSpread(np.bincount(key // wide, minlength=n_groups).astype(np.int64), key % wide, count)

    def encode(self, track: int, level: int, rows: Histogram) -> bytes:
        """The record of a tile of this track, uncompressed; `rows`: its histogram."""
        row = np.repeat(np.arange(len(self)), self.n)
        ends = _ends(rows)
        count = self.count.copy()
        key = row * len(bucket_values()) + self.bucket
        np.subtract.at(count, np.searchsorted(key, ends), 1)
        some = count > 0
        row, bucket, count = row[some], self.bucket[some], count[some]
        before = np.append(0, bucket[:-1]) if len(bucket) else bucket
        is_first = np.diff(row, prepend=-1) != 0
        before[is_first] = bucket_of(rows.shortest)[row[is_first]]
        columns: dict[int, Ints] = {
            Col.N_BUCKETS: np.bincount(row, minlength=len(self)).astype(np.int64),
            Col.BUCKET_STEP: bucket - before,
            Col.BUCKET_COUNT: count,
        }
        return encode(SPREAD_MAGIC, level, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int, level: int, rows: Histogram) -> DurationSpread:
        """The spread in an uncompressed record of a tile of this track; `rows`: its histogram. Raises DamagedStore."""
        record = decode(data)
        n, steps, count = (record.ints(column) for column in (Col.N_BUCKETS, Col.BUCKET_STEP, Col.BUCKET_COUNT))
        of_tile = (record.magic, record.block, record.level) == (SPREAD_MAGIC, track, level)
        if not of_tile or not len(n) == record.n_tiles == len(rows) or (n < 0).any() or int(n.sum()) != len(count):
            raise DamagedStore("a spread is damaged")
        if len(steps) != len(count) or ((steps < 0) | (steps >= len(bucket_values()))).any():
            raise DamagedStore("a spread is damaged")
        some = n > 0
        first = (np.cumsum(n) - n)[some]
        moved = np.cumsum(steps)
        row = np.repeat(np.arange(len(n)), n)
        bucket = moved + np.repeat(bucket_of(rows.shortest)[some] - moved[first] + steps[first], n[some])
        if (bucket > bucket_of(rows.longest)[row]).any():
            raise DamagedStore("a spread is damaged")
        ends = _ends(rows)
        wide = len(bucket_values())
        every = cls(
            np.ones(len(row) + len(ends), np.int64),
            np.append(bucket, ends % wide),
            np.append(count, np.ones(len(ends), np.int64)),
        )
        return every.summed(np.append(row, ends // wide), len(n))


def bucket_of(durations: Ints) -> Ints:
    """The bucket of each duration."""
    values = bucket_values()
    return np.searchsorted(values + values // 99, durations)


def _ends(rows: Histogram) -> Ints:
    """Of each row the bucket of its shortest event, and that of its longest if it is another event, plus that much."""
    row = np.arange(len(rows)) * len(bucket_values())
    one, two = rows.count > 0, rows.count > 1
    return np.append(row[one] + bucket_of(rows.shortest[one]), row[two] + bucket_of(rows.longest[two]))
