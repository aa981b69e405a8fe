"""The time of one device, step by step: computation, what nothing hides of the rest, and when it is idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_stream
from tilescope.tiler.facts import Busy, Device, WorkTrack
from tilescope.tiler.facts.division import TimeFrames, counted_divisions
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.work.copy_directions import directed_kinds
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


class TimePart(IntEnum):
    """Parts of a device's time, in the order of `WorkSpans`. Each hides those after it: with idle time they add up."""

    COMPUTATION = 0
    COMMUNICATION = 1
    TO_DEVICE = 2  # copies
    TO_HOST = 3
    COPY = 4  # copies within a device, or whose direction is not recorded
    INFEED = 5
    OUTFEED = 6


_SPANS: Final = [part for part in TimePart if part is not TimePart.COMPUTATION]

# A launch call takes 4 to 6 us of a host: kernels that take less cannot keep a device busy, however quick the host is.
_LAUNCH_PS: Final = 5_000_000

# An eager framework takes 5 to 25 us for an operator, most of it before the launch: a host that takes longer is slow.
_QUICK_PS: Final = 30_000_000


@dataclass(frozen=True, slots=True)
class Waits:
    """Idle ticks before work; `tiny` of them before work that takes less than its launch, where launches are quick."""

    ticks: int = 0
    tiny: int = 0

    @classmethod
    def from_idle(cls, idle: Windows, tick_ps: int) -> Self:
        """Waits of a device that works between its idle stretches."""
        wait, work = (idle.stops - idle.starts)[:-1], idle.starts[1:] - idle.stops[:-1]
        is_tiny = (work * tick_ps < _LAUNCH_PS) & (wait * tick_ps < _QUICK_PS)
        return cls(int(wait.sum()), int(wait[is_tiny].sum()))


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """A device. `ticks[part]`: of each frame, shape (frames,). `spans[part]`: when it alone runs, not of computation.

    `idle` are maximal stretches, within the frames, in pieces by time.
    """

    device: Device
    frames: Frames
    ticks: Mapping[TimePart, Ints]
    spans: Mapping[TimePart, Windows]
    idle: Sequence[Windows]
    has_streams: bool = False  # kernels are launched one by one
    waits: Waits = field(default_factory=Waits)

    @property
    def idle_ticks(self) -> Ints:
        """Idle time of each frame."""
        idle: Ints = self.frames.ticks - np.sum([self.ticks[part] for part in TimePart], axis=0)
        return idle

    def without_idle(self) -> DeviceTime:
        """The same without its idle stretches, which may be a million."""
        return replace(self, idle=())

    @property
    def works(self) -> bool:
        """True if anything but copies runs."""
        return bool(self.ticks[TimePart.COMPUTATION].any() or self.ticks[TimePart.COMMUNICATION].any())


@dataclass(slots=True)
class HeldIdle:
    """Idle stretches of a device that have been read so far."""

    stretches: int = 0


def time_of_device(
    reader: QueryReader, device: Device, frames: Frames, held: HeldIdle | None = None
) -> Interruptible[DeviceTime]:
    """The time of a device in some frames. `held` counts its idle stretches meanwhile.

    Raises DamagedStore, NotBuilt.
    """
    held = held or HeldIdle()
    has_streams = any(is_stream(reader.tree.tracks[track.track].name) for track in device.tracks)
    tracks = yield from _with_directions(reader, [*device.tracks, *device.beside], has_streams=has_streams)
    ticks = np.zeros((len(TimePart), len(frames)), np.int64)
    pieces: dict[TimePart, list[Windows]] = {part: [] for part in _SPANS}
    idle: list[Windows] = []
    for division in counted_divisions(Busy(reader, tracks), TimeFrames(frames.begin, frames.end)):
        if division is not None:
            ticks[:, division.stretches.numbers] += division.ticks
            for part, parts in pieces.items():
                parts.append(division.exposed.kinds[part])
            idle.append(division.idle)
            held.stretches += len(division.idle)
        yield
    spans = {part: Windows.adjoined(parts) for part, parts in pieces.items()}
    waits = Waits()
    if has_streams:
        idle = [Windows.adjoined(idle)]
        waits = Waits.from_idle(idle[0], reader.tick_ps)
    by_part = dict(zip(TimePart, ticks, strict=True))
    return DeviceTime(device, frames, by_part, spans, Windows.apart(idle), has_streams, waits)


def _with_directions(
    reader: QueryReader, tracks: Sequence[WorkTrack], *, has_streams: bool
) -> Interruptible[list[WorkTrack]]:
    """Tracks whose copies are told apart."""
    directed: dict[int, NDArray[np.uint8]] = {}
    for track in tracks:
        if id(track.kinds) not in directed:
            directed[id(track.kinds)] = yield from directed_kinds(reader, track.kinds, has_streams=has_streams)
    return [WorkTrack(track.track, directed[id(track.kinds)]) for track in tracks]
