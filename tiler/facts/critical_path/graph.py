"""Graph of the ticks at which work of some lanes begins and ends, and what each waits for.

A node is a tick of a lane: a thread or a stream. On its lane it follows the node before; links say what else it waits
for. What ends last of all this binds it: the path is what binds, from the end of the span back to its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.query import Interruptible

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

ENDLESS: Final = np.iinfo(np.int64).max

_RUNS_BETWEEN: Final = 10_000  # runs of the path on one lane, between two places where its search may stop: 10 ms


@dataclass(frozen=True, slots=True)
class GraphLane:
    """Spans of work of a lane that follow one another, shape (n,), ticks; `is_waiting`: their ends may be bound."""

    start: Ints
    stop: Ints
    is_waiting: Mask


@dataclass(frozen=True, slots=True)
class GraphLinks:
    """Links between lanes, columns of shape (n,): a tick of a lane waits for one of another. `kind` is the caller's."""

    lane: Ints
    tick: Ints
    source_lane: Ints
    source_tick: Ints
    kind: Ints

    @classmethod
    def joined(cls, parts: Sequence[GraphLinks]) -> GraphLinks:
        """All of them."""
        none = np.zeros(0, np.int64)
        return cls(*(np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in cls.__slots__))

    def take(self, which: Ints | Mask) -> GraphLinks:
        """Some of them."""
        return GraphLinks(*(getattr(self, name)[which] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class GraphPath:
    """Pieces of a path that follow one another, columns of shape (n,), ticks; their lengths add up to the span.

    `lane` and `span`: where a piece lies, and the place of the span of work that it is; -1: none. `kind`: that of the
    link by which it follows the piece before, 0: it is next on its lane. `slack` of each span of each lane: ticks by
    which its end could come later without the end of the path; ENDLESS: nothing waits for it.
    """

    start: Ints
    stop: Ints
    lane: Ints
    span: Ints
    kind: Ints
    source_lane: Ints
    slack: Sequence[Ints]


def graph_path(lanes: Sequence[GraphLane], links: GraphLinks, start: int, stop: int) -> Interruptible[GraphPath]:
    """The path of the span [start, stop), in which all spans and ticks of links lie.

    Where several bind at one tick, links of the later lanes count. A link from after the tick that waits is ignored;
    so is one from its very tick unless work ends there, and one to a tick before which work goes on.
    """
    nodes = yield from _Nodes.from_lanes(lanes, links, start)
    count = len(nodes.tick)
    source = yield from nodes.numbers(links.source_lane, links.source_tick)
    target = yield from nodes.numbers(links.lane, links.tick)
    is_before = nodes.tick[source] < nodes.tick[target] + nodes.works[source]
    may_bind = is_before & ~nodes.works[target] & (nodes.before[target] >= 0)
    source, target, kind = source[may_bind], target[may_bind], links.kind[may_bind]
    yield

    bind, bind_kind = nodes.before.copy(), np.zeros(count, np.int64)
    order = np.lexsort((source, nodes.tick[source], target))
    last = order[np.append(np.diff(target[order]) != 0, True)] if len(order) else order
    last = last[nodes.tick[source[last]] > nodes.tick[bind[target[last]]]]
    bind[target[last]], bind_kind[target[last]] = source[last], kind[last]
    yield

    # Whatever ends last ends the path.
    ends = np.array([nodes.last_work(lane) for lane in range(len(lanes))], np.int64)
    final = int(ends[np.lexsort((ends, nodes.tick[ends]))[-1]]) if len(ends) else -1
    slack = yield from _slack(nodes, bind, source, target, ends, final)

    steps = yield from _back(bind, final)
    node, source_node = steps[:-1][::-1], steps[1:][::-1]
    end = int(nodes.tick[final]) if final >= 0 else start
    none = np.full(int(end < stop), -1)  # a piece in which there is nothing
    begins, stops = np.append(nodes.tick[source_node], none + end + 1), np.append(nodes.tick[node], none + stop + 1)
    lasts = stops > begins
    return GraphPath(
        begins[lasts],
        stops[lasts],
        np.append(nodes.lane[node], none)[lasts],
        np.append(nodes.span[node], none)[lasts],
        np.append(bind_kind[node], none + 1)[lasts],
        np.append(nodes.lane[source_node], none)[lasts],
        [slack[nodes.of_lane(number, lane.stop)] for number, lane in enumerate(lanes)],
    )


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes lane by lane, in each by their ticks; columns of shape (n,)."""

    tick: Ints
    lane: Ints
    before: Ints  # the node before on its lane, -1 none
    span: Ints  # place of the span that lies before it, -1 none
    works: Mask  # work lies before it, so that nothing else binds it
    first: Ints  # node of each lane, shape (lanes + 1,)

    @classmethod
    def from_lanes(cls, lanes: Sequence[GraphLane], links: GraphLinks, start: int) -> Interruptible[_Nodes]:
        """The nodes of all spans and links, and one of each lane at the start."""
        ticks, befores, spans, works = [], [], [], []
        by_lane = []
        for lane_column, tick_column in ((links.lane, links.tick), (links.source_lane, links.source_tick)):
            order, first = _by_number(lane_column, len(lanes))
            by_lane.append((tick_column[order], first))
            yield
        for number, lane in enumerate(lanes):
            linked = [tick[first[number] : first[number + 1]] for tick, first in by_lane]
            tick = np.unique(np.concatenate([np.array([start]), lane.start, lane.stop, *linked]))
            yield
            span = np.full(len(tick), -1)
            if len(lane.start):
                place = np.maximum(np.searchsorted(lane.start, tick[:-1], side="right") - 1, 0)
                has_span = (lane.start[place] <= tick[:-1]) & (lane.stop[place] > tick[:-1])
                span[1:] = np.where(has_span, place, -1)
            is_work = span >= 0
            is_work[is_work] = ~lane.is_waiting[span[is_work]]
            ticks.append(tick)
            spans.append(span)
            works.append(is_work)
            yield
        first = np.cumsum([0, *map(len, ticks)])
        befores = [
            np.append(-1, np.arange(begin, begin + len(tick) - 1))
            for begin, tick in zip(first[:-1].tolist(), ticks, strict=True)
        ]
        none = np.zeros(0, np.int64)
        return cls(
            np.concatenate([none, *ticks]),
            np.repeat(np.arange(len(lanes)), np.diff(first)),
            np.concatenate([none, *befores]),
            np.concatenate([none, *spans]),
            np.concatenate([none.astype(np.bool_), *works]),
            first,
        )

    def of_lane(self, lane: int, ticks: Ints) -> Ints:
        """The nodes at ticks of a lane, which has them."""
        begin, end = self.first[lane], self.first[lane + 1]
        numbers: Ints = begin + np.searchsorted(self.tick[begin:end], ticks)
        return numbers

    def numbers(self, lane: Ints, tick: Ints) -> Interruptible[Ints]:
        """The nodes at ticks of lanes, which have them."""
        numbers = np.zeros(len(tick), np.int64)
        order, first = _by_number(lane, len(self.first) - 1)
        yield
        for number in np.flatnonzero(np.diff(first)).tolist():
            rows = order[first[number] : first[number + 1]]
            numbers[rows] = self.of_lane(number, tick[rows])
            yield
        return numbers

    def last_work(self, lane: int) -> int:
        """The node at which the last span of a lane ends; its first node where it has none."""
        begin, end = self.first[lane], self.first[lane + 1]
        with_span = np.flatnonzero(self.span[begin:end] >= 0)
        return int(begin + with_span[-1]) if len(with_span) else int(begin)


def _by_number(numbers: Ints, count: int) -> tuple[Ints, Ints]:
    """Rows by their number, which is less than `count`; and where those of each begin, shape (count + 1,)."""
    order = np.argsort(numbers, kind="stable")
    return order, np.searchsorted(numbers[order], np.arange(count + 1))


def _back(bind: Ints, final: int) -> Interruptible[Ints]:
    """The nodes of the path, from the last to the first. It goes back along a lane, node by node, and leaves it."""
    place = np.arange(len(bind))
    leave = np.maximum.accumulate(np.where((bind != place - 1) | (bind < 0), place, 0))  # where a run of each ends
    runs: list[tuple[int, int]] = []
    node = final
    while node >= 0:
        end = int(leave[node])
        runs.append((node, end))
        node = int(bind[end])
        if len(runs) % _RUNS_BETWEEN == 0:
            yield
    last, first = np.array(runs, np.int64).reshape(-1, 2).T
    counts = last - first + 1
    return np.repeat(last + np.cumsum(counts) - counts, counts) - np.arange(counts.sum())


def _slack(nodes: _Nodes, bind: Ints, source: Ints, target: Ints, ends: Ints, final: int) -> Interruptible[Ints]:
    """Slack of each node: how much later it may be before the end of the path is."""
    if final < 0:
        return np.zeros(0, np.int64)
    # At one tick, work ends before what waits for it goes on. Lanes are runs in order, which a stable sort merges.
    order = np.argsort(2 * nodes.tick + ~nodes.works, kind="stable")
    yield
    rank = np.append(np.zeros(len(order), np.int64), len(order))
    rank[order] = np.arange(len(order))
    follows = np.flatnonzero(nodes.before >= 0)
    sources = np.concatenate([nodes.before[follows], source, ends])
    targets = np.concatenate([follows, target, np.full(len(ends), len(nodes.tick))])
    bound = np.append(nodes.tick[bind], nodes.tick[final])
    waits = bound[targets] - nodes.tick[sources]
    sources, targets = rank[sources], rank[targets]
    yield
    by_source = np.argsort(sources, kind="stable")
    yield
    slack: Ints = _native.least_slack(sources[by_source], targets[by_source], waits[by_source], len(nodes.tick) + 1)
    yield
    of_nodes: Ints = slack[rank[:-1]]
    return of_nodes
