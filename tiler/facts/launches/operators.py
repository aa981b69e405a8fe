"""Operators of PyTorch behind the work of a device: the innermost around the launch of each slice.

Threads of hosts record them as slices of categories of their own, called by namespace and name: `aten::mm`. They are
read by the chunks of launches of a stream, each once: memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.host_operations.naming import pytorch_type
from tilescope.tiler.facts.launches.launch_chunks import launch_chunks, launch_pairs
from tilescope.tiler.query import Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache, RunCache

Ints = NDArray[np.int64]

NO_OPERATOR: Final = -1

_CATEGORIES: Final = frozenset({"cpu_op", "operator"})  # by age of the profiler

_NAMES: Final = RunCache[NDArray[np.uint8]]("operator_names", "Names of operators of PyTorch")


@dataclass(frozen=True, slots=True)
class ChunkOperators:
    """Operators behind the slices of one chunk of launches, columns of shape (n,)."""

    ordinal: Ints  # of the slice, ascending
    operator: NDArray[np.int32]  # id of the name, or NO_OPERATOR


_OPERATORS: Final = KeyedRunCache[tuple[int, int], ChunkOperators](
    "launching_operators",
    "Operators that launch the slices of devices",
    lambda chunk: chunk.ordinal.nbytes + chunk.operator.nbytes,
)

# Slices of a host that are looked at together: five megabytes of columns.
_TOGETHER: Final = 1 << 16


def operator_names(reader: QueryReader) -> Interruptible[NDArray[np.uint8]]:
    """Mask of names of operators, that of events without one first. Raises DamagedStore."""
    names = _NAMES.get(reader)
    return _NAMES.keep(reader, (yield from reader.names.numbers(_is_operator))) if names is None else names


def _is_operator(name: Name) -> int:
    return int(name.category.lower() in _CATEGORIES and pytorch_type(name.text) != "")


class StreamOperators:
    """The operators behind the slices of a device's track. Raises DamagedStore, NotBuilt, StoredLast."""

    def __init__(self, reader: QueryReader, track: int) -> None:
        self._reader = reader
        self._track = track
        self._first = launch_chunks(reader, track).first

    def behind(self, ordinals: Ints) -> Interruptible[Ints]:
        """The id of the name of the operator behind each of these slices; NO_OPERATOR: none. Raises DamagedStore."""
        operators = np.full(len(ordinals), NO_OPERATOR)
        places = np.searchsorted(self._first, ordinals, side="right") - 1
        for place in np.unique(places[places >= 0]).tolist():
            chunk = yield from self._chunk(int(self._first[place]))
            rows = np.flatnonzero(places == place)
            in_chunk = np.minimum(np.searchsorted(chunk.ordinal, ordinals[rows]), len(chunk.ordinal) - 1)
            has_launch = chunk.ordinal[in_chunk] == ordinals[rows]
            operators[rows[has_launch]] = chunk.operator[in_chunk[has_launch]]
        return operators

    def _chunk(self, first: int) -> Interruptible[ChunkOperators]:
        key = self._track, first
        chunk = _OPERATORS.get(self._reader, key)
        if chunk is None:
            chunk = _OPERATORS.keep(self._reader, key, (yield from self._read_chunk(first)))
        return chunk

    def _read_chunk(self, first: int) -> Interruptible[ChunkOperators]:
        pairs = yield from launch_pairs(self._reader, self._track, first)
        if int(pairs.ordinal[-1]) >= self._reader.tree.tracks[self._track].events:
            raise DamagedStore(f"track {self._track} lacks slices that were launched")
        operator = np.full(len(pairs), NO_OPERATOR, np.int32)
        for host_track in np.unique(pairs.track).tolist():
            rows = np.flatnonzero(pairs.track == host_track)
            wanted, place = np.unique(pairs.launch[rows], return_inverse=True)
            operator[rows] = (yield from _innermost_of(self._reader, host_track, wanted))[place]
        return ChunkOperators(pairs.ordinal, operator)


def _innermost_of(reader: QueryReader, track: int, launches: Ints) -> Interruptible[NDArray[np.int32]]:
    """The name of the innermost operator that is a launch or around it, of each of these ordinals, each once."""
    if track >= len(reader.tree.tracks) or int(launches[-1]) >= reader.tree.tracks[track].events:
        raise DamagedStore(f"track {track} lacks slices that are launches")
    is_operator = yield from operator_names(reader)
    names = np.full(len(launches), NO_OPERATOR, np.int32)
    count = 0
    open_operators = no_events(track)  # the last of each depth: only these can reach into what follows
    for slices in _host_slices(reader, track, launches):
        place = np.minimum(np.searchsorted(launches, slices.ordinal), len(launches) - 1)
        is_launch = launches[place] == slices.ordinal
        operators = join([open_operators, slices.take(is_operator[slices.name + 1] != 0)])
        names[place[is_launch]] = _innermost(operators, slices.take(is_launch))
        count += int(is_launch.sum())
        _, last = np.unique(operators.row[::-1], return_index=True)
        open_operators = operators.take(np.sort(len(operators) - 1 - last))
        yield
    if count != len(launches):
        raise DamagedStore(f"track {track} lacks slices that are launches")
    return names


def _host_slices(reader: QueryReader, track: int, launches: Ints) -> Iterator[Events]:
    """The slices in all leaves in which launches start, and those that reach into them, in order; many together.

    Outliers too: an operator that lies far from the rest is around its launches all the same.
    """
    plan = reader.plan(track, reader.leaves_of(track, launches))
    parts: list[Events] = []
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events)
        if sum(map(len, parts)) >= _TOGETHER:
            yield join(parts)
            parts = []
    if parts:
        yield join(parts)


def _innermost(operators: Events, launches: Events) -> Ints:
    """The name of the innermost operator that is a launch or around it, of each launch. Both in order."""
    names = np.full(len(launches), NO_OPERATOR)
    for depth in np.unique(operators.row).tolist():
        around = operators.take(operators.row == depth)
        last = np.searchsorted(around.start, launches.start, side="right") - 1
        is_in = (last >= 0) & (launches.row > depth) & ((around.start + around.duration)[last] > launches.start)
        is_in |= (last >= 0) & (launches.row == depth) & (around.ordinal[last] == launches.ordinal)
        names[is_in] = around.name[last[is_in]]
    return names
