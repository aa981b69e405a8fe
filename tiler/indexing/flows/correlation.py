"""Edges from launches to what they launched, by the correlation that both have, where no flow of the file says it.

A launch and a slice of a device with its number are joined, unless a flow arrives at that slice from some launch. A
launch may have several: a graph of kernels is launched as one. A number that several launches have says nothing,
whether it was used again or ran out of bits: such slices of devices are counted. So is what has no partner, on either
side: a flow between a host and a device is one, whatever has the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.columns import Phase
from tilescope.tiler.indexing.flows.edges import FlowPart, Positions
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations, are_of_devices, numbers_of
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.records.flow_ends import MOST_ENDS_OF_A_SLICE

Ints = NDArray[np.int64]

# States of slices; _PAIRED: a flow joins it to the other side, whatever that has; _SHARED: its number says nothing.
_LAUNCH, _DEVICE, _JOINED, _PAIRED, _SHARED = 1, 2, 4, 8, 16

# A table of numbers has so many places for each work at most: 8 bytes a place.
_SPREAD: Final = 4

# A launch may have as many flows besides.
MOST_WORK_OF_A_LAUNCH: Final = MOST_ENDS_OF_A_SLICE // 2


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
    crowded: int  # slices of devices whose number more of them have than one launch can have ends
    calls_without_work: int  # slices with a number to which no work of a device is joined; not those of the two above
    work_without_launch: int  # slices of devices with a number to which no launch is joined; those two among them


def derived_edges(
    tracks: Sequence[CorrelatedSlices],
    ends: FlowPart,
    edges: tuple[Positions, Positions],
    is_on_device: NDArray[np.bool_],
    scratch: Scratch,
    most: int,
) -> DerivedEdges | None:
    """Edges from the correlations of a file's tracks; `edges`, of its flows, are sources and targets among `ends`.

    `is_on_device`: of each track of the run. None: more than `most` slices of devices are without a flow, for which
    there is no room.
    """
    if all(are_of_devices(track.key[part]).all() for track in tracks for part in parts(len(track.key))):
        none, without_launch = np.zeros(0, np.uint32), sum(map(len, tracks))
        if len(edges[0]):
            alone = _SliceStates(tracks, scratch)
            alone.join(ends, edges, is_on_device)
            without_launch = alone.count(_DEVICE)
        return DerivedEdges(FlowPart.none(), none, none, 0, 0, 0, without_launch)
    slices = _SliceStates(tracks, scratch)
    slices.join(ends, edges, is_on_device)
    devices = slices.unlaunched(tracks, most)
    if devices is None:
        return None
    wanted = _Numbers.from_columns([numbers_of(part.key) for part in devices])
    of_device = wanted.places(np.concatenate([np.zeros(0, np.int64), *(numbers_of(part.key) for part in devices)]))
    works = np.bincount(of_device, minlength=wanted.size)
    calls = [_wanted_launches(track, wanted, works) for track in tracks]
    times = np.bincount(np.concatenate([places for _, places in calls]), minlength=wanted.size)
    is_joined = (times == 1) & (works <= MOST_WORK_OF_A_LAUNCH)
    for track, (rows, places) in zip(tracks, calls, strict=True):
        slices.mark(track.track, track.ordinal[rows], np.where(is_joined[places], np.uint8(_JOINED), np.uint8(_SHARED)))
    launches = [track.take(rows[is_joined[places]]) for track, (rows, places) in zip(tracks, calls, strict=True)]
    count = sum(map(len, launches))
    place = np.zeros(wanted.size, np.int64)  # of the only launch of each number
    place[np.concatenate([places[is_joined[places]] for _, places in calls])] = np.arange(count)
    target = np.flatnonzero(is_joined[of_device])
    source = place[of_device[target]]
    for track in devices:
        is_launched = is_joined[wanted.places(numbers_of(track.key))]
        slices.mark(track.track, track.ordinal[is_launched], np.uint8(_JOINED))
    return DerivedEdges(
        FlowPart.join([FlowPart.none(), *_ends(launches, Phase.FLOW_START), *_ends(devices, Phase.FLOW_END)], scratch),
        source.astype(np.uint32),
        (target + count).astype(np.uint32),
        int(works[times > 1].sum()),
        int(works[(times == 1) & ~is_joined].sum()),
        slices.count(_LAUNCH),
        slices.count(_DEVICE),
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
                self.states[self._first[track.track] + track.ordinal[part]] = np.where(of_devices, _DEVICE, _LAUNCH)

    def places(self, track: NDArray[np.int32], ordinal: Ints) -> Ints:
        """Positions of the slices among the states."""
        shown = np.clip(track, 0, len(self._size) - 1)  # an end that is bound to no slice has track -1
        there = (track == shown) & (ordinal >= 0) & (ordinal < self._size[shown])
        return np.where(there, self._first[shown] + ordinal, self._others)

    def join(self, ends: FlowPart, edges: tuple[Positions, Positions], is_on_device: NDArray[np.bool_]) -> None:
        """Marks both sides of the flows that lead from a launch, or from a host, to a device."""
        source, target = edges
        for part in parts(len(source)):
            host, device = ends.track[source[part]], ends.track[target[part]]
            launches = self.places(host, ends.ordinal[source[part]])
            devices = self.places(device, ends.ordinal[target[part]])
            calls, works = self.states[launches] & _LAUNCH != 0, self.states[devices] & _DEVICE != 0
            is_pair = is_on_device[device] & ~is_on_device[host] & (host >= 0) & (device >= 0)
            self.states[launches[calls & is_pair]] |= _PAIRED
            self.states[devices[works & is_pair]] |= _PAIRED
            self.states[launches[calls & works]] |= _JOINED
            self.states[devices[calls & works]] |= _JOINED

    def mark(self, track: int, ordinal: Ints, state: NDArray[np.uint8] | np.uint8) -> None:
        """Adds a state to slices of a track, each of which is given once."""
        self.states[self._first[track] + ordinal] |= state

    def unlaunched(self, tracks: Sequence[CorrelatedSlices], most: int) -> list[CorrelatedSlices] | None:
        """The slices of devices that are not joined; None: there are more than `most`."""
        unlaunched = []
        for track in tracks:
            alone = [
                part.start + np.flatnonzero(self._states_of(track, part) & (_DEVICE | _JOINED) == _DEVICE)
                for part in parts(len(track.key))
            ]
            which = np.concatenate(alone)
            most -= len(which)
            if most < 0:
                return None
            if len(which):
                unlaunched.append(track.take(which))
        return unlaunched

    def count(self, side: int) -> int:
        """Number of slices of a side that nothing is joined to."""
        return sum(int(np.count_nonzero(self.states[part] == side)) for part in parts(self._others))

    def _states_of(self, track: CorrelatedSlices, part: slice) -> NDArray[np.uint8]:
        states: NDArray[np.uint8] = self.states[self._first[track.track] + track.ordinal[part]]
        return states


class _Numbers(Struct, frozen=True):
    """A place for each correlation that is wanted, by which columns of shape (size,) are ordered."""

    size: int
    first: int  # of numbers that lie close together: the place of a number is its distance from the first
    sorted: Ints | None  # of others: all of them, ascending

    @classmethod
    def from_columns(cls, columns: Sequence[Ints]) -> _Numbers:
        """Places of all numbers in these columns."""
        if not columns:
            return cls(0, 0, None)
        first, last = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
        # Profilers count calls up, most of which launch nothing: a table takes a tenth of the time of a search.
        if last - first < _SPREAD * sum(map(len, columns)):
            return cls(last - first + 1, first, None)
        numbers = _distinct(columns)
        return cls(len(numbers), first, numbers)

    def places(self, number: Ints) -> Ints:
        """The places of wanted numbers; of others any, or none in [0, size)."""
        return number - self.first if self.sorted is None else np.searchsorted(self.sorted, number)

    def wants(self, number: Ints, places: Ints) -> NDArray[np.bool_]:
        """True for each number that has a place; `places` are what `places` says of it."""
        has_place: NDArray[np.bool_] = (places >= 0) & (places < self.size)
        if self.sorted is not None:
            has_place &= self.sorted[np.minimum(places, self.size - 1)] == number
        return has_place


def _distinct(columns: Sequence[Ints]) -> Ints:
    """Each number once, ascending. Those of a track nearly ascend: a sort by runs takes a quarter of `np.unique`."""
    numbers = np.sort(np.concatenate(columns), kind="stable")
    is_first = np.ones(len(numbers), np.bool_)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_first]


def _wanted_launches(track: CorrelatedSlices, wanted: _Numbers, works: Ints) -> tuple[Ints, NDArray[np.uint32]]:
    """Rows of the launches of a track with numbers that works have, and the places of these; `works`: how many."""
    rows: list[Ints] = [np.zeros(0, np.int64)]
    all_places: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
    for part in parts(len(track.key) if wanted.size else 0):
        number = numbers_of(track.key[part])
        places = wanted.places(number)
        which = np.flatnonzero(wanted.wants(number, places) & ~are_of_devices(track.key[part]))
        which = which[works[places[which]] > 0]
        rows.append(part.start + which)
        all_places.append(places[which].astype(np.uint32))
    return np.concatenate(rows), np.concatenate(all_places)


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
