"""The chain of names in which a slice lies, where it began before what was read: its parents may have ended since."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

# Leaves that are kept: those that hold the parents of slices which follow one another.
_LEAVES: Final = 16

# Slices whose parents are sought between two turns, where no leaf is read for them: a millisecond.
_SLICES: Final = 64


class _Slice(NamedTuple):
    ordinal: int
    start: int
    row: int
    name: int = -1  # not needed of the slice at the lower end


@dataclass(frozen=True, slots=True)
class _Leaf:
    span: TickRange
    events: Events


class LeafReads:
    """Leaves of one run, read whole, and the last few kept. For one question."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._reading = Reading(reader)
        self._leaves: deque[_Leaf] = deque(maxlen=_LEAVES)

    def outliers(self, track: int) -> frozenset[int]:
        """Ordinals of the slices of a track that are left out."""
        ordinals = None if self._reader.outliers is None else self._reader.outliers.ordinals(track)
        return frozenset() if ordinals is None else frozenset(ordinals.tolist())

    def slices(self, track: int, tick: int) -> Interruptible[Events]:
        """The slices of the leaf in which a tick lies. Yields after it was read. Raises DamagedStore."""
        for leaf in self._leaves:
            if leaf.events.track == track and leaf.span.start <= tick < leaf.span.stop:
                return leaf.events
        plan = self._reader.plan(track, Windows.single(tick, tick + 1))
        if not plan.leaf_runs:
            raise DamagedStore(f"track {track}: no leaf has tick {tick}")
        ((level, index),) = plan.places(plan.leaf_runs[0])
        width = 1 << (2 * level + 8)
        span = TickRange(index * width, (index + 1) * width)
        whole = self._reader.plan(track, Windows.single(*span))
        (events,) = self._reading.events_and_outliers(whole, whole.leaf_runs)
        self._leaves.append(_Leaf(span, events))
        yield
        return events


class Chains:
    """The nodes of a tree in which slices lie whose parents were not read. For one question.

    Each slice is looked up once as long as those of its track are asked for.
    """

    def __init__(self, tree: _native.CallTree, reads: LeafReads, root: Callable[[int], Sequence[int]]) -> None:
        self.tree = tree
        self._reads = reads
        self._root = root
        self._track = -1
        self._outliers: frozenset[int] = frozenset()  # of the track
        self._nodes: dict[int, int] = {}  # the node around a slice of the track, by its ordinal
        self._slices = 0

    def node_around(self, track: int, ordinal: int, start: int, row: int) -> Interruptible[int]:
        """The node of the names around a slice, without slices that are left out. Raises DamagedStore."""
        if track != self._track:
            self._track, self._outliers, self._nodes = track, self._reads.outliers(track), {}
        lower_end = _Slice(ordinal, start, row)
        path = [lower_end]
        while path[-1].row > 0 and path[-1].ordinal not in self._nodes:
            events = yield from self._reads.slices(track, path[-1].start)
            path.append(_parent(events, path[-1]))
            yield from self._turn()
        upper_end = path.pop()
        if upper_end.ordinal not in self._nodes:
            self._nodes[upper_end.ordinal] = self.tree.node(np.array(self._root(track), np.int64))
        parent, node = upper_end, self._nodes[upper_end.ordinal]
        for child in reversed(path):
            if parent.ordinal not in self._outliers:
                node = self.tree.node(np.array([parent.name], np.int64), node)
            self._nodes[child.ordinal] = node
            parent = child
            yield from self._turn()
        return node

    def _turn(self) -> Interruptible[None]:
        self._slices += 1
        if self._slices % _SLICES == 0:
            yield


def _parent(events: Events, child: _Slice) -> _Slice:
    above = (events.row == child.row - 1) & (events.ordinal < child.ordinal)
    above &= events.start + events.duration > child.start
    positions = np.flatnonzero(above)
    if len(positions) != 1:
        text = f"track {events.track}: nothing is above event {child.ordinal}, which is on row {child.row}"
        raise DamagedStore(text)
    columns = (events.ordinal, events.start, events.row, events.name)
    return _Slice(*(int(column[positions[0]]) for column in columns))
