"""States of a device at each instant, as a view has them: what it does that nothing hides, or any other windows.

They are made in pieces of time, so that a view reads
its own events alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.division import divisions
from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.lanes.slice_sums import SliceSums
from tilescope.tiler.facts.lanes.state_views import STATES, StateView
from tilescope.tiler.facts.lanes.summed_windows import SummedWindows
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _StatePiece:
    """The windows of each state in a piece of time: whole ones, and at its borders those that may go on beyond."""

    inner: Sequence[SummedWindows]
    edges: Sequence[Windows]

    @classmethod
    def from_states(cls, states: Sequence[Windows], start: int, stop: int) -> _StatePiece:
        """The windows of [start, stop), by state."""
        is_edge = [(windows.starts == start) | (windows.stops == stop) for windows in states]
        inner, edges = (
            [Windows(windows.starts[mask], windows.stops[mask]) for windows, mask in zip(states, masks, strict=True)]
            for masks in ([~mask for mask in is_edge], is_edge)
        )
        return cls([SummedWindows.from_windows(windows) for windows in inner], edges)


@dataclass(frozen=True, slots=True)
class DeviceStates:
    """The states of one device from its first work to the end of its last, in pieces made when they are asked for."""

    device: Device
    borders: Ints  # of the pieces, shape (n + 1,), ticks
    view: StateView = STATES

    def bins(self, reader: QueryReader, borders: Ints) -> Interruptible[SliceBins]:
        """Bins of a lane with one row, of a slice for each window of a state; borders of shape (n + 1,), ticks.

        Raises DamagedStore.
        """
        sums = SliceSums(self.view.names, borders)
        edges: list[Sequence[Windows]] = []
        # With the piece that ends where the view begins: a slice that goes on from there starts before the view.
        for number in self._numbers(int(borders[0]) - 1, int(borders[-1])):
            piece = yield from self._kept_piece(reader, number)
            for state, windows in enumerate(piece.inner):
                sums.add(state, windows)
            edges.append(piece.edges)
            yield
        for state, parts in enumerate(zip(*edges, strict=True)):
            sums.add(state, SummedWindows.from_windows(Windows.adjoined(parts)))
        return sums.bins()

    def slices(self, reader: QueryReader, start: int, stop: int) -> Iterator[LaneSlices | None]:
        """A slice for each window that has a tick in [start, stop), piece by piece; None where one may stop.

        Raises DamagedStore.
        """
        numbers = self._numbers(start, stop)
        begun: list[int | None] = []  # by state: the start of the slice that goes on from the piece before
        for state in range(len(self.view.names)):
            begun.append((yield from self._begin(reader, state, numbers)))
        for number in numbers:
            piece = yield from self._kept_piece(reader, number)
            first, end = (int(border) for border in self.borders[number : number + 2])
            rows = []
            for state, windows in enumerate(piece.inner):
                stops = windows.starts + np.diff(windows.before)
                rows.append(np.stack([windows.starts, stops, np.full(len(windows), state)]))
            for state, edges in enumerate(piece.edges):
                begins = begun[state]
                begun[state] = None
                for edge_start, edge_stop in zip(edges.starts.tolist(), edges.stops.tolist(), strict=True):
                    goes_on = edge_start == first and begins is not None
                    whole_start = begins if goes_on and begins is not None else edge_start
                    whole_stop = edge_stop
                    if edge_stop == end:
                        begun[state] = whole_start
                        # Long ones would be followed once for each of their pieces.
                        if not goes_on or number == numbers[0]:
                            whole_stop = yield from self._end(reader, state, number, edge_stop)
                    if not goes_on or number == numbers[0]:  # else the piece in which it begins has it
                        rows.append(np.array([[whole_start, whole_stop, state]], np.int64).T)
            starts, stops, states = np.concatenate(rows, axis=1)
            seen = np.flatnonzero((starts < stop) & (stops > start))
            seen = seen[np.argsort(starts[seen], kind="stable")]
            yield LaneSlices(
                int(self.borders[number + 1]),
                self.view.names,
                starts[seen],
                stops[seen],
                np.zeros(len(seen), np.int64),
                states[seen],
            )

    def _begin(self, reader: QueryReader, state: int, numbers: range) -> Interruptible[int | None]:
        """The start of the slice of a state that goes on into the first of these pieces from the one before."""
        begin = None
        number = numbers.start - 1 if len(numbers) else -1
        while number >= 0:
            edges = (yield from self._kept_piece(reader, number)).edges[state]
            yield
            goes_on = np.flatnonzero(edges.stops == self.borders[number + 1])
            if not len(goes_on):
                break
            begin = int(edges.starts[goes_on[0]])
            if begin > self.borders[number]:
                break
            number -= 1
        return begin

    def _end(self, reader: QueryReader, state: int, number: int, stop: int) -> Interruptible[int]:
        """The end of a window of a state that ends a piece, with what the pieces behind it have of it."""
        while number + 2 < len(self.borders) and stop == self.borders[number + 1]:
            number += 1
            edges = (yield from self._kept_piece(reader, number)).edges[state]
            yield
            goes_on = np.flatnonzero(edges.starts == stop)
            if not len(goes_on):
                break
            stop = int(edges.stops[goes_on[0]])
        return stop

    def _numbers(self, start: int, stop: int) -> range:
        """The pieces that have a tick in [start, stop)."""
        first = max(int(np.searchsorted(self.borders, start, side="right")) - 1, 0)
        return range(first, min(int(np.searchsorted(self.borders, stop, side="left")), len(self.borders) - 1))

    def _kept_piece(self, reader: QueryReader, number: int) -> Interruptible[_StatePiece]:
        key = (self.device.group, self.view.key, number)
        piece = _PIECES.get(reader, key)
        if piece is None:
            busy = Busy(reader, [*self.device.tracks, *self.device.beside])
            states = yield from self._piece(reader, busy, number)
            start, stop = (int(border) for border in self.borders[number : number + 2])
            piece = _PIECES.keep(reader, key, _StatePiece.from_states(states, start, stop))
        return piece

    def _piece(self, reader: QueryReader, busy: Busy, number: int) -> Interruptible[tuple[Windows, ...]]:
        windows = Windows.single(int(self.borders[number]), int(self.borders[number + 1]))
        parts = []
        for division in divisions(busy, windows):
            if division is not None:
                parts.append((yield from self.view.windows(reader, self.device, division)))
            yield
        return tuple(Windows.adjoined([part[state] for part in parts]) for state in range(len(self.view.names)))


_BORDERS: Final = KeyedRunCache[int, Ints]("device_state_borders", "Pieces of the time of devices")
_PIECES: Final = KeyedRunCache[tuple[int, str, int], _StatePiece](
    "device_state_pieces", "Pieces of the states of devices"
)


def device_borders(reader: QueryReader, device: Device) -> Interruptible[Ints]:
    """Borders of pieces of a device's time, from its first work to the end of its last; ticks, shape (n + 1,).

    Raises DamagedStore, NotBuilt.
    """
    borders = _BORDERS.get(reader, device.group)
    if borders is None:
        busy = Busy(reader, [*device.tracks, *device.beside])
        # What lies apart too, as in a span whose both ends are given.
        extent = yield from busy.extent(TickRange(0, reader.end + 1))
        starts = [part.start for part in busy.parts(extent)]
        borders = np.array([*starts, extent.stop] if starts else [0], np.int64)
        _BORDERS.keep(reader, device.group, borders)
    return borders


def device_states(reader: QueryReader, device: Device, view: StateView = STATES) -> Interruptible[DeviceStates]:
    """The states of a device, none where it does not work. Raises DamagedStore, NotBuilt."""
    return DeviceStates(device, (yield from device_borders(reader, device)), view)
