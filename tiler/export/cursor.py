"""Where an export goes on after a piece."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilescope.tiler.export.lanes import ThreadLanes


@dataclass(slots=True)
class Cursor:
    """The next of the tracks, first for their events, then for their flows; and what is open on it. Can be pickled."""

    track: int = 0  # position in the list of the tracks
    leaf_run: int = 0
    flows: bool = False
    lanes: ThreadLanes = field(default_factory=ThreadLanes)  # of the track
    moved: dict[tuple[int, int], int] = field(default_factory=dict)  # (track, ordinal): its lane, where that is not 0

    def next_track(self) -> None:
        """Goes on with the track after this one."""
        self.track += 1
        self.leaf_run = 0
        self.lanes = ThreadLanes()
