"""The overview layer of a build: collected track by track, exact; and before that roughly, from activity."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import Activity
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.records.overview import FULL, OVERVIEW, OverviewEntries, OverviewGrid
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]

_JOINED = 1024  # tracks

_Integer = TypeVar("_Integer", bound=np.integer[Any])

# Of a track: its number, the bins in which there is something, their utilisation, and their names.
_Bins = tuple[int, Ints, NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


class Overview:
    """Takes the tracks of a run in any order, from any thread."""

    def __init__(self, end: int) -> None:
        self.grid = OverviewGrid.of(end)
        self._parts: list[OverviewEntries] = []  # of many tracks each
        self._few: list[_Bins] = []  # of one track each: three arrays, of which most hold next to nothing
        self._adding = threading.Lock()

    def add(self, track: int, data: TrackData, tiles: _native.Tiles) -> None:
        """A track with events of its own; tiles of slices were made with the level of the grid."""
        if data.value is not None:
            self._add(track, *_counter_bins(data.start, data.value, self.grid.level))
        else:
            bins = tiles.take_overview()
            self._add(track, bins[0], bins[2], bins[1])

    def add_rollup(self, track: int, tiles: _native.Tiles, lanes: int) -> None:
        """A rollup, from its tiles."""
        bins = tiles.overview(self.grid.level, lanes)
        self._add(track, bins[0], bins[2], bins[1])

    def add_activity(self, track: int, loads: Sequence[Load]) -> None:
        """A track that is not built yet, or a rollup of several: no names, and rough."""
        if not loads:
            return
        columns = [load.busy for load in loads], [load.first for load in loads], [load.step for load in loads]
        bins, utilisation = _native.activity_bins(*columns, self.grid.bins)
        self._add(track, bins, utilisation, np.full(len(bins), -1, np.int32))

    def entries(self) -> Iterator[Entry]:
        """All pages, each with its key."""
        parts = [*self._parts, _together(self._few)]
        for number in range(self.grid.pages):
            # Page by page: of 100,000 tracks all that there is takes a gigabyte, and as much again to be put in order.
            entries = OverviewEntries.join([part.page(number) for part in parts])
            yield OVERVIEW.key(number), compress(entries.encode(self.grid.level, number))

    def _add(
        self, track: int, bins: Ints, utilisation: NDArray[np.integer[Any]], name: NDArray[np.integer[Any]]
    ) -> None:
        with self._adding:
            self._few.append((track, bins, utilisation, name))
            if len(self._few) < _JOINED:
                return
            few, self._few = self._few, []
        self._parts.append(_together(few))


class OverviewRecorder(RecordMaker):
    """The overview of a run."""

    records: ClassVar[tuple[Record, ...]] = (OVERVIEW,)

    def __init__(self, recording: Recording) -> None:
        self._overview = Overview(recording.run.timeline.end)

    def add_tiles(self, track: BuiltTrack, tiles: _native.Tiles) -> None:
        """Takes the bins of a track."""
        self._overview.add(track.place.id, track.data, tiles)

    def add_rollup(self, rollup: PlacedTrack, tiles: _native.Tiles, lanes: int) -> None:
        """Takes those of a rollup."""
        self._overview.add_rollup(rollup.id, tiles, lanes)

    def last(self) -> Iterator[Entry]:
        """All pages."""
        return self._overview.entries()


def _together(few: Sequence[_Bins]) -> OverviewEntries:
    """The bins of some tracks."""
    in_order = sorted(few, key=_track)
    tracks, bins, utilisation, name = zip(*in_order, strict=True) if few else ((), (), (), ())
    bin = _joined(bins, np.int16)  # there are 1,025 at most
    order = np.argsort(bin, kind="stable")  # of one bin as they stand: by their tracks
    return OverviewEntries(
        bin.take(order),
        np.repeat(np.array(tracks, np.int32), list(map(len, bins))).take(order),
        _joined(utilisation, np.uint8).take(order),
        _joined(name, np.int32).take(order),
    )


def _track(bins: _Bins) -> int:
    return bins[0]


def _joined(columns: Sequence[NDArray[np.integer[Any]]], dtype: type[_Integer]) -> NDArray[_Integer]:
    return np.concatenate([np.zeros(0, dtype), *columns], dtype=dtype, casting="unsafe")


def _counter_bins(time: Ints, value: NDArray[np.float64], level: int) -> tuple[Ints, Ints, Ints]:
    """Bins with samples: the greatest value in each, as a part of the range of the counter's values."""
    bins = time >> (2 * level)
    first = np.append(0, np.flatnonzero(bins[1:] != bins[:-1]) + 1)
    utilisation = counter_utilisation(np.maximum.reduceat(value, first), float(value.min()), float(value.max()))
    return bins[first], utilisation, np.full(len(first), -1, np.int64)


def counter_utilisation(value: NDArray[np.float64], least: float, greatest: float) -> Ints:
    """Places of values between the least and the greatest, as 1 to 255; 255 where that says nothing."""
    span = greatest - least
    if not 0 < span < np.inf:
        return np.full(len(value), FULL, np.int64)
    part = np.floor((FULL - 1) * ((value - least) / span))
    utilisation: Ints = 1 + np.clip(np.nan_to_num(part, nan=FULL - 1), 0, FULL - 1).astype(np.int64)
    return utilisation


class Load(Struct, frozen=True):
    """A track's activity against the bins of a grid."""

    busy: NDArray[np.float64]  # (n,) of its own bins: busy time over width, rows summed
    first: float  # where the first of them begins, in bins of the grid
    step: float  # how wide they are

    @classmethod
    def from_activity(cls, activity: Activity, timeline: Timeline, base_ns: int, grid: OverviewGrid) -> Load:
        """`base_ns` is to be added to the times of the activity."""
        bin_ps = timeline.tick_ps << (2 * grid.level)
        first = (activity.start_ps - 1000 * (timeline.origin_ns - base_ns)) / bin_ps
        return cls(activity.load, first, activity.width_ps / bin_ps)
