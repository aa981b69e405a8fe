"""Callers of the outermost frame of Python around a slice, by ids: frames that times do not show around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.stacks.frame_kinds import is_python_frame
from tilescope.tiler.facts.stacks.python_callers import MOST_FRAMES, ChainEnd, has_caller, python_frames
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.nesting.family import Family, slices_at
from tilescope.tiler.tools.nesting.launch_context import TrackSlice
from tilescope.tiler.tools.nesting.row_slices import RowSlice

_TOO_MANY: Final = f"more than {MOST_FRAMES:,} frames of Python run in this process: which call each other is not read"
_ENDS: Final = {
    ChainEnd.NOT_RECORDED: "a frame of Python around it was called by one that was not recorded",
    ChainEnd.CIRCLE: "by their ids frames of Python call each other in a circle: each is listed once",
}


@dataclass(frozen=True, slots=True)
class CallersAround:
    """Frames on threads, the nearest first, and sentences about what is not listed."""

    frames: list[TrackSlice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def callers_around(reader: QueryReader, track: int, family: Family) -> Interruptible[CallersAround]:
    """The callers of a slice's outermost frame. Raises DamagedStore; while the run is indexed there are none yet."""
    frame = family.outermost(lambda name: is_python_frame(name.category))
    if frame is None or not reader.is_whole or not has_caller(reader, track, frame.ordinal):
        return CallersAround()
    frames = yield from python_frames(reader, reader.tree.tracks[track].group)
    if frames.are_too_many:
        return CallersAround(notes=[_TOO_MANY])
    listed, more, end = frames.callers(track, frame.ordinal)
    slices: dict[tuple[int, int], RowSlice] = {}
    for thread in sorted({caller_track for caller_track, _ in listed}):
        ordinals = np.array(sorted(ordinal for caller_track, ordinal in listed if caller_track == thread), np.int64)
        events = yield from slices_at(reader, thread, ordinals)
        for index, ordinal in enumerate(events.ordinal.tolist()):
            slices[thread, ordinal] = RowSlice.from_events(events, index)
    notes = [_ENDS[end]] if end in _ENDS else []
    if more:
        notes.append(f"{plural(more, 'more caller is', 'more callers are')} not listed")
    if frames.doubled:
        doubled = plural(frames.doubled, "frame of Python has", "frames of Python have")
        notes.append(f"{doubled} the id of another: the first of each counts as the caller")
    return CallersAround([TrackSlice(place[0], slices[place]) for place in listed], notes)
