"""Launches of a slice with what they lie in on their threads, and the calls of the host that waited for the slice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.tools.nesting.family import Family
from tilescope.tiler.tools.nesting.row_slices import RowSlice
from tilescope.tiler.windows import Windows

# Launches of one slice, and threads that may wait for it: more of them are not looked at.
MOST_LAUNCHES: Final = 16
MOST_THREADS: Final = 256

_FRAME_CATEGORIES: Final = frozenset({"python_function"})
# `$file.py:12 f`, `file.py(12): f`: as XSpaces and PyTorch call frames of Python.
_FRAME: Final = re.compile(r"^\$|^<built-in|\.py(?:\(|:)\d")


@dataclass(frozen=True, slots=True)
class TrackSlice:
    """A slice, and the track that it is on."""

    track: int
    slice: RowSlice


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """A launch; the innermost slice around it, and the innermost frame of Python, if there is one."""

    launch: TrackSlice
    around: TrackSlice | None
    frame: TrackSlice | None


def launch_contexts(reader: QueryReader, track: int, ordinal: int) -> Interruptible[tuple[list[LaunchContext], int]]:
    """The launches of a slice, by time, and how many more there are.

    Raises DamagedStore; while the run is indexed there are none yet.
    """
    if not reader.is_whole:
        return [], 0
    places = [
        place
        for chunk in launches_of_track(reader.store, track, ordinal, ordinal)
        for own in [chunk.of_slice(ordinal)]
        for place in zip(own.partner_track.tolist(), own.partner_ordinal.tolist(), strict=True)
    ]
    contexts = []
    for launch_track, launch_ordinal in places[:MOST_LAUNCHES]:
        if reader.tree.kind(launch_track) != "slice":
            continue
        family = Family(reader, launch_track, launch_ordinal)
        parents = family.parents()
        frame = next((parent for parent in parents if _is_frame(reader, parent)), None)
        contexts.append(
            LaunchContext(
                TrackSlice(launch_track, family.slice),
                TrackSlice(launch_track, parents[0]) if parents else None,
                None if frame is None else TrackSlice(launch_track, frame),
            )
        )
        yield
    listed = sorted(contexts, key=lambda context: (context.launch.slice.start, context.launch.track))
    return listed, max(len(places) - MOST_LAUNCHES, 0)


def waiting_calls(
    reader: QueryReader, row_slice: RowSlice, launch_track: int
) -> Interruptible[tuple[list[TrackSlice], int]]:
    """Calls that wait for devices and during which a slice ended, on threads of the process that launched it.

    Of each thread the innermost, by when they ended; and how many threads were not looked at. Raises DamagedStore.
    """
    group, end = reader.tree.tracks[launch_track].group, row_slice.end
    threads = [
        track.id for track in reader.tree.tracks if track.group == group and track.kind == "slice" and track.events
    ]
    waits = []
    for thread in threads[:MOST_THREADS]:
        plan = reader.plan(thread, Windows.single(end, end + 1))
        for events in Reading(reader).events(plan, plan.leaf_runs):
            running = np.flatnonzero((events.start < end) & (events.start + events.duration > end))
            names = [reader.names[int(name)] for name in events.name[running].tolist()]
            waiting = running[np.array(host_kinds(names), np.int64) == HostKind.SYNC]
            if len(waiting):
                row = waiting[np.argmax(events.row[waiting])]
                waits.append(TrackSlice(thread, RowSlice.from_events(events, row)))
        yield
    return sorted(waits, key=lambda wait: (wait.slice.end, wait.track)), max(len(threads) - MOST_THREADS, 0)


def _is_frame(reader: QueryReader, row_slice: RowSlice) -> bool:
    name = reader.names[row_slice.name]
    return name.category.lower() in _FRAME_CATEGORIES or _FRAME.search(name.text) is not None
