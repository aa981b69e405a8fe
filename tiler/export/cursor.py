"""Position at which an export goes on after a piece."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilescope.tiler.export.lanes import ThreadLanes


@dataclass(slots=True)
class Cursor:
    """The next of the tracks, and what is open on it: at most some hundred thousand numbers. Can be pickled."""

    begun: bool = False  # an event has been written
    track: int = 0  # position in the list of the tracks
    leaf_run: int = 0
    lanes: ThreadLanes = field(default_factory=ThreadLanes)  # of the track
    carrier: int = 0  # of flow ends, which come behind all tracks
    flow: int = 0  # number of its next one
    lane: int = 0  # position in the list of derived lanes, which come last
    lane_tick: int | None = None  # from which on its next events are; None: it has none yet

    def next_track(self) -> None:
        """Goes on with the track after this one."""
        self.track += 1
        self.leaf_run = 0
        self.lanes = ThreadLanes()

    def next_carrier(self) -> None:
        """Goes on with the carrier after this one."""
        self.carrier += 1
        self.flow = 0

    def next_lane(self) -> None:
        """Goes on with the derived lane after this one."""
        self.lane += 1
        self.lane_tick = None
