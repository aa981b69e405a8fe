"""The memories of a run: read once, and kept for the next question as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.memory.pool import MemoryPool
from tilescope.tiler.facts.memory.records import Records, records_of
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

_MEMORIES: Final = KeyedRunCache[int, list[MemoryPool]]("memories", "Allocations in the memories of hosts and devices")


def hosts_of(reader: QueryReader, tracks: Sequence[int]) -> list[int]:
    """The groups of the hosts that these tracks are of, in the order of the track tree; -1 of tracks without."""
    return sorted({_host(reader, track) for track in tracks})


def memories_of(reader: QueryReader, host: int) -> Interruptible[list[MemoryPool]]:
    """The memories of a host, by name. Raises UsageError: they are too much.

    All its tracks are read for it: one thread frees what another one allocated.
    """
    memories = _MEMORIES.get(reader, host)
    if memories is None:
        tracks = [track for track in reader.tree.leaves(None) if _host(reader, track) == host]
        records = yield from records_of(reader, tracks)
        memories = _memories(records, host)
        yield
        _MEMORIES.keep(reader, host, memories)
    return memories


def _host(reader: QueryReader, track: int) -> int:
    group: int | None = reader.tree.tracks[track].group
    while group is not None and reader.tree.groups[group].kind != "host":
        group = reader.tree.groups[group].parent
    return -1 if group is None else group


def _memories(records: Records, host: int) -> list[MemoryPool]:
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
        memories.append(
            MemoryPool(
                name=records.texts[code],
                host=host,
                start=records.start[rows],
                track=records.track[rows],
                ordinal=records.ordinal[rows],
                is_free=memory_arguments.is_free,
                stack=memory_arguments.stack,
                heap=heap,
                free=memory_arguments.free,
                fragmentation=memory_arguments.fragmentation,
                lifetime=memory_arguments.lifetime,
                requested=memory_arguments.requested,
                size=memory_arguments.size,
                operation=memory_arguments.operation,
                region=memory_arguments.region,
                data_type=memory_arguments.data_type,
                shape=memory_arguments.shape,
                replaced=_replaced(memory_arguments.address),
                texts=records.texts,
                is_counted=is_counted,
            )
        )
    return sorted(memories, key=lambda memory: natural_key(memory.name))


def _replaced(address: Ints) -> NDArray[np.int32]:
    """Index, by event, of the next one with its address; 0 of one without: nobody knows how long it lives."""
    order = np.argsort(address, kind="stable")
    next_event = np.full(len(address), len(address), np.int32)
    same = np.flatnonzero(np.diff(address[order]) == 0)
    next_event[order[same]] = order[same + 1]
    next_event[address == -1] = 0
    return next_event
