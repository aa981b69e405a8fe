"""Exact sums per (lane, bin, name) of one level: what bins are made of, and what the level above is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.pages.key import BIN_BUSY_LIMIT
from tilescope.tiler.verify.columns import Ints, Mask, changes, order_of, ranges, share_of


@dataclass(frozen=True, slots=True)
class BinTable:
    """Columns of shape (n,), in the order (lane, bin, name), each triple once.

    A lane is a row of a track, numbered as the caller likes; a bin is counted from tick 0.
    """

    lane: Ints
    bin: Ints
    name: Ints  # -1: without a name
    busy: Ints
    count: Ints
    longest: Ints

    def __len__(self) -> int:
        return len(self.lane)

    def above(self) -> BinTable:
        """The same sums with bins four times as wide; triples may repeat. To be joined with others."""
        return BinTable(self.lane, self.bin >> 2, self.name, self.busy, self.count, self.longest)

    def take(self, which: Mask) -> BinTable:
        """Some of its rows."""
        return BinTable(*(getattr(self, column)[which] for column in self.__slots__))


@dataclass(frozen=True, slots=True)
class BinSums:
    """Bins as pages have them. Columns of shape (n,), in the order (lane, bin)."""

    lane: Ints
    bin: Ints
    count: Ints
    busy: Ints
    name: Ints
    share: Ints
    longest: Ints

    def __len__(self) -> int:
        return len(self.lane)


def no_table() -> BinTable:
    """Of nothing."""
    return BinTable(*[np.zeros(0, np.int64)] * 6)


def join_tables(parts: Sequence[BinTable]) -> BinTable:
    """All rows of all parts; to be merged."""
    if not parts:
        return no_table()
    return BinTable(*(np.concatenate([getattr(part, column) for part in parts]) for column in BinTable.__slots__))


def spread(lane: Ints, name: Ints, duration: Ints, starts: Ints, first: Ints, stop: Ints, shift: Ints) -> BinTable:
    """The parts of slices in the bins that they overlap; triples may repeat.

    Of each slice the ticks from `first` to `stop` are wanted, in bins of `1 << shift` ticks; `starts` is 1 where the
    slice starts at `first`, and is counted there.
    """
    first_bin = first >> shift
    bins = (np.maximum(stop - 1, first) >> shift) - first_bin + 1
    which = np.repeat(np.arange(len(lane)), bins)
    bin = ranges(first_bin, bins)
    width = shift[which]
    busy = np.minimum(stop[which], (bin + 1) << width) - np.maximum(first[which], bin << width)
    count = np.where(bin == first_bin[which], starts[which], 0)
    return BinTable(lane[which], bin, name[which], busy, count, duration[which])


def merge(parts: Sequence[BinTable], lanes: int, names: int) -> BinTable:
    """One table of all parts: in order, each triple once. `lanes` and `names` are how many there are at most."""
    all_rows = join_tables(parts)
    if not len(all_rows):
        return all_rows
    lane, bin, name, busy, count, longest = (getattr(all_rows, column) for column in BinTable.__slots__)
    low = int(bin.min())
    order = order_of((lane, lanes), (bin - low, int(bin.max()) - low + 1), (name + 1, names + 1))
    lane, bin, name = lane[order], bin[order], name[order]
    first = changes(lane, bin, name)
    return BinTable(
        lane[first],
        bin[first],
        name[first],
        busy_sums(busy[order], first),
        np.add.reduceat(count[order], first),
        np.maximum.reduceat(longest[order], first),
    )


def busy_sums(busy: Ints, first: Ints) -> Ints:
    """Sums of the groups of busy times that begin at `first`, cut at BIN_BUSY_LIMIT."""
    if float(busy.sum(dtype=np.float64)) < BIN_BUSY_LIMIT / 2:
        return np.add.reduceat(busy, first)
    low = np.add.reduceat(busy & 0xFFFF_FFFF, first)
    high = np.add.reduceat(busy >> 32, first) + (low >> 32)
    return np.where(high >= BIN_BUSY_LIMIT >> 32, BIN_BUSY_LIMIT, (high << 32) | (low & 0xFFFF_FFFF))


def bin_sums(table: BinTable) -> BinSums:
    """The bins of a merged table, with the dominant name of each: most busy, then most often, then the lowest id."""
    first = changes(table.lane, table.bin)
    if not len(first):
        return BinSums(*[np.zeros(0, np.int64)] * 7)
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(table)))
    busiest = np.maximum.reduceat(table.busy, first)
    candidate = table.busy == busiest[group]
    most = np.maximum.reduceat(np.where(candidate, table.count, -1), first)
    dominant = np.flatnonzero(candidate & (table.count == most[group]))
    dominant = dominant[np.diff(group[dominant], prepend=-1) != 0]  # names ascend
    busy, count = busy_sums(table.busy, first), np.add.reduceat(table.count, first)
    share = np.where(busy > 0, share_of(table.busy[dominant], busy), share_of(table.count[dominant], count))
    longest = np.maximum.reduceat(table.longest, first)
    return BinSums(table.lane[first], table.bin[first], count, busy, table.name[dominant], share, longest)
