"""Call trees weighed by work of devices, or by bytes that are allocated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.stacks.frame_tree import FrameNode
from tilescope.tiler.facts.stacks.weighted_stacks import allocation_stacks, device_stacks
from tilescope.tiler.query import NO_NAME, Interruptible, Name
from tilescope.tiler.schema import Kind
from tilescope.tiler.size_text import size_text
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.call_tree.depth_note import depth_note
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope

_NOTHING: Final = {
    "device": "no work of a device runs in this range",
    "bytes": "no allocation of PyTorch lies in this range (profile_memory=True records them)",
}


def weighted_answer(
    scope: Scope, question: FigureQuestion, weight: Literal["device", "bytes"], limit: int, depth: int
) -> Interruptible[Answer]:
    """The tree of the stacks in which work is launched, or memory allocated; a node has at most the weight above it."""
    windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    memories: list[str] = []
    if weight == "device":
        tree = yield from device_stacks(scope.reader, tracks, windows.on_track)
    else:
        tree, memories = yield from allocation_stacks(scope.reader, tracks, windows.on_track)
    yield
    whole = sum(node.work_own for node in tree.nodes)
    count = sum(node.work for node in tree.nodes if node.parent < 0)
    names = scope.reader.names.by_id({node.name for node in tree.nodes if node.name >= 0})
    names |= {-2 - place: Name(memory, "") for place, memory in enumerate(memories)} | {-1: NO_NAME}
    levels = [0] * len(tree.nodes)
    for place, node in enumerate(tree.nodes):
        levels[place] = 1 if node.parent < 0 else levels[node.parent] + 1
    # No part weighs more than what it is in: parents come first.
    order = sorted(range(len(tree.nodes)), key=lambda place: (-tree.nodes[place].work_total, place))
    order = [place for place in order if levels[place] <= depth][:limit]
    rows = {place: row for row, place in enumerate(order)}
    nodes = [tree.nodes[place] for place in order]
    kind: Kind = "ticks" if weight == "device" else "bytes"
    # What lies deeper than is listed counts above.
    own = _own(tree.nodes, rows, lambda node: node.work_total)
    counts = _own(tree.nodes, rows, lambda node: node.work)

    def shares(weights: list[int]) -> list[Value]:
        return [part / whole if whole else None for part in weights]

    totals = [node.work_total for node in nodes]
    columns = [
        Column("name", "Name", "name", [names[node.name].text for node in nodes]),
        Column("category", "Category", "text", [names[node.name].category for node in nodes]),
        Column("total", "Total", kind, totals, total="none"),
        Column("share", "Share", "fraction", shares(totals), total="none"),
        Column("self", "Self", kind, own),
        Column("self_share", "Self share", "fraction", shares(own)),
        Column("count", "Count", "count", counts),
        Column("calls", "Count with those below", "count", [node.work for node in nodes], total="none"),
        query_column(names[node.name].text if node.name >= 0 else None for node in nodes),
        Column("parent", "Parent", "id", [rows.get(node.parent, -1) for node in nodes]),
    ]
    table_sums: dict[str, Value] = {"self": whole, "count": count}
    rest: dict[str, Value] | None = None
    if len(nodes) < len(tree.nodes) and sum(counts) < count:
        rest = {"self": whole - sum(own), "count": count - sum(counts)}
    table = Table(
        "nodes", "Call tree", columns, parent="parent", totals=table_sums, rest=rest, nested=("total", "calls")
    )
    facts = [
        Fact("device_time", "Time of devices", whole, "ticks", "of work, stream by stream")
        if weight == "device"
        else Fact("allocated", "Allocated", whole, "bytes", "in all memories together"),
        Fact("weighed", "Kernels and copies" if weight == "device" else "Allocations", count, "count"),
        Fact("nodes", "Nodes", len(tree.nodes), "count", "different chains of names"),
        Fact("levels", "Levels", max(levels, default=0), "count", "of the deepest chain"),
    ]
    text = duration_text(whole, scope.reader.tick_ps) if weight == "device" else size_text(whole)
    what = f"{text} of work of devices is launched" if weight == "device" else f"{text} are allocated"
    headline = f"{what} in {len(tree.nodes):,} chains of names" if whole else _NOTHING[weight]
    return Answer(facts, [table], notes=depth_note(max(levels, default=0), depth), headline=Note("info", headline))


def _own(nodes: Sequence[FrameNode], rows: Mapping[int, int], total: Callable[[FrameNode], int]) -> list[int]:
    """Own figure of each node that is listed, with that of those below it that are not."""
    own = [total(nodes[place]) for place in rows]
    for place in rows:
        parent = nodes[place].parent
        if parent in rows:
            own[rows[parent]] -= total(nodes[place])
    return own
