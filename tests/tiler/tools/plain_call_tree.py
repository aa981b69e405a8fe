"""Call trees in plain Python: rows by first fit, parents by rows, and each tick to the slice that started last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tests.example import PlainEvent

Chain = tuple[str, ...]
Window = tuple[int, int]


@dataclass
class PlainNode:
    """Sums over the slices of one chain of names."""

    self: int = 0
    count: int = 0


@dataclass(frozen=True)
class PlainSlice:
    start: int
    end: int
    chain: Chain
    is_left_out: bool


class PlainTrack:
    """The slices of a track with their chains, and the spans of time that are one slice's.

    Slices that are left out, by their ordinals, stand in no chain, and no other slice has their time.
    """

    def __init__(self, events: Iterable[PlainEvent], left_out: Collection[int] = ()) -> None:
        self.slices: list[PlainSlice] = []
        rows: list[PlainSlice] = []
        in_order = sorted(events, key=lambda event: (event.start, -event.duration))
        for ordinal, event in enumerate(in_order):
            row = next((row for row, other in enumerate(rows) if other.end <= event.start), len(rows))
            above = rows[row - 1].chain if row > 0 else ()
            is_left_out = ordinal in left_out
            chain = above if is_left_out else (*above, event.name)
            new = PlainSlice(event.start, event.start + event.duration, chain, is_left_out)
            rows[row : row + 1] = [new]
            self.slices.append(new)
        self.owned = [(start, end, owner.chain) for start, end, owner in self._owned() if not owner.is_left_out]

    def _owned(self) -> Iterable[tuple[int, int, PlainSlice]]:
        running: list[PlainSlice] = []
        now = 0
        for started in [*self.slices, None]:
            tick = 1 << 62 if started is None else started.start
            while running:
                until = min(running[-1].end, tick)
                if until > now:
                    yield now, until, running[-1]
                    now = until
                if running[-1].end > tick:
                    break
                running.pop()
            now = max(now, tick)
            if started is not None:
                running.append(started)

    def add(self, nodes: defaultdict[Chain, PlainNode], windows: Sequence[Window], root: Chain = ()) -> None:
        """Adds what lies in windows to the nodes of a tree."""
        for first, stop in windows:
            for plain_slice in self.slices:
                if first <= plain_slice.start < stop and not plain_slice.is_left_out:
                    nodes[root + plain_slice.chain].count += 1
            for start, end, chain in self.owned:
                ticks = min(end, stop) - max(start, first)
                if ticks > 0:
                    nodes[root + chain].self += ticks


def plain_tree(nodes: dict[Chain, PlainNode]) -> dict[Chain, tuple[int, int, int, int]]:
    """Total, self, count and calls of each chain, those above included."""
    tree: defaultdict[Chain, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for chain, node in nodes.items():
        if not node.self and not node.count:
            continue
        for length in range(1, len(chain) + 1):
            tree[chain[:length]][0] += node.self
            tree[chain[:length]][3] += node.count
        tree[chain][1] += node.self
        tree[chain][2] += node.count
    return {chain: (total, own, count, calls) for chain, (total, own, count, calls) in tree.items()}
