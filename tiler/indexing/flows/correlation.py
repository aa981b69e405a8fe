"""Pairs of a launch and what it launched, by the correlation that both have, where no flow of the file says it.

A launch and a slice of a device with its number are joined, unless a flow arrives at that slice from some launch. A
launch may have several: a graph of kernels is launched as one. A number that several launches have says nothing,
whether it was used again or ran out of bits: such slices of devices are counted. So is what has no partner, on either
side: a flow between a host and a device is one, whatever has the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.flows.edges import FlowPart, Positions
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.records.flow_ends import MOST_ENDS_OF_A_SLICE
from tilescope.tiler.records.launches import LAUNCHES_OF_A_CHUNK, Launches, StoredLaunches

Ints = NDArray[np.int64]

# Slices of a file with a correlation, however much memory there is.
MOST_JOINED: Final = _native.MOST_JOINED_SLICES

# A launch may have as many flows besides.
MOST_WORK_OF_A_LAUNCH: Final = MOST_ENDS_OF_A_SLICE // 2


class CorrelatedSlices(Struct, frozen=True):
    """The slices of a track that have a correlation, columns of shape (n,)."""

    track: int  # its place in the layout
    ordinal: Ints | None  # None: all slices of the track
    base: int
    key: NDArray[np.int32] | Ints  # as SliceCorrelations has it
    start: Ints

    @classmethod
    def from_track(
        cls, correlations: SliceCorrelations, track: int, slices: TrackData, scratch: Scratch
    ) -> CorrelatedSlices:
        """With the ticks at which they start."""
        ordinal = None if correlations.ordinal is None else scratch.keep(correlations.ordinal)
        start = scratch.keep(slices.start) if ordinal is None else scratch.pick(slices.start, ordinal)
        key = cast("NDArray[np.int32] | Ints", scratch.keep(correlations.key))
        return cls(track, ordinal, correlations.base, key, start)

    def __len__(self) -> int:
        return len(self.key)


class TrackPairs:
    """Pairs of the slices of one track: launches and what they launched, by correlation alone."""

    def __init__(self, join: _native.LaunchJoin, place: int, slices: CorrelatedSlices) -> None:
        """`place`: of the track among those of the join."""
        self._join = join
        self._place = place
        self._slices = slices
        self.leaving, self.arriving = join.sides(place)

    def __len__(self) -> int:
        return self.leaving + self.arriving

    def stored(self) -> Iterator[StoredLaunches]:
        """Launches of the slices of the track, by chunks in stored order."""
        row = 0
        while self.arriving and row < len(self._slices):
            row, first, data, *tracks = self._join.read(self._place, row, LAUNCHES_OF_A_CHUNK)
            if data:
                yield StoredLaunches(first, data, *tracks)

    def chunks(self) -> Iterator[Launches]:
        """The same as columns."""
        return (Launches.decode(chunk.data, self._slices.track) for chunk in self.stored())

    def ends(self) -> tuple[Ints, NDArray[np.int8], NDArray[np.int32]]:
        """Ticks in order, directions and partners' tracks of all ends on the track; as EndsByTick has them."""
        tick, incoming, partner = self._join.ends(self._place, self._slices.start)
        return self._slices.start if tick is None else tick, incoming, partner


class CorrelatedPairs:
    """All pairs of a file's tracks."""

    def __init__(self, join: _native.LaunchJoin, tracks: Sequence[CorrelatedSlices]) -> None:
        self._join = join
        self._tracks = tracks
        self.count, self.ambiguous, self.crowded, self.calls_without_work, self.work_without_launch = join.counts
        """Pairs; slices of devices whose number several launches have; those whose number more of them have than a
        launch can have; slices with a number to which no work is joined, not those of the two; slices of devices with a
        number to which no launch is joined, those two among them."""

    def by_track(self) -> dict[int, TrackPairs]:
        """The pairs of each track that has some."""
        pairs = ((slices.track, TrackPairs(self._join, k, slices)) for k, slices in enumerate(self._tracks))
        return {track: track_pairs for track, track_pairs in pairs if len(track_pairs)}


def correlated_pairs(
    tracks: Sequence[CorrelatedSlices],
    ends: FlowPart,
    edges: tuple[Positions, Positions],
    is_on_device: NDArray[np.bool_],
    most: int,
) -> CorrelatedPairs | None:
    """Pairs by the correlations of a file's tracks; `edges`, of its flows, are sources and targets among `ends`.

    `is_on_device`: of each track of the run. None: there are launches, and more than `most` slices of devices are
    without a flow, for which there is no room; or there are more than MOST_JOINED slices.
    """
    tracks = sorted(tracks, key=lambda slices: slices.track)
    source, target = edges
    join = _native.LaunchJoin(
        [slices.track for slices in tracks],
        [slices.ordinal for slices in tracks],
        [(slices.base, slices.key) for slices in tracks],
        (ends.track, ends.ordinal, source, target, is_on_device.view(np.uint8)),
        MOST_WORK_OF_A_LAUNCH,
        most,
    )
    return CorrelatedPairs(join, tracks) if join.has_room else None
