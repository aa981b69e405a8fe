"""Sums of each side of a comparison by keys that all sides share: texts, for ids of names differ between builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
    """Numbers of keys in places, in the order in which they come: the same for all sides."""

    _numbers: dict[tuple[Key, Key], int] = field(default_factory=dict)

    def numbers(self, place: Key, keys: Iterable[Key]) -> Ints:
        """The number of each of these keys in a place."""
        numbers = self._numbers
        return np.array([numbers.setdefault((place, key), len(numbers)) for key in keys], np.int64)

    def pairs(self) -> list[tuple[Key, Key]]:
        """Places and keys, by number."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class SummedTracks:
    """Tracks of one place, such as a process: their sums are kept apart from those of others."""

    place: Key
    tracks: Sequence[int]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of the events of a run: numbers of their own, and the keys that these stand for."""

    keys: Callable[[Ints], Iterable[Key]]
    of_track: Callable[[int], int] | None = None  # the group of all events of a track; None: their names are
    rename: Rename | None = None  # the group of each event, page by page, where its name is not


def part_sums(
    reader: QueryReader,
    parts: Sequence[SummedTracks],
    windows: Sequence[WindowsOf],
    grouping: Grouping,
    numbering: Numbering,
) -> Interruptible[GroupSums]:
    """Sums by the number of a key in a place, over one sort of windows after the other: exact. Raises DamagedStore."""
    histograms: list[Histogram] = [_no_rows()]
    spreads: list[DurationSpread] = []
    busy = sum(reader.tree.tracks[track].busy for part in parts for track in part.tracks)
    dtype: type = np.int64 if busy * max(len(windows), 1) < BUSY_LIMIT else object
    readings = [Reading(reader) for _ in windows]
    for part in parts:
        sums = SpanSums(spread=True)
        for reading, windows_of in zip(readings, windows, strict=True):
            tracks = [track for track in part.tracks if len(windows_of(track))]
            for _ in reading.add_windows(sums, tracks, windows_of, grouping.of_track, grouping.rename):
                yield
        histogram = sums.sums(dtype)
        number = numbering.numbers(part.place, grouping.keys(histogram.name))
        histograms.append(Histogram(number, *(getattr(histogram, c) for c in Histogram.__struct_fields__[1:])))
        spreads.append(sums.spread())
        yield
    rows = join_rows(histograms)
    return regrouped(rows, _joined(spreads), rows.name, dtype)


def _no_rows() -> Histogram:
    return Histogram(*(np.zeros(0, np.int64) for _ in Histogram.__struct_fields__))


def _joined(spreads: Sequence[DurationSpread]) -> DurationSpread:
    columns = ([getattr(spread, name) for spread in spreads] for name in DurationSpread.__struct_fields__)
    return DurationSpread(*(np.concatenate([np.zeros(0, np.int64), *parts]) for parts in columns))
