"""Sums of each side of a comparison by keys that all sides share: texts, for ids of names differ between builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.garbage import seldom_collected
from tilescope.tiler.lookup.histograms import Rename
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram, join_rows
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.records.spread import DurationSpread
from tilescope.tiler.tools.stats.summary import GroupSums, regrouped
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

# What makes events of two runs the same: a name and its category, the path of a track, a value of an argument.
Key = tuple[str, ...]


@dataclass(slots=True)
class Numbering:
    """Numbers of keys, in the order in which they come: the same for all sides."""

    _numbers: dict[Key, int] = field(default_factory=dict)

    def numbers(self, keys: Iterable[Key]) -> Ints:
        """The number of each of these keys."""
        numbers = self._numbers
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)

    def keys(self) -> list[Key]:
        """The keys, by number."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class SummedTracks:
    """Tracks of one place, such as a process. Keys of their events begin with `prefix`."""

    place: Key
    tracks: Sequence[int]
    prefix: Key = ()


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of the events of a run: numbers of their own, and the keys that these stand for."""

    keys: Callable[[Ints], Iterable[Key]]
    of_track: Callable[[int], int] | None = None  # the group of all events of a track; None: their names are
    rename: Rename | None = None  # the group of each event, page by page, where its name is not


@dataclass(frozen=True, slots=True)
class PlaceSums:
    """Self time by place and row, in columns of equal length: each pair of them that occurs, in ticks."""

    place: Ints
    row: Ints
    self_busy: NDArray[Any]


@dataclass(frozen=True, slots=True)
class ComparedSums:
    """Sums of one side: by the number of a key, and of these the self time in each place by its number."""

    rows: GroupSums
    places: PlaceSums


@dataclass(slots=True)
class _Prefixed:
    """Sums of all tracks with one prefix, and what lies in each place: its number, groups, and their self time."""

    sums: SpanSums
    places: list[tuple[int, Ints, NDArray[Any]]] = field(default_factory=list)


def row_sums(
    reader: QueryReader,
    parts: Sequence[SummedTracks],
    windows: Sequence[WindowsOf],
    grouping: Grouping,
    keys: Numbering,
    places: Numbering,
) -> Interruptible[ComparedSums]:
    """Sums by the number of a key, over one sort of windows after the other: exact. Raises DamagedStore.

    Groups are summed up natively first, and each is made a key once, however many tracks it occurs on.
    """
    busy = sum(reader.tree.tracks[track].busy for part in parts for track in part.tracks)
    dtype: type = np.int64 if busy * max(len(windows), 1) < BUSY_LIMIT else object
    readings = [Reading(reader) for _ in windows]
    prefixed: dict[Key, _Prefixed] = {}
    for part, place in zip(parts, places.numbers(part.place for part in parts).tolist(), strict=True):
        sums = SpanSums(spread=True)
        for reading, windows_of in zip(readings, windows, strict=True):
            tracks = [track for track in part.tracks if len(windows_of(track))]
            for _ in reading.add_windows(sums, tracks, windows_of, grouping.of_track, grouping.rename):
                yield
        histogram = sums.sums(dtype)
        whole = prefixed.setdefault(part.prefix, _Prefixed(sums))
        if whole.sums is not sums:
            whole.sums.add(sums)
        whole.places.append((place, histogram.name, histogram.self_busy))
        yield
    numbers: list[Ints] = [np.zeros(0, np.int64)]
    histograms: list[Histogram] = [Histogram(*(np.zeros(0, np.int64) for _ in Histogram.__struct_fields__))]
    spreads: list[DurationSpread] = []
    placed: list[tuple[Ints, Ints, NDArray[Any]]] = []
    for prefix, whole in prefixed.items():
        histogram = whole.sums.sums(dtype)
        with seldom_collected():
            number = keys.numbers([prefix + key for key in grouping.keys(histogram.name)])
        ascending = np.argsort(histogram.name)
        for place, group, self_busy in whole.places:
            row = number[ascending[np.searchsorted(histogram.name, group, sorter=ascending)]]
            placed.append((np.full(len(row), place, np.int64), row, self_busy))
        numbers.append(number)
        histograms.append(histogram)
        spreads.append(whole.sums.spread())
        yield
    rows = regrouped(join_rows(histograms), _joined_spread(spreads), np.concatenate(numbers), dtype)
    return ComparedSums(rows, _joined_places(placed))


def _joined_spread(spreads: Sequence[DurationSpread]) -> DurationSpread:
    columns = ([getattr(spread, name) for spread in spreads] for name in DurationSpread.__struct_fields__)
    return DurationSpread(*(np.concatenate([np.zeros(0, np.int64), *parts]) for parts in columns))


def _joined_places(placed: Sequence[tuple[Ints, Ints, NDArray[Any]]]) -> PlaceSums:
    place, row, self_busy = (
        np.concatenate([np.zeros(0, np.int64), *(part[column] for part in placed)]) for column in range(3)
    )
    return PlaceSums(place, row, self_busy)
