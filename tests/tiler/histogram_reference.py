"""Histograms of names in plain Python integers: the oracle of the native sums, of the reader and of self times."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.spread import DurationSpread


class Timed(NamedTuple):
    start: int
    duration: int
    name: int

    @property
    def end(self) -> int:
        return self.start + self.duration


class Row(NamedTuple):
    name: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls
    busy: int
    self_busy: int
    duration: int
    longest: int
    shortest: int


class OnTop(NamedTuple):
    """The event that started last of those that run from `start` to `stop`."""

    start: int
    stop: int
    ordinal: int


def on_top(events: Sequence[Timed]) -> Iterator[OnTop]:
    """Tick by tick in principle: between each two times at which anything starts or ends."""
    running: list[tuple[int, int]] = []  # (-ordinal, end)
    next_ = 0
    for start, stop in pairwise(sorted({time for event in events for time in (event.start, event.end)})):
        while next_ < len(events) and events[next_].start <= start:
            heapq.heappush(running, (-next_, events[next_].end))
            next_ += 1
        while running and running[0][1] <= start:
            heapq.heappop(running)
        if running:
            yield OnTop(start, stop, -running[0][0])


def histogram(events: Sequence[Timed], tops: Iterable[OnTop], start: int, stop: int) -> list[Row]:
    """Of the ticks [start, stop)."""
    sums: dict[int, list[int]] = {}
    for event in events:
        starts = start <= event.start < stop
        busy = min(event.end, stop) - max(event.start, start)
        if not starts and busy <= 0:
            continue
        row = sums.setdefault(event.name, [0, 0, 0, 0, 0, 0])
        if starts:
            row[3] += event.duration
            row[4] = max(row[4], event.duration)
            row[5] = min(row[5], event.duration) if row[0] else event.duration
        row[0] += starts
        row[1] += max(busy, 0)
    for top in tops:
        if min(top.stop, stop) > max(top.start, start):
            sums[events[top.ordinal].name][2] += min(top.stop, stop) - max(top.start, start)
    return sorted((Row(name, *row) for name, row in sums.items()), key=lambda row: (-row.busy, row.name))


def buckets(events: Iterable[Timed], start: int, stop: int) -> dict[int, dict[int, int]]:
    """By name, how many of the events that start in [start, stop) have durations of each bucket."""
    found: dict[int, dict[int, int]] = {}
    for event in events:
        if start <= event.start < stop:
            of_name = found.setdefault(event.name, {})
            bucket = bucket_of(event.duration)
            of_name[bucket] = of_name.get(bucket, 0) + 1
    return found


def bucket_of(duration: int) -> int:
    """One after the other from 0 on, as docs/page-format.md has them."""
    while duration > _LONGEST[-1]:
        _LONGEST.append((_LONGEST[-1] + 1) * 101 // 100 * 100 // 99)
    return bisect_left(_LONGEST, duration)


_LONGEST = [0]  # of each bucket


def buckets_of(names: Sequence[int], found: DurationSpread) -> dict[int, dict[int, int]]:
    """The same of a spread of these names."""
    ends = np.cumsum(found.n)
    return {
        name: dict(zip(found.bucket[end - n : end].tolist(), found.count[end - n : end].tolist(), strict=True))
        for name, n, end in zip(names, found.n.tolist(), ends.tolist(), strict=True)
        if n
    }


def rows_of(found: Histogram) -> list[Row]:
    columns = (getattr(found, column) for column in Histogram.__struct_fields__)
    return [Row(*row) for row in zip(*(np.asarray(column).tolist() for column in columns), strict=True)]
