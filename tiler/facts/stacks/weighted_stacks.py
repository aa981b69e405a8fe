"""Stacks by what they cost beside time: work of devices that is launched in them, bytes that are allocated in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.memory.owners import owner_threads
from tilescope.tiler.facts.memory.records import records_of
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.stacks.chains import FrameChains, chains_at
from tilescope.tiler.facts.stacks.frame_kinds import ALL, frame_names
from tilescope.tiler.facts.stacks.frame_tree import FrameTree
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]


def device_stacks(reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf) -> Interruptible[FrameTree]:
    """Work on these tracks below the slices around its launch: `work` counts it, `work_own` and `work_total` are ticks.

    Raises DamagedStore, NotBuilt, UsageError: the stacks are too many.
    """
    tree, wanted = FrameTree(), frozenset(tracks)
    for device in (yield from devices_of(reader)) if reader.is_whole else ():
        for work_track in device.tracks:
            track = work_track.track
            if track not in wanted:
                continue
            chains, windows = FrameChains(), windows_of(track)
            frames = StreamFrames(reader, track, chains, ALL) if has_launches(reader, track) else None
            plan = reader.plan(track, windows)
            for events in Reading(reader).events(plan, plan.leaf_runs):
                work = events.take(work_track.kinds[events.name + 1] != Work.NONE)
                if len(work):
                    around = (
                        np.zeros(len(work), np.int64) if frames is None else (yield from frames.behind(work.ordinal))
                    )
                    ticks = windows.ticks_before(work.start + work.duration) - windows.ticks_before(work.start)
                    starts = windows.hold(work.start)
                    listed = chains.listed()
                    for rows, chain, name in _alike(around, work.name):
                        node = tree.node((*listed[chain], name))
                        node.work += int(np.count_nonzero(starts[rows]))
                        node.work_own += sum_of(ticks[rows])
                        node.track = track
                yield
    tree.add_up()
    return tree


def allocation_stacks(
    reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[tuple[FrameTree, list[str]]]:
    """Allocations of each memory below the slices around them: `work` counts them, `work_own` are bytes.

    Names below -1 are those of memories, -2 the first of the list. Raises DamagedStore, NotBuilt, UsageError.
    """
    tree = FrameTree()
    memories: list[str] = []
    records = yield from records_of(reader, tracks)
    threads = yield from owner_threads(reader)
    is_frame = yield from frame_names(reader, ALL)
    is_made = ~records.arguments.is_free
    for track in np.unique(records.track).tolist():
        rows = np.flatnonzero((records.track == track) & is_made)
        rows = rows[windows_of(track).hold(records.start[rows])]
        chains, around = FrameChains(), np.zeros(len(rows), np.int64)
        for thread in threads(track):
            numbers = yield from chains_at(reader, thread, records.start[rows], is_frame, chains)
            around = np.where(numbers, numbers, around)
        listed, size = chains.listed(), np.maximum(records.arguments.size[rows], 0)
        for part, chain, memory in _alike(around, records.arguments.memory[rows].astype(np.int64)):
            text = records.texts[memory]
            if text not in memories:
                memories.append(text)
            node = tree.node((-2 - memories.index(text), *listed[chain]))
            node.work += len(part)
            node.work_own += sum_of(size[part])
            node.track = track
        yield
    tree.add_up()
    return tree, memories


def _alike(chain: Ints, name: Ints) -> Iterator[tuple[Ints, int, int]]:
    """Rows of each pair of a chain and a name."""
    order = np.lexsort((name, chain))
    is_new = (np.diff(chain[order], prepend=-1) != 0) | (np.diff(name[order], prepend=-2) != 0)
    for rows in np.split(order, np.flatnonzero(is_new)[1:]) if len(order) else ():
        yield rows, int(chain[rows[0]]), int(name[rows[0]])
