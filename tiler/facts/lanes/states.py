"""States of a device at each instant: computation, communication and copies that nothing hides, or nothing.

They are made in pieces of time, so that a view reads
its own events alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.busy import NOTHING, Busy
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.division import divisions
from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# By index: names of slices of the lane.
STATES: Final = ("Computation", "Exposed communication", "Exposed copies", "Idle")

_StatePiece = tuple[Windows, ...]  # by state


@dataclass(frozen=True, slots=True)
class DeviceStates:
    """The states of one device from its first work to the end of its last, in pieces made when they are asked for."""

    device: Device
    borders: Ints  # of the pieces, shape (n + 1,), ticks

    def states(self, reader: QueryReader, start: int, stop: int) -> Interruptible[Sequence[Windows]]:
        """The ticks of each state in [start, stop). Raises DamagedStore."""
        first = max(int(np.searchsorted(self.borders, start, side="right")) - 1, 0)
        end = min(int(np.searchsorted(self.borders, stop, side="left")), len(self.borders) - 1)
        pieces = []
        busy = None
        for number in range(first, end):
            key = (self.device.group, number)
            piece = _PIECES.get(reader, key)
            if piece is None:
                busy = busy or Busy(reader, [*self.device.tracks, *self.device.beside])
                piece = _PIECES.keep(reader, key, (yield from self._piece(busy, number)))
            pieces.append(piece)
            yield
        return [
            Windows.adjoined([piece[state] for piece in pieces]).clipped(start, stop) if pieces else NOTHING
            for state in range(len(STATES))
        ]

    def _piece(self, busy: Busy, number: int) -> Interruptible[_StatePiece]:
        windows = Windows.single(int(self.borders[number]), int(self.borders[number + 1]))
        parts = []
        for division in divisions(busy, windows):
            if division is not None:
                exposed = division.exposed
                parts.append((exposed.computation, exposed.communication, exposed.copies, division.idle))
            yield
        return tuple(Windows.adjoined([part[state] for part in parts]) for state in range(len(STATES)))


_STATES: Final = KeyedRunCache[int, DeviceStates]("device_states", "Times at which devices work")
_PIECES: Final = KeyedRunCache[tuple[int, int], _StatePiece]("device_state_pieces", "Pieces of the states of devices")


def device_states(reader: QueryReader, device: Device) -> Interruptible[DeviceStates]:
    """The states of a device, none where it does not work. Raises DamagedStore, NotBuilt."""
    states = _STATES.get(reader, device.group)
    if states is None:
        busy = Busy(reader, [*device.tracks, *device.beside])
        # What lies apart too, as in a span whose both ends are given.
        extent = yield from busy.extent(TickRange(0, reader.end + 1))
        starts = [part.start for part in busy.parts(extent)]
        borders = np.array([*starts, extent.stop] if starts else [0], np.int64)
        states = _STATES.keep(reader, device.group, DeviceStates(device, borders))
    return states


def state_bins(states: Sequence[Windows], borders: Ints) -> SliceBins:
    """Bins of a lane with one row, of a slice for each window of each state; borders of shape (n + 1,)."""
    width = int(np.diff(borders).max(initial=1))
    slices: list[tuple[Ints, Ints, Ints]] = []
    sums: list[tuple[Ints, Ints, Ints, Ints]] = []
    for state, windows in enumerate(states):
        length = windows.stops - windows.starts
        is_wide = length >= width
        wide, short = (
            Windows(windows.starts[mask], windows.stops[mask]) if len(windows) else NOTHING
            for mask in (is_wide, ~is_wide)
        )
        slices.append((wide.starts, wide.stops, np.full(len(wide), state)))
        busy = np.diff(short.ticks_before(borders))
        count = np.diff(np.searchsorted(short.starts, borders))
        which = np.flatnonzero(busy)
        sums.append((which, np.full(len(which), state), count[which], busy[which]))
    start, stop, name = (np.concatenate(columns) for columns in zip(*slices, strict=True))
    bin_, bin_name, count, busy = (np.concatenate(columns) for columns in zip(*sums, strict=True))
    order, bin_order = np.argsort(start, kind="stable"), np.argsort(bin_, kind="stable")
    return SliceBins(
        STATES,
        start[order],
        stop[order],
        np.zeros(len(order), np.int64),
        name[order],
        bin_[bin_order],
        np.zeros(len(bin_order), np.int64),
        bin_name[bin_order],
        count[bin_order],
        busy[bin_order],
    )
