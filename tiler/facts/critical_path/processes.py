"""Processes whose threads and devices have a critical path together: threads that launch work, and its streams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.devices import Device, devices_of
from tilescope.tiler.facts.launches.launch_chunks import launch_chunks
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_threads
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache


@dataclass(frozen=True, slots=True)
class PathProcess:
    """Threads of one process, and the devices that they launch work on: none where the host alone was recorded.

    `left_out`: number of its threads with operators that launch nothing, as those of data loaders. Nothing says when
    another thread waits for one of them.
    """

    group: int
    threads: Sequence[int]
    devices: Sequence[Device]
    left_out: int

    @property
    def tracks(self) -> frozenset[int]:
        """Its threads and streams."""
        return frozenset(self.threads).union(*(device.track_ids for device in self.devices))


_PROCESSES: Final = RunCache[list[PathProcess]]("path_processes", "Processes that have a critical path")


def path_processes(reader: QueryReader) -> Interruptible[list[PathProcess]]:
    """The processes of a run that have a path. Raises DamagedStore, NotBuilt, StoredLast."""
    processes = _PROCESSES.get(reader)
    return _PROCESSES.keep(reader, (yield from _read(reader))) if processes is None else processes


def _read(reader: QueryReader) -> Interruptible[list[PathProcess]]:
    tracks = reader.tree.tracks
    threads: dict[int, set[int]] = defaultdict(set)
    devices: dict[int, list[Device]] = defaultdict(list)
    for device in (yield from devices_of(reader)):
        launching = {
            thread
            for work_track in device.tracks
            for thread in launch_chunks(reader, work_track.track).tracks.tolist()
            if tracks[thread].group != device.group
        }
        if launching:
            group = min(tracks[thread].group for thread in launching)  # of several processes the first has its path
            threads[group] |= launching
            devices[group].append(device)
        yield
    left_out: dict[int, int] = defaultdict(int)
    for thread in (yield from frame_threads(reader, OPERATORS)):
        group = tracks[thread].group
        if not devices:
            threads[group].add(thread)
        elif thread not in threads.get(group, ()):
            left_out[group] += 1
    return [PathProcess(group, sorted(threads[group]), devices[group], left_out[group]) for group in sorted(threads)]
