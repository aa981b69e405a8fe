"""The scopes of a model: what is in each, and what flows between its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tilescope.tiler.facts.model_graph import ModelGraph, Placement, placement


@dataclass(slots=True)
class ModelPart:
    """An operation or a scope that lies directly in another scope."""

    name: str  # the part of the name that the scope around it has not
    scope: str | None  # its whole name, if it is a scope
    op: str
    valid: int = 0
    invalid: int = 0
    elsewhere: int = 0

    @property
    def share(self) -> float | None:
        """Of the operations that are judged, those that a TPU can run."""
        judged = self.valid + self.invalid
        return self.valid / judged if judged else None


class Scopes:
    """Of one graph; `placements` are those of its nodes."""

    def __init__(self, graph: ModelGraph) -> None:
        self.graph = graph
        self.placements = [placement(node) for node in graph.nodes]
        self._part_of: dict[int, int] = {}

    def inside(self, scope: str) -> list[int]:
        """Places of the nodes in a scope, and of the one that has its name."""
        if not scope:
            return list(range(len(self.graph.nodes)))
        begin = f"{scope}/"
        return [at for at, node in enumerate(self.graph.nodes) if node.name.startswith(begin) or node.name == scope]

    def parts(self, scope: str) -> list[ModelPart]:
        """What lies directly in a scope, the largest first."""
        begin = f"{scope}/" if scope else ""
        found: dict[str, ModelPart] = {}
        of_node: dict[int, str] = {}
        for at in self.inside(scope):
            node = self.graph.nodes[at]
            rest = node.name.removeprefix(begin) or node.name
            name, is_scope, _ = rest.partition("/")
            part = found.setdefault(name, ModelPart(name, None, node.op))
            if is_scope:
                part.scope = begin + name
            of_node[at] = name
            match self.placements[at]:
                case Placement.VALID:
                    part.valid += 1
                case Placement.INVALID:
                    part.invalid += 1
                case Placement.ELSEWHERE:
                    part.elsewhere += 1
        ordered = sorted(found.values(), key=lambda of: (-(of.valid + of.invalid + of.elsewhere), of.name))
        for part in ordered:
            if part.scope is not None:
                part.op = "scope"
        places = {part.name: place for place, part in enumerate(ordered)}
        self._part_of = {at: places[name] for at, name in of_node.items()}
        return ordered

    def edges(self, parts: Sequence[ModelPart]) -> Counter[tuple[int, int]]:
        """How many inputs go from one part to another, of the parts that were made last."""
        found: Counter[tuple[int, int]] = Counter()
        for at, target in self._part_of.items():
            for source_node in self.graph.nodes[at].inputs:
                source = self._part_of.get(source_node)
                if source is not None and source != target and max(source, target) < len(parts):
                    found[source, target] += 1
        return found
