"""The tile tree in plain Python integers, written from docs/page-format.md: the oracle of the native pyramid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

BINS = 256
TERMINAL_SLICES = 16384  # in tests: a quarter of what stores have, as they are made of fewer events
BUSY_LIMIT = 2**62  # of a bin
LEAF, TERMINAL = 1, 2  # tile flags
REACHES_IN, OPEN, RENAMED, AGGREGATED, CLAMPED, NO_DURATION = 1, 2, 4, 8, 16, 32  # slice flags


class Slice(NamedTuple):
    start: int
    duration: int
    name: int
    row: int = 0
    flags: int = 0  # all but REACHES_IN

    @property
    def end(self) -> int:
        return self.start + self.duration

    @property
    def last(self) -> int:
        """The last tick that it touches."""
        return max(self.start, self.end - 1)


class Bin(NamedTuple):
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls
    busy: int
    name: int
    share: int
    longest: int


@dataclass
class Tile:
    flags: int
    events: int
    slices: list[tuple[int, int]] = field(default_factory=list)  # (ordinal, slice flags)
    bins: dict[tuple[int, int], Bin] = field(default_factory=dict)  # by (row, bin)
    samples: list[int] = field(default_factory=list)  # ordinals
    counter_bins: dict[int, CounterBin] = field(default_factory=dict)
    carry: float | None = None


class CounterBin(NamedTuple):
    n: int
    first: float
    last: float
    min: float
    max: float
    mean: Fraction
    largest: float  # absolute value in force, for tolerances


Tree = dict[tuple[int, int], Tile]
Samples = Sequence[tuple[int, float]]  # (time, value)


def canonical(slices: Sequence[Slice]) -> list[Slice]:
    """By start, longer first, then as given; each on the lowest row that is free."""
    out: list[Slice] = []
    ends: list[int] = []
    for s in sorted(slices, key=lambda s: (s.start, -s.duration)):
        row = next((row for row, end in enumerate(ends) if end <= s.start), len(ends))
        ends[row : row + 1] = [s.end]
        out.append(s._replace(row=row))
    return out


def root_level(end: int) -> int:
    level = 0
    while end >= BINS * 4**level:
        level += 1
    return level


def slice_tree(track: Sequence[Slice], root: int) -> Tree:
    tree: Tree = {}
    if track:
        _slice_tile(tree, track, root, 0, list(range(len(track))))
    return tree


def _slice_tile(tree: Tree, track: Sequence[Slice], level: int, index: int, inside: list[int]) -> None:
    width = 4**level
    start, stop = index * BINS * width, (index + 1) * BINS * width
    starting = sum(track[k].start >= start for k in inside)
    individuals = [k for k in inside if track[k].duration >= 2 * width]
    binned = [track[k] for k in inside if track[k].duration < 2 * width]
    touched = {(s.row, bin) for s in binned for bin in _bins_of(s, start, stop, width)}
    reaching = len(inside) - starting
    leaf = level == 0 or starting <= max(1024, reaching)
    leaf = leaf or (starting <= 8192 and 3 * (len(individuals) + len(touched)) > len(inside))
    shown = inside if leaf else individuals
    tile = tree[level, index] = Tile(LEAF if leaf else 0, starting)
    tile.slices = [(k, track[k].flags | (REACHES_IN if track[k].start < start else 0)) for k in shown]
    if leaf:
        return
    tile.bins = sum_bins([(s.row, s) for s in binned], start, stop, width)
    for child in range(4 * index, 4 * index + 4):
        child_start = child * BINS * width // 4
        below = [k for k in inside if _overlaps(track[k], child_start, child_start + BINS * width // 4)]
        if below:
            _slice_tile(tree, track, level - 1, child, below)


def rollup_tree(children: Sequence[Sequence[Slice]], root: int) -> Tree:
    tree: Tree = {}
    slices = [s for child in children for s in child]
    if slices:
        _rollup_tile(tree, root, root, 0, slices)
    return tree


def _rollup_tile(tree: Tree, root: int, level: int, index: int, inside: list[Slice]) -> None:
    width = 4**level
    start, stop = index * BINS * width, (index + 1) * BINS * width
    starting = sum(s.start >= start for s in inside)
    terminal = level == 0 or (level < root and starting <= TERMINAL_SLICES)
    tile = tree[level, index] = Tile(TERMINAL if terminal else 0, starting)
    tile.bins = sum_bins([(0, s) for s in inside], start, stop, width, of_rollup=True)
    for child in range(4 * index, 4 * index + 4) if not terminal else ():
        child_start = child * BINS * width // 4
        below = [s for s in inside if _overlaps(s, child_start, child_start + BINS * width // 4)]
        if below:
            _rollup_tile(tree, root, level - 1, child, below)


def sum_bins(
    slices: Sequence[tuple[int, Slice]], start: int, stop: int, width: int, *, of_rollup: bool = False
) -> dict[tuple[int, int], Bin]:
    """Sums of slices, given with their rows, in the bins of one tile: exact up to the limit.

    In a rollup slices without a name dominate only where there are no others.
    """
    parts: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    longest: dict[tuple[int, int], int] = defaultdict(int)
    for row, s in slices:
        for bin in _bins_of(s, start, stop, width):
            key = row, (bin - start // width)
            part = parts[key][s.name]
            part[0] += min(s.end, (bin + 1) * width) - max(s.start, bin * width)
            part[1] += s.start // width == bin
            longest[key] = max(longest[key], s.duration)
    bins = {}
    for key in sorted(parts):
        for part in parts[key].values():
            part[0] = min(part[0], BUSY_LIMIT)
        busy, count = (sum(part[k] for part in parts[key].values()) for k in (0, 1))
        busy = min(busy, BUSY_LIMIT)
        name = min(parts[key], key=lambda n: (of_rollup and n < 0, -parts[key][n][0], -parts[key][n][1], n))
        mine = parts[key][name]
        share = 255 * mine[0] // busy if busy else 255 * mine[1] // count
        bins[key] = Bin(count, busy, name, share, longest[key])
    return bins


def counter_tree(samples: Samples, root: int) -> Tree:
    tree: Tree = {}
    if samples:
        _counter_tile(tree, samples, root, 0, 0, len(samples))
    return tree


def _counter_tile(tree: Tree, samples: Samples, level: int, index: int, first: int, last: int) -> None:
    width = 4**level
    groups: dict[int, list[int]] = defaultdict(list)
    for k in range(first, last):
        groups[samples[k][0] // width].append(k)
    n = last - first
    leaf = level == 0 or n <= 1024 or (n <= 8192 and 3 * len(groups) > n)
    tile = tree[level, index] = Tile(LEAF if leaf else 0, n)
    tile.carry = samples[first - 1][1] if first else None
    if leaf:
        tile.samples = list(range(first, last))
        return
    for bin, at in groups.items():
        tile.counter_bins[bin - index * BINS] = _counter_bin(samples, bin * width, (bin + 1) * width, at)
    for child in range(4 * index, 4 * index + 4):
        stop = (child + 1) * BINS * width // 4
        child_last = next((k for k in range(first, last) if samples[k][0] >= stop), last)
        if child_last > first:
            _counter_tile(tree, samples, level - 1, child, first, child_last)
        first = child_last


def _counter_bin(samples: Samples, start: int, stop: int, at: list[int]) -> CounterBin:
    values = [samples[k][1] for k in at]
    before = [(start, samples[at[0] - 1][1])] if at[0] > 0 else []
    steps = [*before, *(samples[k] for k in at)]
    ends = [time for time, _ in steps[1:]] + [stop]
    area = sum((Fraction(value) * (end - time) for (time, value), end in zip(steps, ends, strict=True)), Fraction(0))
    mean, largest = area / (stop - steps[0][0]), max(abs(value) for _, value in steps)
    return CounterBin(len(at), values[0], values[-1], min(values), max(values), mean, largest)


def _bins_of(s: Slice, start: int, stop: int, width: int) -> Iterator[int]:
    """The bins of a tile that the slice overlaps, or starts in if it has no length."""
    yield from range(max(s.start, start) // width, min(s.last, stop - 1) // width + 1)


def _overlaps(s: Slice, start: int, stop: int) -> bool:
    return s.start < stop and (s.start >= start or s.end > start)
