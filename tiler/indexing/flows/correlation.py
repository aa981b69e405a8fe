"""Pairs of a launch and what it launched, by the correlation that both have, where no flow of the file says it.

A launch and a slice of a device with its number are joined, unless a flow arrives at that slice from some launch. A
launch may have several: a graph of kernels is launched as one. A number that several launches have says nothing,
whether it was used again or ran out of bits: such slices of devices are counted. So is what has no partner, on either
side: a flow between a host and a device is one, whatever has the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.flows.edges import FlowPart, Positions
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations, are_of_devices
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.records.flow_ends import MOST_ENDS_OF_A_SLICE
from tilescope.tiler.records.launches import LAUNCHES_OF_A_CHUNK, Launches, LaunchWay

Ints = NDArray[np.int64]
States = NDArray[np.uint8]

# States of slices, as the native join has them; _PAIRED: a flow joins it to the other side, whatever that has.
_JOINED, _PAIRED = 1, 2

# Slices of a file with a correlation, however much memory there is.
MOST_JOINED: Final = _native.MOST_JOINED_SLICES

# A launch may have as many flows besides.
MOST_WORK_OF_A_LAUNCH: Final = MOST_ENDS_OF_A_SLICE // 2


class CorrelatedSlices(Struct, frozen=True):
    """The slices of a track that have a correlation, columns of shape (n,)."""

    track: int  # its place in the layout
    ordinal: Ints | None  # None: all slices of the track
    key: Ints
    start: Ints

    @classmethod
    def from_track(
        cls, correlations: SliceCorrelations, track: int, slices: TrackData, scratch: Scratch
    ) -> CorrelatedSlices:
        """With the ticks at which they start."""
        ordinal = None if correlations.ordinal is None else scratch.keep(correlations.ordinal)
        start = scratch.keep(slices.start) if ordinal is None else scratch.pick(slices.start, ordinal)
        return cls(track, ordinal, scratch.keep(correlations.key), start)

    def __len__(self) -> int:
        return len(self.key)

    def rows(self, ordinals: Ints) -> Ints:
        """The row of each of these slices; -1 where it has no correlation."""
        if self.ordinal is None:
            return np.where((ordinals >= 0) & (ordinals < len(self)), ordinals, -1)
        rows = np.minimum(np.searchsorted(self.ordinal, ordinals), len(self) - 1)
        return np.where(self.ordinal[rows] == ordinals, rows, -1)


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

    def chunks(self) -> Iterator[Launches]:
        """The pairs in stored order, in chunks of whole slices."""
        row = 0
        while row < len(self._slices):
            row, *columns = self._join.read(self._place, row, LAUNCHES_OF_A_CHUNK)
            ordinal, partner_track, partner_ordinal, incoming = columns
            if len(ordinal):
                way = np.full(len(ordinal), LaunchWay.CORRELATION, np.int64)
                yield Launches(ordinal, partner_track, partner_ordinal, way, incoming)

    def ends(self) -> tuple[Ints, NDArray[np.int8], NDArray[np.int32]]:
        """Ticks in order, directions and partners' tracks of all ends on the track."""
        return self._join.ends(self._place, self._slices.start)


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
    scratch: Scratch,
    most: int,
) -> CorrelatedPairs | None:
    """Pairs by the correlations of a file's tracks; `edges`, of its flows, are sources and targets among `ends`.

    `is_on_device`: of each track of the run. None: there are launches, and more than `most` slices of devices are
    without a flow, for which there is no room; or there are more than MOST_JOINED slices.
    """
    tracks = sorted(tracks, key=lambda slices: slices.track)
    join = _native.LaunchJoin(
        [slices.track for slices in tracks],
        [slices.ordinal for slices in tracks],
        [slices.key for slices in tracks],
        _states(tracks, ends, edges, is_on_device, scratch) if len(edges[0]) else [None] * len(tracks),
        MOST_WORK_OF_A_LAUNCH,
        most,
    )
    return CorrelatedPairs(join, tracks) if join.has_room else None


def _states(
    tracks: Sequence[CorrelatedSlices],
    ends: FlowPart,
    edges: tuple[Positions, Positions],
    is_on_device: NDArray[np.bool_],
    scratch: Scratch,
) -> list[States | None]:
    """By slice what flows do with both sides of those that lead from a launch, or from a host, to a device."""
    states = _SliceStates(tracks, scratch)
    source, target = edges
    for part in parts(len(source)):
        host, device = ends.track[source[part]], ends.track[target[part]]
        launches = states.places(host, ends.ordinal[source[part]])
        devices = states.places(device, ends.ordinal[target[part]])
        calls, works = states.are_on_side(launches, 0), states.are_on_side(devices, 1)
        is_pair = is_on_device[device] & ~is_on_device[host] & (host >= 0) & (device >= 0)
        states.add(launches[calls & is_pair], _PAIRED)
        states.add(devices[works & is_pair], _PAIRED)
        states.add(launches[calls & works], _JOINED)
        states.add(devices[calls & works], _JOINED)
    return states.by_track()


class _SliceStates:
    """States of the slices of some tracks that have a correlation: a byte each, one track after the other."""

    def __init__(self, tracks: Sequence[CorrelatedSlices], scratch: Scratch) -> None:
        self._tracks = {slices.track: slices for slices in tracks}
        stops = np.cumsum([len(slices) for slices in tracks]).tolist()
        self._first = {slices.track: stop - len(slices) for slices, stop in zip(tracks, stops, strict=True)}
        self._side, self._states = (
            scratch.fill(stops[-1], np.dtype(np.uint8), lambda part: np.zeros(part.stop - part.start, np.uint8))
            for _ in range(2)
        )
        for slices in tracks:
            first = self._first[slices.track]
            for part in parts(len(slices)):
                self._side[first + part.start : first + part.stop] = are_of_devices(slices.key[part])

    def places(self, track: NDArray[np.int32], ordinal: Ints) -> Ints:
        """Positions of slices among the states; -1 for those without a correlation."""
        places = np.full(len(track), -1, np.int64)
        for number in np.unique(track).tolist():
            if number in self._tracks:
                which = np.flatnonzero(track == number)
                rows = self._tracks[number].rows(ordinal[which])
                places[which] = np.where(rows >= 0, self._first[number] + rows, -1)
        return places

    def are_on_side(self, places: Ints, side: int) -> NDArray[np.bool_]:
        """True for each place that is one of a launch (0), or of a device (1)."""
        there: NDArray[np.bool_] = (places >= 0) & (self._side[places] == side)
        return there

    def add(self, places: Ints, state: int) -> None:
        """Adds a state."""
        self._states[places] |= np.uint8(state)

    def by_track(self) -> list[States | None]:
        """The states of each track."""
        return [self._states[first : first + len(self._tracks[track])] for track, first in self._first.items()]
