"""Time of modules and annotations of PyTorch, as a tree: on threads, and of the work that they launch on devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.operations import framework_source
from tilescope.tiler.facts.stacks.frame_kinds import ANNOTATIONS, MODULES, StackFrameKind, frame_threads, short_module
from tilescope.tiler.facts.stacks.frame_tree import FrameNode, FrameTree, frame_tree
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.operations import asked_operations, time_facts
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope

FrameBy = Literal["module", "annotation"]

_KINDS: Final[dict[FrameBy, StackFrameKind]] = {"module": MODULES, "annotation": ANNOTATIONS}
_CATEGORIES: Final[dict[FrameBy, str]] = {"module": "python_function", "annotation": "user_annotation"}
_WORDS: Final[dict[FrameBy, tuple[str, str]]] = {
    "module": ("module", "modules"),
    "annotation": ("annotation", "annotations"),
}
_LACKING: Final[dict[FrameBy, str]] = {
    "module": "no module of PyTorch was recorded (with_stack=True or with_modules=True records them)",
    "annotation": "no annotation was recorded: torch.profiler.record_function writes them",
}
_MOST_ROWS: Final = 100_000


def recorded_kinds(reader: QueryReader) -> Sequence[FrameBy]:
    """The kinds of frames that a run has. Raises DamagedStore."""
    return [by for by, kind in _KINDS.items() if finish(frame_threads(reader, kind))]


def frames_answer(scope: Scope, question: FigureQuestion, by: FrameBy, limit: int) -> Interruptible[Answer]:
    """The tree of modules or annotations in a span or in steps."""
    device_operations = yield from asked_operations(scope, question, source=framework_source(scope.reader))
    windows = yield from scope.windows(question)
    tree = yield from frame_tree(scope.reader, _KINDS[by], scope.leaves(question.tracks), windows.on_track)
    yield
    singular, words = _WORDS[by]
    names = scope.reader.names.by_id({node.name for node in tree.nodes})
    texts = {number: short_module(name.text) for number, name in names.items()}
    calls = sum(node.calls for node in tree.nodes)
    facts = [
        Fact("calls", "Calls", calls, "count", f"of {words}, that start in the span"),
        Fact("names", words.capitalize(), len({node.name for node in tree.nodes}), "count", "by name"),
        *time_facts(device_operations),
        Fact(
            "outside",
            f"Device time outside {words}",
            tree.outside.work_own,
            "ticks",
            f"of work whose launch lies in no {singular}"
            + (": autograd runs the backward pass on a thread without modules" if by == "module" else ""),
        ),
    ]
    headline = _headline(scope, tree, texts, words) if tree.nodes else Note("info", _LACKING[by])
    order = _ordered(tree, limit)
    table = _table(scope, tree, order, texts, by)
    calls_text = plural(tree.too_deep, f"call of {words} is", f"calls of {words} are")
    deep = f"{calls_text} left out, too deep in others: their time counts in these"
    notes = [Note("warning", deep)] if tree.too_deep else []
    return Answer(facts, [table], notes=notes, headline=headline)


def _headline(scope: Scope, tree: FrameTree, texts: dict[int, str], words: str) -> Note:
    first = max(tree.nodes, key=lambda node: (node.work_own, node.own))
    tick_ps = scope.reader.tick_ps
    own = f"{duration_text(first.own, tick_ps)} on threads itself"
    text = f"{texts[first.name]} takes {own}, the most of all {words}"
    if first.work_own:
        launched = f"{duration_text(first.work_own, tick_ps)} of work on devices"
        text = f"{texts[first.name]} launches {launched} itself, the most of all {words}; it takes {own}"
    return Note("info", text, track=first.track if first.track >= 0 else None)


def _ordered(tree: FrameTree, limit: int) -> list[tuple[int, FrameNode]]:
    """Nodes, those with most work first, parents before their parts; of each the row of its parent, -1 none."""
    parts: dict[int, list[int]] = {}
    for place, node in enumerate(tree.nodes):
        parts.setdefault(node.parent, []).append(place)
    rows: list[tuple[int, FrameNode]] = []
    waiting = [(-1, -1)]  # place, row
    while waiting and len(rows) < _MOST_ROWS:
        place, row = waiting.pop()
        if place >= 0:
            rows.append((row, tree.nodes[place]))
            row = len(rows) - 1
        listed = sorted(
            parts.get(place, ()), key=lambda part: (-tree.nodes[part].work_total, -tree.nodes[part].total, part)
        )
        waiting += [(part, row) for part in reversed(listed[:limit])]
    return rows


def _table(
    scope: Scope, tree: FrameTree, rows: Sequence[tuple[int, FrameNode]], texts: dict[int, str], by: FrameBy
) -> Table:
    nodes = [node for _, node in rows]
    work = sum(node.work_own for node in tree.nodes) + tree.outside.work_own
    names = scope.reader.names.by_id({node.name for node in nodes})
    listed = {id(node) for node in nodes}
    others = [node for node in tree.nodes if id(node) not in listed]
    columns = [
        Column("name", _WORDS[by][0].capitalize(), "name", [texts[node.name] for node in nodes]),
        Column(
            "share",
            "Device share",
            "fraction",
            [node.work_total / work if work else None for node in nodes],
            total="none",
        ),
        Column("device_total", "Device total", "ticks", [node.work_total for node in nodes], total="none"),
        Column("device_self", "Device self", "ticks", [node.work_own for node in nodes]),
        Column("kernels", "Launches", "count", [node.work for node in nodes], total="none"),
        Column("calls", "Calls", "count", [node.calls for node in nodes]),
        Column("total", "Host total", "ticks", [node.total for node in nodes], total="none"),
        Column("self", "Host self", "ticks", [node.own for node in nodes]),
        Column("track", "Track", "track", [node.track if node.track >= 0 else None for node in nodes]),
        query_column((names[node.name].text for node in nodes), [_CATEGORIES[by]] * len(nodes)),
        Column("parent", "Parent", "id", [row for row, _ in rows]),
    ]
    return Table(
        "frames",
        f"By {_WORDS[by][0]}",
        columns,
        parent="parent",
        totals=_added(tree.nodes),
        rest=_added(others) if others else None,
        nested=("device_total", "kernels", "total"),
    )


def _added(nodes: Sequence[FrameNode]) -> dict[str, Value]:
    return {
        "calls": sum(node.calls for node in nodes),
        "self": sum(node.own for node in nodes),
        "device_self": sum(node.work_own for node in nodes),
    }
