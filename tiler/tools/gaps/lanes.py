"""Lanes whose gaps are looked for: devices, all streams of each together, or tracks by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.facts import Device, WorkTrack, devices_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.scope import Scope


@dataclass(frozen=True, slots=True)
class Lane:
    """Tracks that count as one: idle where none of them is busy."""

    name: str
    tracks: tuple[WorkTrack, ...]
    device: Device | None  # None: a track that is none of a device

    @property
    def track(self) -> int:
        """The first of its tracks: where the timeline shows it."""
        return self.tracks[0].track


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes that a question is about, and all devices of the run."""

    lanes: Sequence[Lane]
    devices: Sequence[Device]


def lanes_of(scope: Scope, tracks: Sequence[int] | None, *, by_device: bool) -> Interruptible[Lanes]:
    """Lanes of the devices that work on some of the tracks; where none does, each track by itself."""
    leaves = [track for track in scope.leaves(tracks) if scope.reader.tree.tracks[track].busy != 0]
    leaf_tracks = frozenset(leaves)
    devices = yield from devices_of(scope.reader)
    lanes: list[Lane] = []
    for device in devices:
        work = tuple(track for track in device.tracks if track.track in leaf_tracks)
        if by_device and work:
            lanes.append(Lane(device.name, work, device))
        elif work:
            lanes += [Lane(_name(scope, track.track), (track,), device) for track in work]
    if not lanes:
        every = np.ones(scope.reader.manifest.names.count + 1, np.uint8)
        lanes = [Lane(_name(scope, track), (WorkTrack(track, every),), None) for track in leaves]
    return Lanes(lanes, devices)


def _name(scope: Scope, track: int) -> str:
    tree = scope.reader.tree
    return f"{tree.groups[tree.tracks[track].group].name} › {tree.tracks[track].name}"
