"""Memory that graphs are planned to need, `memory_usage_details_N.json`, as tables: graphs, their nodes and tensors.

MindSpore writes nodes as an object by name, or as a list; tensors as outputs of nodes, in `breakdowns`, or in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

FAMILY: Final = "memory_usage_details"

_LISTS: Final = frozenset({"nodes", "lines", "breakdowns"})
_DEEPEST: Final = 3  # lists in lists of `breakdowns`

MakeRow = Callable[[Mapping[str, Any]], dict[str, str]]
Text = Callable[[Any], str]


def is_planned_memory(value: Any) -> bool:
    """True for an object of graphs, each with its nodes."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(graph, dict) and isinstance(graph.get("nodes"), dict | list) for graph in value.values())
    )


def planned_tables(
    value: Mapping[str, Mapping[str, Any]], make_row: MakeRow, text: Text
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The tables by name. Rows have `graph`, nodes and points their `position` in the order of execution."""
    graphs, nodes, tensors, lines = (list[dict[str, str]]() for _ in range(4))
    for key, graph in value.items():
        graphs.append({"graph": key, **make_row({name: cell for name, cell in graph.items() if name not in _LISTS})})
        raw_nodes = graph["nodes"]
        named = raw_nodes.items() if isinstance(raw_nodes, dict) else (("", node) for node in raw_nodes)
        for position, (name, node) in enumerate(named):
            place = {"graph": key, "position": str(position)}
            if not isinstance(node, dict):
                continue
            outputs = node.get("outputs")
            cells = make_row({member: cell for member, cell in node.items() if member != "outputs"})
            nodes.append({"name": name, **cells, **place})
            source = nodes[-1]["name"]
            tensors += [{**row, "source": source, "graph": key} for row in _tensors(outputs, make_row, 0)]
        tensors += [{"source": "", **row, "graph": key} for row in _tensors(graph.get("breakdowns"), make_row, 0)]
        points = graph.get("lines")
        for position, used in enumerate(points if isinstance(points, list) else ()):
            lines.append({"graph": key, "position": str(position), "used": text(used)})
    yield from (("graphs", graphs), ("nodes", nodes), ("tensors", tensors), ("lines", lines))


def _tensors(value: Any, make_row: MakeRow, depth: int) -> Iterator[dict[str, str]]:
    """Objects in lists, at any depth that is written: those that say how long they live."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and "life_start" in entry:
            yield make_row(entry)
        elif isinstance(entry, list) and depth < _DEEPEST:
            yield from _tensors(entry, make_row, depth + 1)
