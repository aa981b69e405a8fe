"""The time of one device, step by step: computation, what nothing hides of the rest, and when it is idle."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_stream
from tilescope.tiler.facts import NOTHING, Busy, Device, Work, WorkSpans, WorkTrack
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.findings.host_threads import in_turn
from tilescope.tiler.query import Interruptible, Name, QueryReader
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


_TO_DEVICE: Final = re.compile(r"(?i)htod|h2d|host.?to.?device|pinned.?to.?device|pageable.?to.?device")
_TO_HOST: Final = re.compile(r"(?i)dtoh|d2h|device.?to.?host|device.?to.?(?:pinned|pageable)")
_INFEED: Final = re.compile(r"^infeed\b")
_OUTFEED: Final = re.compile(r"^outfeed\b")

# `Busy` sorts by three kinds of work: here these stand for directions, and for feeds.
_DIRECTIONS: Final = {
    TimePart.TO_DEVICE: Work.COMPUTATION,
    TimePart.TO_HOST: Work.COMMUNICATION,
    TimePart.COPY: Work.COPY,
}
_FEEDS: Final = {TimePart.INFEED: Work.COMPUTATION, TimePart.OUTFEED: Work.COMMUNICATION, TimePart.COPY: Work.COPY}


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


def _direction(name: Name) -> int:
    """The place of a copy of a GPU."""
    if _TO_DEVICE.search(name.text):
        return _DIRECTIONS[TimePart.TO_DEVICE]
    return _DIRECTIONS[TimePart.TO_HOST if _TO_HOST.search(name.text) else TimePart.COPY]


def _feed(name: Name) -> int:
    """The place of a copy of a TPU."""
    if _INFEED.search(name.text):
        return _FEEDS[TimePart.INFEED]
    return _FEEDS[TimePart.OUTFEED if _OUTFEED.search(name.text) else TimePart.COPY]


def time_of_device(reader: QueryReader, device: Device, frames: Frames) -> Interruptible[DeviceTime]:
    """The time of a device in some frames. Raises DamagedStore, NotBuilt."""
    windows = frames.windows
    tracks = [*device.tracks, *device.beside]
    work = yield from _work(reader, tracks, windows)
    has_streams = any(is_stream(reader.tree.tracks[track.track].name) for track in device.tracks)
    copies = WorkSpans()
    if len(work.copies):
        copies = yield from _copies(reader, tracks, windows, _direction if has_streams else _feed)
    sorts = _DIRECTIONS if has_streams else _FEEDS
    running = dict.fromkeys(TimePart, NOTHING) | {
        TimePart.COMPUTATION: work.computation,
        TimePart.COMMUNICATION: work.communication,
        **{part: _windows(copies, sort) for part, sort in sorts.items()},
    }
    hidden = NOTHING
    ticks: dict[TimePart, Ints] = {}
    spans: dict[TimePart, Windows] = {}
    for part in TimePart:
        alone = running[part].without(hidden) if len(hidden) else running[part]
        hidden = hidden.joined(running[part])
        ticks[part] = frames.ticks_in(alone)
        if part is not TimePart.COMPUTATION:
            spans[part] = alone
        yield
    return DeviceTime(device, frames, ticks, spans, windows.without(hidden), has_streams)


def _work(reader: QueryReader, tracks: Sequence[WorkTrack], windows: Windows) -> Interruptible[WorkSpans]:
    """All work in some windows, by kind."""
    parts: list[list[Windows]] = [[], [], []]
    for piece in Busy(reader, tracks).pieces(windows):
        if piece is not None:
            work = WorkSpans()
            for spans in piece.of:
                work = work.joined(spans)
            for part, kind in zip(parts, (work.computation, work.communication, work.copies), strict=True):
                part.append(kind)
        yield
    return WorkSpans(*map(in_turn, parts))


def _windows(spans: WorkSpans, sort: Work) -> Windows:
    return {Work.COMPUTATION: spans.computation, Work.COMMUNICATION: spans.communication}.get(sort, spans.copies)


def _copies(
    reader: QueryReader,
    tracks: Sequence[WorkTrack],
    windows: Windows,
    sort: Callable[[Name], int],
) -> Interruptible[WorkSpans]:
    """Copies by what their names say, in the places of kinds of work."""
    sorts: dict[int, NDArray[np.uint8]] = {}
    sorted_tracks = []
    for work_track in tracks:
        key = id(work_track.kinds)
        if key not in sorts:
            sorts[key] = yield from reader.names.numbers(sort, unless=work_track.kinds != Work.COPY)
        if sorts[key].any():
            sorted_tracks.append(WorkTrack(work_track.track, sorts[key]))
    return (yield from _work(reader, sorted_tracks, windows)) if sorted_tracks else WorkSpans()
