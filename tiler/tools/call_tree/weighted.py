"""Call trees weighed by work of devices, or by bytes that are allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.stacks.weighted_stacks import allocation_stacks, device_stacks
from tilescope.tiler.query import NO_NAME, Interruptible, Name
from tilescope.tiler.schema import Kind
from tilescope.tiler.size_text import size_text
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.call_tree.depth_note import depth_note
from tilescope.tiler.tools.call_tree.name_filter import chains_through
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope

_NOTHING: Final = {
    "device": "no work of a device runs in this range",
    "bytes": "no allocation of PyTorch lies in this range (profile_memory=True records them)",
}


def weighted_answer(
    scope: Scope,
    question: FigureQuestion,
    weight: Literal["device", "bytes"],
    through: str | None,
    limit: int,
    depth: int,
) -> Interruptible[Answer]:
    """The tree of the stacks in which work is launched, or memory allocated; a node has at most the weight above it.

    With `through` only chains of that name count.
    """
    windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    memories: list[str] = []
    if weight == "device":
        tree = yield from device_stacks(scope.reader, tracks, windows.on_track)
    else:
        tree, memories = yield from allocation_stacks(scope.reader, tracks, windows.on_track)
    yield
    names = scope.reader.names.by_id({node.name for node in tree.nodes if node.name >= 0})
    names |= {-2 - place: Name(memory, "") for place, memory in enumerate(memories)} | {-1: NO_NAME}
    parent = np.array([node.parent for node in tree.nodes], np.int64)
    is_named = [through is None or names[node.name].text == through for node in tree.nodes]
    chains = yield from chains_through(parent, np.array(is_named, np.bool_))
    weights = np.array([node.work_total for node in tree.nodes], object)
    work = np.array([node.work for node in tree.nodes], object)
    whole, count = chains.total(weights), chains.total(work)
    all_weights = yield from chains.sums(weights)
    all_work = yield from chains.sums(work)
    listed = chains.largest(all_weights, limit, depth)
    row_of = np.full(len(chains.kept) + 1, -1)
    row_of[listed] = np.arange(len(listed))
    parents = row_of[chains.parent[listed]].tolist()
    nodes = [tree.nodes[place] for place in chains.kept[listed].tolist()]
    totals, works = all_weights[listed].tolist(), all_work[listed].tolist()
    kind: Kind = "ticks" if weight == "device" else "bytes"
    # What lies deeper than is listed counts above.
    own, counts = _own(totals, parents), _own(works, parents)

    def shares(weights: list[int]) -> list[Value]:
        return [part / whole if whole else None for part in weights]

    columns = [
        Column("name", "Name", "name", [names[node.name].text for node in nodes]),
        Column("category", "Category", "text", [names[node.name].category for node in nodes]),
        Column("total", "Total", kind, totals, total="none"),
        Column("share", "Share", "fraction", shares(totals), total="none"),
        Column("self", "Self", kind, own),
        Column("self_share", "Self share", "fraction", shares(own)),
        Column("count", "Count", "count", counts),
        Column("calls", "Count with those below", "count", works, total="none"),
        query_column(names[node.name].text if node.name >= 0 else None for node in nodes),
        Column("parent", "Parent", "id", parents),
    ]
    levels = int(chains.level.max(initial=0))
    table_sums: dict[str, Value] = {"self": whole, "count": count}
    rest: dict[str, Value] | None = None
    if len(nodes) < len(chains.kept) and (sum(counts) < count or sum(own) < whole):
        rest = {"self": whole - sum(own), "count": count - sum(counts)}
    table = Table(
        "nodes", "Call tree", columns, parent="parent", totals=table_sums, rest=rest, nested=("total", "calls")
    )
    facts = [
        Fact("device_time", "Time of devices", whole, "ticks", "of work, stream by stream")
        if weight == "device"
        else Fact("allocated", "Allocated", whole, "bytes", "in all memories together"),
        Fact("weighed", "Kernels and copies" if weight == "device" else "Allocations", count, "count"),
        Fact("nodes", "Nodes", len(chains.kept), "count", "different chains of names"),
        Fact("levels", "Levels", levels, "count", "of the deepest chain"),
    ]
    text = duration_text(whole, scope.reader.tick_ps) if weight == "device" else size_text(whole)
    what = f"{text} of work of devices is launched" if weight == "device" else f"{text} are allocated"
    headline = f"{what} in {len(chains.kept):,} chains of names" if whole else _NOTHING[weight]
    return Answer(facts, [table], notes=depth_note(levels, depth), headline=Note("info", headline))


def _own(totals: Sequence[int], parents: Sequence[int]) -> list[int]:
    """Own figure of each node that is listed, with that of those below it that are not."""
    own = list(totals)
    for total, parent in zip(totals, parents, strict=True):
        if parent >= 0:
            own[parent] -= total
    return own
