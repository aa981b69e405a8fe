"""The graph of a critical path against plain Python: what binds, the pieces, and slack."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.critical_path.graph import ENDLESS, GraphLane, GraphLinks, GraphPath, graph_path
from tilescope.tiler.query import finish

LENGTH = 40

Node = tuple[int, int]  # lane, tick


@dataclass(frozen=True)
class Case:
    """Lanes of spans (start, stop, waits), and links (lane, tick, source lane, source tick, kind)."""

    lanes: list[list[tuple[int, int, bool]]]
    links: list[tuple[int, int, int, int, int]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    lanes = []
    for _ in range(draw(st.integers(0, 4))):
        ticks = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=10)))
        waits = draw(st.lists(st.booleans(), min_size=len(ticks), max_size=len(ticks)))
        lanes.append([(ticks[k], ticks[k + 1], waits[k]) for k in range(0, len(ticks) - 1, draw(st.integers(1, 2)))])
    link = st.tuples(
        st.integers(0, max(len(lanes) - 1, 0)),
        st.integers(0, LENGTH),
        st.integers(0, max(len(lanes) - 1, 0)),
        st.integers(0, LENGTH),
        st.integers(1, 3),
    )
    links = draw(st.lists(link, max_size=12)) if lanes else []
    return Case(lanes, [each for each in links if each[0] != each[2]])


def path_of(case: Case) -> GraphPath:
    lanes = [
        GraphLane(
            np.array([start for start, _, _ in lane], np.int64),
            np.array([stop for _, stop, _ in lane], np.int64),
            np.array([waits for _, _, waits in lane], np.bool_),
        )
        for lane in case.lanes
    ]
    columns = np.array(case.links, np.int64).reshape(-1, 5).T
    return finish(graph_path(lanes, GraphLinks(*columns), 0, LENGTH))


class Plain:
    """The same, node by node."""

    def __init__(self, case: Case) -> None:
        self.case = case
        ticks: dict[int, set[int]] = {number: {0} for number in range(len(case.lanes))}
        for number, spans in enumerate(case.lanes):
            ticks[number] |= {tick for start, stop, _ in spans for tick in (start, stop)}
        for lane, tick, source_lane, source_tick, _ in case.links:
            ticks[lane].add(tick)
            ticks[source_lane].add(source_tick)
        self.before: dict[Node, Node] = {}
        for number, own in ticks.items():
            ordered = sorted(own)
            self.before |= {(number, tick): (number, last) for last, tick in pairwise(ordered)}
        self.nodes = [(number, tick) for number, own in ticks.items() for tick in own]
        self.waits: dict[Node, list[Node]] = defaultdict(list)
        for lane, tick, source_lane, source_tick, _ in case.links:
            node, source = (lane, tick), (source_lane, source_tick)
            is_before = source_tick < tick or (source_tick == tick and self.works(source))
            if is_before and not self.works(node) and node in self.before:
                self.waits[node].append(source)
        self.ends = [
            max([(number, stop) for _, stop, _ in lane], default=(number, 0), key=lambda node: node[1])
            for number, lane in enumerate(case.lanes)
        ]
        self.final = max(self.ends, key=lambda node: (node[1], node[0]), default=None)

    def span(self, node: Node) -> tuple[int, bool] | None:
        """Place of the span before a node, and whether it is work that nothing else binds."""
        if node not in self.before:
            return None
        last = self.before[node][1]
        for place, (start, stop, waits) in enumerate(self.case.lanes[node[0]]):
            if start <= last < stop:
                return place, not waits
        return None

    def works(self, node: Node) -> bool:
        span = self.span(node)
        return span is not None and span[1]

    def bind(self, node: Node) -> Node | None:
        last = self.before.get(node)
        if last is None:
            return None
        source = max(self.waits[node], key=lambda source: (source[1], source[0]), default=None)
        return last if source is None or source[1] <= last[1] else source

    def lengths(self) -> list[tuple[int, int, int]]:
        """Start, stop and lane of the pieces."""
        pieces, node = [], self.final
        while node is not None and (source := self.bind(node)) is not None:
            pieces.append((source[1], node[1], node[0]))
            node = source
        pieces.reverse()
        end = 0 if self.final is None else self.final[1]
        pieces.append((end, LENGTH, -1))
        return [piece for piece in pieces if piece[0] < piece[1]]

    def slack(self) -> dict[Node, int]:
        """By how much each node may be later: found by trying, node by node, what waits for it."""
        follows: dict[Node, list[tuple[Node, int]]] = defaultdict(list)
        for node, last in self.before.items():
            bound = self.bind(node)
            assert bound is not None
            for source in [last, *self.waits[node]]:
                follows[source].append((node, bound[1] - source[1]))
        slack: dict[Node, int] = {}
        order = sorted(self.nodes, key=lambda node: (node[1], not self.works(node)), reverse=True)
        for node in order:
            ways = [slack[target] + wait for target, wait in follows[node] if slack[target] < ENDLESS]
            if node in self.ends:
                assert self.final is not None
                ways.append(self.final[1] - node[1])
            slack[node] = min(ways, default=ENDLESS)
        return slack


@given(cases())
@settings(max_examples=examples(500), deadline=None)
def test_as_plain_python(case: Case) -> None:
    path, plain = path_of(case), Plain(case)
    assert list(zip(path.start.tolist(), path.stop.tolist(), path.lane.tolist(), strict=True)) == plain.lengths()
    slack = plain.slack()
    for number, lane in enumerate(case.lanes):
        assert path.slack[number].tolist() == [slack[number, stop] for _, stop, _ in lane]


@given(cases())
@settings(max_examples=examples(500), deadline=None)
def test_pieces_add_up_to_the_span(case: Case) -> None:
    path = path_of(case)
    assert path.start.tolist() == [0, *path.stop.tolist()[:-1]]
    assert int((path.stop - path.start).sum()) == LENGTH


def test_work_on_the_path_has_no_slack() -> None:
    case = Case([[(0, 10, False), (30, 40, False)], [(12, 30, False)]], [(1, 12, 0, 10, 1), (0, 30, 1, 30, 2)])
    path = path_of(case)
    assert path.lane.tolist() == [0, 1, 1, 0]
    assert path.kind.tolist() == [0, 1, 0, 0]
    assert [slack.tolist() for slack in path.slack] == [[0, 0], [0]]


def test_what_lies_beside_has_slack() -> None:
    path = path_of(Case([[(0, 10, False), (30, 40, False)], [(12, 25, False)]], [(1, 12, 0, 10, 1), (0, 30, 1, 25, 2)]))
    assert [slack.tolist() for slack in path.slack] == [[0, 0], [0]]
    beside = path_of(Case([[(0, 40, False)], [(12, 25, False)]], [(1, 12, 0, 0, 1)]))
    assert [slack.tolist() for slack in beside.slack] == [[0], [15]]
