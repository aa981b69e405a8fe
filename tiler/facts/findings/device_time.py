"""The time of one device, step by step: computation, what nothing hides of the rest, and when it is idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_stream
from tilescope.tiler.facts import Busy, Device, WorkTrack
from tilescope.tiler.facts.division import divisions
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.work.copy_directions import directed_kinds
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


class TimePart(IntEnum):
    """Parts of a device's time. Each hides those after it, so that with idle time they add up."""

    COMPUTATION = 0
    COMMUNICATION = 1
    TO_DEVICE = 2  # copies
    TO_HOST = 3
    COPY = 4  # copies within a device, or whose direction is not recorded
    INFEED = 5
    OUTFEED = 6


# Fields of `WorkSpans` with each part.
_FIELDS: Final = {
    TimePart.COMPUTATION: "computation",
    TimePart.COMMUNICATION: "communication",
    TimePart.TO_DEVICE: "to_device",
    TimePart.TO_HOST: "to_host",
    TimePart.COPY: "copies",
    TimePart.INFEED: "infeed",
    TimePart.OUTFEED: "outfeed",
}


_SPANS: Final = [part for part in TimePart if part is not TimePart.COMPUTATION]


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """A device. `ticks[part]`: of each frame, shape (frames,). `spans[part]`: when it alone runs, not of computation.

    `idle` are maximal stretches, within the frames.
    """

    device: Device
    frames: Frames
    ticks: Mapping[TimePart, Ints]
    spans: Mapping[TimePart, Windows]
    idle: Windows
    has_streams: bool = False  # kernels are launched one by one

    @property
    def idle_ticks(self) -> Ints:
        """Idle time of each frame."""
        idle: Ints = self.frames.ticks - np.sum([self.ticks[part] for part in TimePart], axis=0)
        return idle

    @property
    def works(self) -> bool:
        """True if anything but copies runs."""
        return bool(self.ticks[TimePart.COMPUTATION].any() or self.ticks[TimePart.COMMUNICATION].any())


def time_of_device(reader: QueryReader, device: Device, frames: Frames) -> Interruptible[DeviceTime]:
    """The time of a device in some frames. Raises DamagedStore, NotBuilt."""
    has_streams = any(is_stream(reader.tree.tracks[track.track].name) for track in device.tracks)
    tracks = yield from _with_directions(reader, [*device.tracks, *device.beside], has_streams=has_streams)
    ticks = {part: np.zeros(len(frames), np.int64) for part in TimePart}
    pieces: dict[TimePart, list[Windows]] = {part: [] for part in _SPANS}
    idle: list[Windows] = []
    for division in divisions(Busy(reader, tracks), frames.windows):
        if division is not None:
            which = frames.within(division.windows)
            for part in TimePart:
                alone: Windows = getattr(division.exposed, _FIELDS[part])
                if len(alone):
                    ticks[part][which] += frames.take(which).ticks_in(alone)
                    if part in pieces:
                        pieces[part].append(alone)
            idle.append(division.idle)
        yield
    spans = {part: Windows.adjoined(parts) for part, parts in pieces.items()}
    return DeviceTime(device, frames, ticks, spans, Windows.adjoined(idle), has_streams)


def _with_directions(
    reader: QueryReader, tracks: Sequence[WorkTrack], *, has_streams: bool
) -> Interruptible[list[WorkTrack]]:
    """Tracks whose copies are told apart."""
    directed: dict[int, NDArray[np.uint8]] = {}
    for track in tracks:
        if id(track.kinds) not in directed:
            directed[id(track.kinds)] = yield from directed_kinds(reader, track.kinds, has_streams=has_streams)
    return [WorkTrack(track.track, directed[id(track.kinds)]) for track in tracks]
