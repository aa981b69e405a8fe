"""The scopes of a model: what is in each, and what flows between its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.model_graph import ModelGraph, Placement, placement
from tilescope.tiler.query import Interruptible

_AT_ONCE: Final = 20_000  # nodes, or their inputs, between two turns

NOT_JUDGED: Final = "not judged"


@dataclass(slots=True)
class ModelPart:
    """An operation or a scope that lies directly in another scope."""

    name: str  # the part of the name that the scope around it has not
    scope: str | None  # its whole name, if it is a scope
    op: str
    device: str  # where somebody has placed the operation
    attributes: str | None = ""  # of the operation, a line for each; None: they were left out
    valid: int = 0
    invalid: int = 0
    elsewhere: int = 0

    @property
    def share(self) -> float | None:
        """Share of the judged operations that a TPU can run; None without any."""
        judged = self.valid + self.invalid
        return self.valid / judged if judged else None

    @property
    def verdict(self) -> str:
        """The share in words: "yes", "no", "in part", or "not judged" where all was placed elsewhere by hand."""
        if self.share is None:
            return NOT_JUDGED
        return "yes" if self.share == 1 else "no" if self.share == 0 else "in part"


def scopes_of(graph: ModelGraph) -> Interruptible[Scopes]:
    """The scopes of a graph."""
    placements: list[Placement] = []
    for node in graph.nodes:
        if len(placements) % _AT_ONCE == 0:
            yield
        placements.append(placement(node))
    return Scopes(graph, placements)


class Scopes:
    """Scopes of one graph; `placements` are those of its nodes."""

    def __init__(self, graph: ModelGraph, placements: Sequence[Placement]) -> None:
        self.graph = graph
        self.placements = placements
        self._part_of: dict[int, int] = {}

    def inside(self, scope: str) -> Interruptible[Sequence[int]]:
        """Places of the nodes in a scope, and of the one that has its name."""
        if not scope:
            return range(len(self.graph.nodes))
        begin = f"{scope}/"
        places = []
        for place, node in enumerate(self.graph.nodes):
            if place % _AT_ONCE == 0:
                yield
            if node.name.startswith(begin) or node.name == scope:
                places.append(place)
        return places

    def parts(self, scope: str, inside: Sequence[int]) -> Interruptible[list[ModelPart]]:
        """Parts that lie directly in a scope, the largest first; `inside`: places of all nodes in it."""
        begin = f"{scope}/" if scope else ""
        by_name: dict[str, ModelPart] = {}
        of_node: dict[int, str] = {}
        for place, node_place in enumerate(inside):
            if place % _AT_ONCE == 0:
                yield
            node = self.graph.nodes[node_place]
            rest = node.name.removeprefix(begin) or node.name
            name, is_scope, _ = rest.partition("/")
            part = by_name.setdefault(name, ModelPart(name, None, node.op, node.device, node.attributes))
            if is_scope:
                part.scope = begin + name
            of_node[node_place] = name
            match self.placements[node_place]:
                case Placement.VALID:
                    part.valid += 1
                case Placement.INVALID:
                    part.invalid += 1
                case Placement.ELSEWHERE:
                    part.elsewhere += 1
        ordered = sorted(by_name.values(), key=lambda part: (-(part.valid + part.invalid + part.elsewhere), part.name))
        for part in ordered:
            if part.scope is not None:
                part.op, part.device, part.attributes = "scope", "", ""
        yield
        places = {part.name: place for place, part in enumerate(ordered)}
        self._part_of = {node_place: places[name] for node_place, name in of_node.items()}
        return ordered

    def edges(self, parts: Sequence[ModelPart]) -> Interruptible[Counter[tuple[int, int]]]:
        """Numbers of inputs from one part to another, for the parts that were made last."""
        counts: Counter[tuple[int, int]] = Counter()
        work = 0
        for node_place, target in self._part_of.items():
            work += 1 + len(self.graph.nodes[node_place].inputs)
            if work >= _AT_ONCE:
                work = 0
                yield
            for source_node in self.graph.nodes[node_place].inputs:
                source = self._part_of.get(source_node)
                if source is not None and source != target and max(source, target) < len(parts):
                    counts[source, target] += 1
        return counts
