"""Edges from launches to what they launched, by the correlation that both have, where no flow of the file says it.

A launch and a slice of a device with its number are joined, unless a flow arrives at that slice from some launch. A
launch may have several: a graph of kernels is launched as one. A number that several launches have says nothing,
whether it was used again or ran out of bits: such slices of devices are counted. So is what has no partner, on either
side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.columns import Phase
from tilescope.tiler.indexing.flows.edges import FlowPart, Positions
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations, are_of_devices, numbers_of
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.indexing.tracks.track_data import TrackData

Ints = NDArray[np.int64]

_LAUNCH, _DEVICE, _JOINED = 1, 2, 4


class CorrelatedSlices(Struct, frozen=True):
    """The slices of a track that have a correlation, columns of shape (n,)."""

    track: int  # its place in the layout
    ordinal: Ints
    key: Ints
    start: Ints
    name: NDArray[np.int32]

    @classmethod
    def from_track(
        cls, correlations: SliceCorrelations, track: int, slices: TrackData, scratch: Scratch
    ) -> CorrelatedSlices:
        """With what edges say of their slices."""
        ordinal = scratch.keep(correlations.ordinal)
        start, name = scratch.pick(slices.start, ordinal), scratch.pick(slices.name, ordinal)
        return cls(track, ordinal, scratch.keep(correlations.key), start, name)

    def __len__(self) -> int:
        return len(self.key)

    def take(self, which: Ints) -> CorrelatedSlices:
        """Some of them."""
        return CorrelatedSlices(self.track, self.ordinal[which], self.key[which], self.start[which], self.name[which])


class DerivedEdges(Struct, frozen=True):
    """Edges as positions among `ends`."""

    ends: FlowPart
    source: Positions  # of a launch
    target: Positions  # of work of a device
    ambiguous: int  # slices of devices whose number several launches have
    calls_without_work: int  # slices with a number to which no work of a device is joined
    work_without_launch: int  # slices of devices with a number to which no launch is joined; the ambiguous among them


def derived_edges(
    tracks: Sequence[CorrelatedSlices],
    ends: FlowPart,
    edges: tuple[Positions, Positions],
    scratch: Scratch,
    most: int,
) -> DerivedEdges | None:
    """Edges from the correlations of a file's tracks; `edges`, of its flows, are sources and targets among `ends`.

    None: more than `most` slices of devices are without a flow, for which there is no room.
    """
    if all(are_of_devices(track.key[part]).all() for track in tracks for part in parts(len(track.key))):
        none = np.zeros(0, np.uint32)
        return DerivedEdges(FlowPart.none(), none, none, 0, 0, sum(map(len, tracks)))
    slices = _SliceStates(tracks, scratch)
    slices.join(ends, edges)
    devices = slices.unlaunched(tracks, most)
    if devices is None:
        return None
    wanted = _distinct([numbers_of(part.key) for part in devices])
    times = np.zeros(len(wanted), np.int64)  # how many launches have each number
    for track in tracks:
        for _, places in _wanted_launches(track, wanted):
            times += np.bincount(places, minlength=len(wanted))
    launches = [_launches_of(track, wanted, times) for track in tracks]
    count = sum(map(len, launches))
    joined = FlowPart.join(
        [FlowPart.none(), *_ends(launches, Phase.FLOW_START), *_ends(devices, Phase.FLOW_END)], scratch
    )
    place = np.zeros(len(wanted), np.int64)  # of the only launch of each number
    place[np.searchsorted(wanted, numbers_of(joined.key[:count]))] = np.arange(count)
    of_device = np.searchsorted(wanted, numbers_of(joined.key[count:]))
    target = np.flatnonzero(times[of_device] == 1)
    source = place[of_device[target]]
    slices.mark_joined(joined.track[:count], joined.ordinal[:count])  # each has a number that some work has
    return DerivedEdges(
        joined,
        source.astype(np.uint32),
        (target + count).astype(np.uint32),
        int(np.count_nonzero(times[of_device] > 1)),
        slices.idle_calls(),
        len(of_device) - len(target),
    )


class _SliceStates:
    """States of the slices of some tracks: a byte each, and one more for all slices of others."""

    def __init__(self, tracks: Sequence[CorrelatedSlices], scratch: Scratch) -> None:
        sizes = [int(track.ordinal[-1]) + 1 for track in tracks]
        self._size = np.zeros(1 + max(track.track for track in tracks), np.int64)
        self._first = np.zeros(len(self._size), np.int64)
        for track, size, stop in zip(tracks, sizes, np.cumsum(sizes).tolist(), strict=True):
            self._size[track.track] = size
            self._first[track.track] = stop - size
        self._others = sum(sizes)
        self.states = scratch.fill(
            self._others + 1, np.dtype(np.uint8), lambda part: np.zeros(part.stop - part.start, np.uint8)
        )
        for track in tracks:
            for part in parts(len(track.key)):
                of_devices = are_of_devices(track.key[part])
                self.states[self.places(track.track, track.ordinal[part])] = np.where(of_devices, _DEVICE, _LAUNCH)

    def places(self, track: NDArray[np.int32] | int, ordinal: Ints) -> Ints:
        """Positions of the slices among the states."""
        shown = np.clip(track, 0, len(self._size) - 1)  # an end that is bound to no slice has track -1
        there = (track == shown) & (ordinal >= 0) & (ordinal < self._size[shown])
        return np.where(there, self._first[shown] + ordinal, self._others)

    def join(self, ends: FlowPart, edges: tuple[Positions, Positions]) -> None:
        """Marks both sides of the flows that lead from a launch to a device."""
        source, target = edges
        for part in parts(len(source)):
            launches = self.places(ends.track[source[part]], ends.ordinal[source[part]])
            devices = self.places(ends.track[target[part]], ends.ordinal[target[part]])
            is_launch = (self.states[launches] & _LAUNCH != 0) & (self.states[devices] & _DEVICE != 0)
            self.states[launches[is_launch]] |= _JOINED
            self.states[devices[is_launch]] |= _JOINED

    def mark_joined(self, track: NDArray[np.int32], ordinal: Ints) -> None:
        """Marks slices that are joined by correlation."""
        for part in parts(len(track)):
            self.states[self.places(track[part], ordinal[part])] |= _JOINED

    def unlaunched(self, tracks: Sequence[CorrelatedSlices], most: int) -> list[CorrelatedSlices] | None:
        """The slices of devices that are not joined; None: there are more than `most`."""
        unlaunched = []
        for track in tracks:
            alone = [
                part.start + np.flatnonzero(self.states[self.places(track.track, track.ordinal[part])] == _DEVICE)
                for part in parts(len(track.key))
            ]
            which = np.concatenate(alone)
            most -= len(which)
            if most < 0:
                return None
            if len(which):
                unlaunched.append(track.take(which))
        return unlaunched

    def idle_calls(self) -> int:
        """Number of launches that are not joined."""
        return sum(int(np.count_nonzero(self.states[part] == _LAUNCH)) for part in parts(self._others))


def _distinct(columns: Sequence[Ints]) -> Ints:
    """Each number once, ascending. Those of a track nearly ascend: a sort by runs takes a quarter of `np.unique`."""
    numbers = np.sort(np.concatenate([np.zeros(0, np.int64), *columns]), kind="stable")
    is_first = np.ones(len(numbers), np.bool_)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_first]


def _wanted_launches(track: CorrelatedSlices, wanted: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Part by part the launches of a track whose numbers are wanted, and the places of these, which ascend."""
    for part in parts(len(track.key) if len(wanted) else 0):
        number = numbers_of(track.key[part])
        places = np.minimum(np.searchsorted(wanted, number), len(wanted) - 1)
        which = np.flatnonzero((wanted[places] == number) & ~are_of_devices(track.key[part]))
        yield part.start + which, places[which]


def _launches_of(track: CorrelatedSlices, wanted: Ints, times: Ints) -> CorrelatedSlices:
    """Launches of a track that alone have a wanted number."""
    launches = [row[times[places] == 1] for row, places in _wanted_launches(track, wanted)]
    return track.take(np.concatenate(launches) if launches else np.zeros(0, np.int64))


def _ends(tracks: Sequence[CorrelatedSlices], phase: Phase) -> list[FlowPart]:
    """Ends of flows at the starts of these slices."""
    return [
        FlowPart(
            np.full(len(track), phase, np.uint8),
            track.start,
            track.key,
            np.full(len(track), track.track, np.int32),
            track.ordinal,
            track.start,
            track.name,
        )
        for track in tracks
    ]
