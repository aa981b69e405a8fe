"""Frames of one kind as a tree of names in each other: time on threads, and work that they launch on devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack, devices_of
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.stacks.chains import DEEPEST, Chain, FrameChains, chains_around
from tilescope.tiler.facts.stacks.frame_kinds import StackFrameKind, frame_names, frame_threads
from tilescope.tiler.facts.stacks.frames_at import MOST_ROWS, last_of_rows, runs_with
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import join, no_events
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

# Sums of ticks of the events that are read together fit into 64 bits below.
_LONG: Final = 1 << 40


@dataclass(slots=True)
class FrameNode:
    """Frames of one name in the same frames. Times in ticks; totals include the frames in it."""

    name: int  # id
    parent: int  # place of the node around it, -1 none
    calls: int = 0  # that start in the windows
    total: int = 0  # on threads
    own: int = 0
    work: int = 0  # slices of devices that it launches, frames in it included
    work_total: int = 0
    work_own: int = 0
    track: int = -1  # a thread on which it runs


class FrameTree:
    """Nodes, each behind the one around it; the work of devices that is in none; the number of calls left out."""

    def __init__(self) -> None:
        self.nodes: list[FrameNode] = []
        self.outside = FrameNode(-1, -1)
        self.too_deep = 0  # calls: their time is that of the frames around them
        self._places: dict[tuple[int, int], int] = {}

    def node(self, chain: Chain) -> FrameNode:
        """The node of a chain of names."""
        place = -1
        for name in chain:
            key = place, name
            if key not in self._places:
                self._places[key] = len(self.nodes)
                self.nodes.append(FrameNode(name, place))
            place = self._places[key]
        return self.outside if place < 0 else self.nodes[place]

    def add_up(self) -> None:
        """Makes own times of totals, and totals of the work that frames launch themselves. Once."""
        for node in self.nodes:
            node.own += node.total
            node.work_total += node.work_own
        for node in reversed(self.nodes):
            if node.parent >= 0:
                around = self.nodes[node.parent]
                around.own -= node.total
                around.work_total += node.work_total
                around.work += node.work


def frame_tree(
    reader: QueryReader, kind: StackFrameKind, tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[FrameTree]:
    """The frames of a kind on some tracks, and work on others of them that these launch.

    Raises DamagedStore, NotBuilt, UsageError: they lie in each other in too many ways.
    """
    tree, wanted = FrameTree(), frozenset(tracks)
    for thread in (yield from frame_threads(reader, kind)):
        if thread in wanted:
            yield from _add_thread(reader, kind, thread, windows_of(thread), tree)
    for device in (yield from devices_of(reader)) if reader.is_whole else ():
        for work_track in device.tracks:
            if work_track.track in wanted and has_launches(reader, work_track.track):
                yield from _add_work(reader, kind, work_track, windows_of(work_track.track), tree)
    tree.add_up()
    return tree


def _add_thread(
    reader: QueryReader, kind: StackFrameKind, track: int, windows: Windows, tree: FrameTree
) -> Interruptible[None]:
    """Adds the frames of a thread: those that start in the windows count, and their time in them."""
    is_frame = yield from frame_names(reader, kind)
    chains = FrameChains()
    plan = reader.plan(track, windows)
    open_frames = no_events(track)  # the last of each depth: only these can reach into what follows
    for events in Reading(reader).events(plan, runs_with(reader, plan, is_frame)):
        frames = events.take(is_frame[events.name + 1])
        is_deep = frames.row >= MOST_ROWS
        tree.too_deep += int(np.count_nonzero(windows.hold(frames.start[is_deep])))
        frames = frames.take(~is_deep)
        frames = frames.take(np.argsort(frames.ordinal, kind="stable"))
        if len(frames):
            around = join([open_frames, frames])
            chain = chains_around(around, frames, chains)
            open_frames = last_of_rows(around)
            starts, ticks = _in_windows(windows, frames.start, frames.duration)
            listed = chains.listed()
            for number, count, total in _sums(chain.astype(np.int64), starts, ticks):
                if len(listed[number]) == DEEPEST:  # outer ones may be missing in it
                    tree.too_deep += count
                    continue
                node = tree.node(listed[number])
                node.calls += count
                node.total += total
                node.track = track if node.track < 0 else node.track
        yield


def _add_work(
    reader: QueryReader, kind: StackFrameKind, work_track: WorkTrack, windows: Windows, tree: FrameTree
) -> Interruptible[None]:
    """Adds the work on a track of a device to the frames around its launches."""
    chains = FrameChains()
    behind = StreamFrames(reader, work_track.track, chains, kind)
    plan = reader.plan(work_track.track, windows)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        work = events.take(work_track.kinds[events.name + 1] != Work.NONE)
        if len(work):
            chain = yield from behind.behind(work.ordinal)
            starts, ticks = _in_windows(windows, work.start, work.duration)
            listed = chains.listed()
            for number, count, total in _sums(chain, starts, ticks):
                node = tree.node(listed[number])
                node.work += count
                node.work_own += total
        yield


def _in_windows(windows: Windows, start: Ints, duration: Ints) -> tuple[Ints, Ints]:
    """Counts, 1 of slices that start in some windows, and ticks of each in them."""
    ticks = windows.ticks_before(start + duration) - windows.ticks_before(start)
    return windows.hold(start).astype(np.int64), ticks


def _sums(groups: Ints, starts: Ints, ticks: Ints) -> Iterator[tuple[int, int, int]]:
    """Group, count and exact ticks of each group."""
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    exact = ticks.astype(object) if int(ticks.max()) >= _LONG else ticks
    counts, totals = (np.add.reduceat(column[order], first) for column in (starts, exact))
    yield from zip(groups[order][first].tolist(), counts.tolist(), totals.tolist(), strict=True)
