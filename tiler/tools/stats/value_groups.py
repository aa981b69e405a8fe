"""Groups of events that have the same value of an argument."""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Hashable
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Shape, decode_columns
from tilescope.tiler.query import ArgumentReader, QueryReader
from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.stats.groups import Groups
from tilescope.tiler.tools.value_column import ValueColumn

Ints = NDArray[np.int64]

MAX_VALUES: Final = 1_000_000

# Chunks of arguments whose groups are kept, of at most 8,192 events: pages come in another order than these.
_KEPT_CHUNKS: Final = 4096

_NO_VALUES: Final = Values(np.zeros(1, np.uint8), np.zeros(1, np.int64))
_IN_OBJECTS: Final = (ValueKind.TEXT, ValueKind.OTHER)


class ValueGroups:
    """Values of an argument by number, in the order in which they are found. Several threads may share it."""

    def __init__(self, reader: QueryReader, argument: str) -> None:
        self._arguments = ArgumentReader(reader.store)
        self._argument = argument
        self._lock = Lock()
        self._firsts: defaultdict[int, list[int]] = defaultdict(list)  # of what is kept, by track, ascending
        self._kept: dict[tuple[int, int], NDArray[np.int32]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._values: list[object] = []

    def groups(self) -> Groups:
        """As those of names and tracks."""
        return Groups(f"Values of {self._argument}", self._columns)

    def of_events(self, track: int, ordinals: Ints) -> NDArray[np.int32]:
        """The groups of some events of a track, whose ordinals ascend. Raises DamagedStore, UsageError: too many."""
        groups = np.zeros(len(ordinals), np.int32)
        position = 0
        while position < len(ordinals):
            first, numbers = self._around(track, int(ordinals[position]))
            stop = int(np.searchsorted(ordinals, first + len(numbers)))
            groups[position:stop] = numbers[ordinals[position:stop] - first]
            position = stop
        return groups

    def _around(self, track: int, ordinal: int) -> tuple[int, NDArray[np.int32]]:
        """The groups of the events of the chunk that has the arguments of an event, and the first of these."""
        with self._lock:
            firsts = self._firsts[track]
            chunk_index = bisect_right(firsts, ordinal) - 1
            if chunk_index >= 0 and ordinal < firsts[chunk_index] + len(kept := self._kept[track, firsts[chunk_index]]):
                return firsts[chunk_index], kept
        chunk = self._arguments.values_around(track, ordinal, [self._argument])
        if chunk is None:  # nor has any event behind it arguments
            return ordinal, np.broadcast_to(np.int32(self._number(ValueKind.ABSENT, _NO_VALUES, 0)), 1 << 40)
        numbers = self.of_values(chunk.values[0])
        with self._lock:
            if len(self._kept) >= _KEPT_CHUNKS:
                self._kept.clear()
                self._firsts.clear()
            if (track, chunk.which.start) not in self._kept:
                self._kept[track, chunk.which.start] = numbers
                insort(self._firsts[track], chunk.which.start)
        return chunk.which.start, numbers

    def of_values(self, values: Values) -> NDArray[np.int32]:
        """The groups of some values: one more for events without one."""
        groups = np.zeros(len(values), np.int32)
        for kind in np.unique(values.kind).tolist():
            rows = values.where(ValueKind(kind))
            _, first, inverse = np.unique(values.bits[rows], return_index=True, return_inverse=True)
            numbers = [self._number(ValueKind(kind), values, row) for row in rows[first].tolist()]
            groups[rows] = np.array(numbers, np.int32)[inverse]
        return groups

    def of_page(self, content: bytes, shape: Shape, first: int, tiles: Ints) -> NDArray[np.int32]:
        """Groups of all slices of a page. `tiles` are positions in the shape: slices of other tiles have any group."""
        page = decode_columns(content)
        groups = np.zeros(len(page.slices.ordinal), np.int32)
        for tile in np.unique(tiles - first).tolist():
            rows = slice(int(page.slice_ends[tile]), int(page.slice_ends[tile + 1]))
            ordinals = page.slices.ordinal[rows]
            order = np.argsort(ordinals, kind="stable")
            track = shape.block * TRACKS_PER_BLOCK + int(shape.slot[first + tile])
            of_tile = np.zeros(len(ordinals), np.int32)
            of_tile[order] = self.of_events(track, ordinals[order])
            groups[rows] = of_tile
        return groups

    def _number(self, kind: ValueKind, values: Values, row: int) -> int:
        value = None if kind in (ValueKind.ABSENT, ValueKind.NULL) else values.value(row)
        key: Hashable = (kind, json.dumps(value) if kind in _IN_OBJECTS else int(values.bits[row]))
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            key, value = None, None
        with self._lock:
            number = self._numbers.setdefault(key, len(self._values))
            if number == len(self._values):
                self._values.append(value)
                if number >= MAX_VALUES:
                    raise UsageError(f"{self._argument} has more than {MAX_VALUES:,} values: ask for fewer tracks")
            return number

    def _columns(self, numbers: Ints) -> list[Column]:
        values = Values(np.zeros(len(numbers), np.uint8), np.zeros(len(numbers), np.int64))
        values.put(range(len(numbers)), [self._values[number] for number in numbers.tolist()])
        gathered = ValueColumn()
        gathered.add(values)
        return [gathered.column(f"args.{self._argument}", self._argument)]
