"""To which steps events of other threads and devices belong: what begins in a step may go on elsewhere.

An event belongs to the step that it lies in, or to that of an event which it lies in and which takes up what another
one has handed on: a producer and its consumers have equal keys. Events that take something up, and those that are
steps, are *nodes*; all others belong where the innermost node around them does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible

Ints = NDArray[np.int64]

# Keys with so many on both sides say nothing: all would belong to one step.
_MANY: Final = 64

_ROUNDS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of one track, columns of shape (n,), outer ones first: by start, longer first."""

    start: Ints
    stop: Ints
    step: Ints  # -1 not known
    parent: Ints  # place of the innermost node around it, -1 none

    @classmethod
    def from_unordered(cls, start: Ints, stop: Ints, step: Ints) -> Nodes:
        """From nodes in any order."""
        order = np.lexsort((-stop, start))
        start, stop, step = start[order], stop[order], step[order]
        parents: list[int] = []
        around: list[tuple[int, int]] = []
        for index, end in enumerate(stop.tolist()):
            while around and around[-1][1] < end:  # it has ended, or only overlaps
                around.pop()
            parents.append(around[-1][0] if around else -1)
            around.append((index, end))
        return cls(start, stop, step, np.array(parents, np.int64))

    @classmethod
    def apart(cls, start: Ints, stop: Ints) -> Nodes:
        """From nodes in the order of a track, none of which lies in another."""
        none = np.full(len(start), -1)
        return cls(start, stop, none, none)

    def around(self, start: Ints, stop: Ints) -> Ints:
        """The innermost node in which each of these spans lies, -1 none."""
        innermost = np.searchsorted(self.start, start, side="right") - 1
        outside = np.flatnonzero(innermost >= 0)
        while len(outside := outside[self.stop[innermost[outside]] < stop[outside]]):
            innermost[outside] = self.parent[innermost[outside]]
            outside = outside[innermost[outside] >= 0]
        return innermost


@dataclass(slots=True)
class Spreading:
    """Takes the nodes of tracks and what goes between them, and says to which step each belongs."""

    _nodes: dict[int, Nodes] = field(default_factory=dict)
    _first: dict[int, int] = field(default_factory=dict)  # of each track the number of its first node
    _count: int = 0
    _makes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)  # kind and id of keys, and the node
    _takes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)

    def add(self, track: int, nodes: Nodes) -> int:
        """Takes those of a track; returns the number of the first."""
        self._nodes[track] = nodes
        self._first[track] = self._count
        self._count += len(nodes.start)
        return self._first[track]

    def makes(self, kind: Ints, id_: Ints, node: Ints) -> None:
        """Nodes in which something with these keys is handed on."""
        self._makes.append((kind[node >= 0], id_[node >= 0], node[node >= 0]))

    def takes(self, kind: Ints, id_: Ints, node: Ints) -> None:
        """Nodes that take it up."""
        self._takes.append((kind, id_, node))

    def steps(self) -> Interruptible[dict[int, Ints]]:
        """Steps of the nodes of each track, -1 none: of several that lead to one, the nearest."""
        source, target, hubs = self._edges()
        initial_steps = [np.zeros(0, np.int64), *(nodes.step for nodes in self._nodes.values()), np.full(hubs, -1)]
        step = np.concatenate(initial_steps)
        order = np.argsort(source, kind="stable")
        source, target = source[order], target[order]
        reached = np.flatnonzero(step >= 0)
        rounds = 0
        while len(reached):
            first, last = (np.searchsorted(source, reached, side=side) for side in ("left", "right"))
            counts = last - first
            edges = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
            to, source_steps = target[edges], np.repeat(step[reached], counts)
            new = step[to] < 0
            to, source_steps = to[new], source_steps[new]
            step[to[::-1]] = source_steps[::-1]  # the first one counts
            reached = np.unique(to)
            rounds += 1
            if rounds % _ROUNDS_AT_ONCE == 0:
                yield
        yield
        return {track: step[first : first + len(self._nodes[track].start)] for track, first in self._first.items()}

    def _edges(self) -> tuple[Ints, Ints, int]:
        """From nodes to those in them, and by way of a hub for each key to those that take up what they hand on."""
        sources, targets = [], []
        for track, nodes in self._nodes.items():
            inner = np.flatnonzero(nodes.parent >= 0)
            sources.append(nodes.parent[inner] + self._first[track])
            targets.append(inner + self._first[track])
        makers, takers = _joined(self._makes), _joined(self._takes)
        kind, id_ = (
            np.concatenate([makers_column, takers_column])
            for makers_column, takers_column in zip(makers[:2], takers[:2], strict=True)
        )
        order = np.lexsort((id_, kind))
        key = np.zeros(len(order), np.int64)
        key[order[1:]] = np.cumsum((np.diff(kind[order]) != 0) | (np.diff(id_[order]) != 0))
        hubs = int(key.max()) + 1 if len(key) else 0
        made, taken = key[: len(makers[2])], key[len(makers[2]) :]
        used = (np.bincount(made, minlength=hubs) < _MANY) | (np.bincount(taken, minlength=hubs) < _MANY)
        sources += [makers[2][used[made]], taken[used[taken]] + self._count]
        targets += [made[used[made]] + self._count, takers[2][used[taken]]]
        return np.concatenate(sources), np.concatenate(targets), hubs


def _joined(columns: list[tuple[Ints, Ints, Ints]]) -> list[Ints]:
    none = np.zeros(0, np.int64)
    return [np.concatenate([none, *(part[column] for part in columns)]) for column in range(3)]
