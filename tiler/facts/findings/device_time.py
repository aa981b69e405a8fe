"""The time of one device, step by step: computation, what nothing hides of the rest, and when it is idle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_stream
from tilescope.tiler.facts import Busy, Device, WorkTrack
from tilescope.tiler.facts.busy import UnsortedPiece
from tilescope.tiler.facts.division import Division, TimeFrames, counted_division
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.findings.packed_windows import PackedWindows
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
    def from_idle(cls, pieces: Sequence[Windows], tick_ps: int) -> Self:
        """Waits of a device that works between its idle stretches, which are maximal, in pieces by time."""
        ticks = tiny = 0
        for place, piece in enumerate(pieces):
            next_start = pieces[place + 1].starts[:1] if place + 1 < len(pieces) else np.zeros(0, np.int64)
            work = np.concatenate([piece.starts[1:], next_start]) - piece.stops[: len(piece) - 1 + len(next_start)]
            wait = (piece.stops - piece.starts)[: len(work)]  # behind the last stretch of all no work is seen
            is_tiny = (work * tick_ps < _LAUNCH_PS) & (wait * tick_ps < _QUICK_PS)
            ticks, tiny = ticks + int(wait.sum()), tiny + int(wait[is_tiny].sum())
        return cls(ticks, tiny)


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


class DeviceReading:
    """The time of a device in some frames, which is added up from pieces that come by time.

    `is_packed`: its idle stretches take half the memory until it is taken; a million are packed in some 15 ms.
    """

    def __init__(self, reader: QueryReader, device: Device, frames: Frames, *, is_packed: bool = False) -> None:
        self._reader = reader
        self._device = device
        self._frames = frames
        self._stretches = TimeFrames(frames.begin, frames.end)
        self._has_streams = any(is_stream(reader.tree.tracks[track.track].name) for track in device.tracks)
        self._ticks = np.zeros((len(TimePart), len(frames)), np.int64)
        self._spans: dict[TimePart, list[Windows]] = {part: [] for part in _SPANS}
        self._is_packed = is_packed
        self._idle: list[Windows | PackedWindows] = []

    def pieces(self) -> Iterator[UnsortedPiece | None]:
        """All pieces; None where whoever asks may stop. Raises DamagedStore, NotBuilt."""
        tracks = [*self._device.tracks, *self._device.beside]
        directed = yield from _with_directions(self._reader, tracks, has_streams=self._has_streams)
        yield from Busy(self._reader, directed).unsorted_pieces(self._stretches.windows)

    def division(self, piece: UnsortedPiece) -> Division:
        """A piece divided, which any thread may do. Raises DamagedStore."""
        return counted_division(piece, self._stretches)

    def add(self, division: Division) -> None:
        """Adds the next piece."""
        self._ticks[:, division.stretches.numbers] += division.ticks
        for part, parts in self._spans.items():
            parts.append(division.exposed.kinds[part])
        if len(division.idle):
            self._idle.append(PackedWindows.from_windows(division.idle) if self._is_packed else division.idle)

    @property
    def idle_stretches(self) -> int:
        """Number of idle stretches that it holds."""
        return sum(map(len, self._idle))

    def take(self) -> DeviceTime:
        """The time in all pieces, which it holds no more."""
        spans = {part: Windows.adjoined(parts) for part, parts in self._spans.items()}
        idle = Windows.apart([part if isinstance(part, Windows) else part.windows() for part in self._idle])
        waits = Waits.from_idle(idle, self._reader.tick_ps) if self._has_streams else Waits()
        self._spans, self._idle = {}, []
        ticks = dict(zip(TimePart, self._ticks, strict=True))
        return DeviceTime(self._device, self._frames, ticks, spans, idle, self._has_streams, waits)


def _with_directions(
    reader: QueryReader, tracks: Sequence[WorkTrack], *, has_streams: bool
) -> Interruptible[list[WorkTrack]]:
    """Tracks whose copies are told apart."""
    directed: dict[int, NDArray[np.uint8]] = {}
    for track in tracks:
        if id(track.kinds) not in directed:
            directed[id(track.kinds)] = yield from directed_kinds(reader, track.kinds, has_streams=has_streams)
    return [WorkTrack(track.track, directed[id(track.kinds)]) for track in tracks]
