"""The memories of a run: read once, and kept for the next question as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.step_curve import StepCurve
from tilescope.tiler.facts.memory.memory import EventMemory, RecordedMemory
from tilescope.tiler.facts.memory.owners import with_owners
from tilescope.tiler.facts.memory.pool import MemoryPool
from tilescope.tiler.facts.memory.records import Records, records_of
from tilescope.tiler.facts.memory.table_pool import TablePool
from tilescope.tiler.facts.memory.table_pools import TablePlace, pools_of_place, table_places
from tilescope.tiler.facts.pytorch_capture import pytorch_captures
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HostMemories:
    """Memories of a host of which events or tables tell."""

    memories: Sequence[RecordedMemory]
    ignored: int  # events that record allocations, of no memory or of no size that a memory has


@dataclass(frozen=True, slots=True)
class ListedMemories:
    """Memories of a host, by name; `is_whole` False: only those with which a thread begins or ends."""

    memories: Sequence[MemoryPool]
    is_whole: bool
    ignored: int = 0  # as of `HostMemories`


_SAMPLES: Final = KeyedRunCache[int, ListedMemories]("memory_samples", "First and last allocations of threads")
_CURVES: Final = KeyedRunCache[tuple[int, str], StepCurve]("memory_curves", "Memories in use over time", grows=True)
_MEMORIES: Final = KeyedRunCache[int, ListedMemories]("memories", "Allocations in the memories of hosts and devices")
_TABLE_MEMORIES: Final = KeyedRunCache[tuple[int, int], list[TablePool]](
    "table_memories", "Memories of which tables of profilers tell"
)


def hosts_of(reader: QueryReader, tracks: Sequence[int]) -> list[int]:
    """The groups of the hosts that these tracks are of, in the order of the track tree; -1 of tracks without."""
    return sorted({_host(reader, track) for track in tracks})


def memories_of(reader: QueryReader, host: int) -> Interruptible[HostMemories]:
    """The memories of a host by name, those of each rank's tables by themselves.

    Raises UsageError: allocations in the trace are too many; DamagedStore.
    """
    of_events = yield from _all_memories(reader, host)
    memories: list[RecordedMemory] = [*map(EventMemory, of_events.memories)]
    names: set[str] = set()
    for place in table_places(reader, host):
        for memory in (yield from _table_memories(reader, host, place)):
            name, number = memory.name, 1
            while name in names:
                number += 1
                name = f"{memory.name} ({place.capture or place.rank} {number})"
            names.add(name)
            memories.append(memory.renamed(name))
        yield
    return HostMemories(memories, of_events.ignored)


def _table_memories(reader: QueryReader, host: int, place: TablePlace) -> Interruptible[list[TablePool]]:
    memories = _TABLE_MEMORIES.get(reader, (host, place.number))
    if memories is None:
        memories = yield from pools_of_place(reader, host, place)
        memories.sort(key=lambda memory: natural_key(memory.name))
        _TABLE_MEMORIES.keep(reader, (host, place.number), memories)
    return memories


def event_memories(reader: QueryReader, host: int) -> Interruptible[Sequence[MemoryPool]]:
    """The memories of a host of which its events tell, by name. Raises UsageError: they are too much.

    All its tracks are read for it: one thread frees what another one allocated.
    """
    return (yield from _all_memories(reader, host)).memories


def _all_memories(reader: QueryReader, host: int) -> Interruptible[ListedMemories]:
    listed = _MEMORIES.get(reader, host)
    if listed is None:
        records = yield from with_owners(reader, (yield from records_of(reader, _tracks(reader, host))))
        memories = sorted(_memories(reader, records, host), key=lambda memory: natural_key(memory.name))
        yield
        listed = _MEMORIES.keep(reader, host, ListedMemories(memories, is_whole=True, ignored=records.ignored))
    return listed


def listed_memories(reader: QueryReader, host: int) -> Interruptible[ListedMemories]:
    """The memories of a host: all once they are kept, else by the first and last allocations of each thread alone.

    A page at each end is read of a thread: what is listed before anything is drawn cannot wait for all of a run.
    """
    listed = _MEMORIES.get(reader, host) or _SAMPLES.get(reader, host)
    if listed is None:
        records = yield from records_of(reader, _tracks(reader, host), ends_only=True)
        listed = _SAMPLES.keep(reader, host, ListedMemories(_memories(reader, records, host), records.is_whole))
    return listed


def used_curve(reader: QueryReader, host: int, name: str) -> Interruptible[StepCurve | None]:
    """The bytes in use of a memory, by its name; None where there is none. Raises UsageError: they are too much."""
    curve = _CURVES.get(reader, (host, name))
    if curve is None:
        memories = yield from event_memories(reader, host)
        memory = next((memory for memory in memories if memory.name == name), None)
        if memory is not None:
            curve = _CURVES.keep(reader, (host, name), memory.used_curve(reader.end + 1))
    return curve


def _tracks(reader: QueryReader, host: int) -> list[int]:
    return [track for track in reader.tree.leaves(None) if _host(reader, track) == host]


def _host(reader: QueryReader, track: int) -> int:
    group: int | None = reader.tree.tracks[track].group
    while group is not None and reader.tree.groups[group].kind != "host":
        group = reader.tree.groups[group].parent
    return -1 if group is None else group


def _memories(reader: QueryReader, records: Records, host: int) -> list[MemoryPool]:
    """Each memory by itself."""
    arguments = records.arguments
    memories = []
    for code in np.unique(arguments.memory).tolist():
        rows = np.flatnonzero(arguments.memory == code)
        memory_arguments = arguments.take(rows)
        is_counted = bool((memory_arguments.heap < 0).any())
        heap = memory_arguments.heap
        if is_counted:
            change = np.cumsum(np.where(memory_arguments.is_free, -memory_arguments.size, memory_arguments.size))
            heap = change - min(0, int(change.min()))  # at least what is freed was there
        replaced = _replaced(memory_arguments.address)
        memories.append(
            MemoryPool(
                name=records.texts[code],
                host=host,
                start=records.start[rows],
                track=records.track[rows],
                ordinal=records.ordinal[rows],
                is_made=~memory_arguments.is_free,
                is_free=memory_arguments.is_free,
                stack=memory_arguments.stack,
                heap=heap,
                free=memory_arguments.free,
                active=np.broadcast_to(np.int64(-1), len(rows)),
                fragmentation=memory_arguments.fragmentation,
                lifetime=memory_arguments.lifetime,
                requested=memory_arguments.requested,
                size=memory_arguments.size,
                operation=memory_arguments.operation,
                region=memory_arguments.region,
                data_type=memory_arguments.data_type,
                shape=memory_arguments.shape,
                replaced=replaced,
                texts=records.texts,
                is_counted=is_counted,
                is_allocators=bool((memory_arguments.device >= 0).any()),
                capacity=_capacity(reader, records.track[rows], memory_arguments.device),
                has_addresses=bool(replaced.any()),
                owners=None if records.owners is None else records.owners.take(rows),
            )
        )
    return memories


def _capacity(reader: QueryReader, track: NDArray[np.int32], device: NDArray[np.int32]) -> int | None:
    """Bytes of the device by the files of these events; None: they do not say it, or are of devices that differ."""
    captures = pytorch_captures(reader)
    keys = np.unique(track.astype(np.int64) << 32 | (device.astype(np.int64) + 1)).tolist()
    places = {(reader.file_of(key >> 32), (key & 0xFFFFFFFF) - 1) for key in keys}
    capacities = {
        properties.memory_bytes
        if (capture := captures.get(file)) and (properties := capture.devices.get(number))
        else None
        for file, number in places
    }
    return capacities.pop() if len(capacities) == 1 else None


def _replaced(address: Ints) -> NDArray[np.int32]:
    """Index, by event, of the next one with its address; 0 of one without: nobody knows how long it lives."""
    order = np.argsort(address, kind="stable")
    next_event = np.full(len(address), len(address), np.int32)
    same = np.flatnonzero(np.diff(address[order]) == 0)
    next_event[order[same]] = order[same + 1]
    next_event[address == -1] = 0
    return next_event
