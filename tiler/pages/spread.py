"""Spreads: how many events of each name have durations of which bucket, for quantiles. See docs/page-format.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import SPREAD_MAGIC, decode, encode
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]


@cache
def bucket_values() -> Ints:
    """What stands for the durations of each bucket: none of them is more than one per cent away."""
    values = []
    least = 0
    while least < TICK_LIMIT:
        values.append(least * 101 // 100)
        least = values[-1] * 100 // 99 + 1
    return np.array(values, np.int64)


@dataclass(frozen=True, slots=True)
class DurationSpread:
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
        key, inverse = np.unique(row * wide + self.bucket, return_inverse=True)
        count = np.zeros(len(key), np.int64)
        np.add.at(count, inverse, self.count)
        return DurationSpread(np.bincount(key // wide, minlength=n_groups).astype(np.int64), key % wide, count)

    def encode(self, track: int, level: int) -> bytes:
        """The record of a tile of this track, uncompressed."""
        some = self.n > 0
        first = (np.cumsum(self.n) - self.n)[some]
        begins = np.zeros(len(self.n), np.int64)
        begins[some] = self.bucket[first]
        steps = np.delete(np.diff(self.bucket, prepend=self.bucket[:1]), first)
        columns: dict[int, Ints] = {
            Col.N_BUCKETS: self.n,
            Col.FIRST_BUCKET: begins,
            Col.BUCKET_STEP: steps,
            Col.BUCKET_COUNT: self.count,
        }
        return encode(SPREAD_MAGIC, level, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int, level: int) -> DurationSpread:
        """The spread in an uncompressed record of a tile of this track. Raises DamagedStore."""
        record = decode(data)
        n, begins, steps, count = (
            record.ints(column) for column in (Col.N_BUCKETS, Col.FIRST_BUCKET, Col.BUCKET_STEP, Col.BUCKET_COUNT)
        )
        of_tile = (record.magic, record.block, record.level) == (SPREAD_MAGIC, track, level)
        if not of_tile or {len(n), len(begins)} != {record.n_tiles} or (n < 0).any() or int(n.sum()) != len(count):
            raise DamagedStore("a spread is damaged")
        some = n > 0
        first = (np.cumsum(n) - n)[some]
        if len(steps) != len(count) - len(first):
            raise DamagedStore("a spread is damaged")
        moved = np.zeros(len(count), np.int64)
        moved[np.delete(np.arange(len(count)), first)] = steps
        moved = np.cumsum(moved)
        return cls(n, moved + np.repeat(begins[some] - moved[first], n[some]), count)


def no_spread() -> DurationSpread:
    """Of no rows."""
    none = np.zeros(0, np.int64)
    return DurationSpread(none, none, none)
