"""Where the time of devices goes, as a tree of their operations, and how well each part uses the device."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.facts.hlo import parts_ahead
from tilescope.tiler.facts.operations import OpTable, operation_source
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.query import Steps
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, Value
from tilescope.tiler.tools.contract import Contract, Same
from tilescope.tiler.tools.op_profile.layouts import NO_LAYOUT, KnownLayout, known_layouts
from tilescope.tiler.tools.op_profile.listable import listable_operations
from tilescope.tiler.tools.op_profile.tree import By, Node, tree
from tilescope.tiler.tools.operation_notes import operation_notes
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations, asked_operations, availability, time_facts
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_PARTS: Final = 1000
DEFAULT_PARTS: Final = 100
MAX_ROWS: Final = 100_000

_HLO: Final = "hlo/"  # names of attachments that hold programs


class OpProfileQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of TPU cores or GPUs in a span or in steps."""

    by: Annotated[
        By,
        Meta(
            description="What the tree is made of: programs and their categories, categories alone, or programs and "
            "the path in the framework that operations come from."
        ),
    ] = "program"
    with_idle: Annotated[
        bool, Meta(description="Whether shares are of all time, or of that in which devices work.")
    ] = True
    limit: Annotated[int, Meta(ge=1, le=MAX_PARTS, description="The most parts of one that are listed.")] = (
        DEFAULT_PARTS
    )
    cover: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Of each the greatest parts are listed, until they make up so many percent of its time.",
        ),
    ] = 100


def _answer(scope: Scope, question: OpProfileQuestion) -> Steps[Answer]:
    # For the costs of operations of GPUs whole programs are parsed.
    ahead = nullcontext() if operation_source(scope.reader).is_gpu else (yield from parts_ahead(scope.reader))
    with ahead:
        return (yield from _asked(scope, question))


def _asked(scope: Scope, question: OpProfileQuestion) -> Steps[Answer]:
    asked = yield from asked_operations(scope, question)
    names = {**asked.table.program_names, **_program_names(scope)}
    key = question.by, question.limit, asked.source.id, tuple(sorted(names.items()))
    found = _TREES.get(asked.table, key)
    if found is None:
        few = listable_operations(asked.table, question.by, names, question.limit)
        yield
        root, said = tree(few.operations, question.by, names, few.rests, few.copies), list[Note]()
        yield
        found = _Known(
            root, (yield from known_layouts(asked.source.instructions(scope.reader), asked.table, root, said)), said
        )
        _TREES.keep(asked.table, key, found)
    notes = [*asked.notes, *operation_notes(asked), *(note for note in found.notes if note not in asked.notes)]
    rows = list(_rows(found.root, question.limit, question.cover))
    yield
    return Answer(
        time_facts(asked),
        [_table(asked, rows, found.layouts, with_idle=question.with_idle)] if asked.table.cores else [],
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """A tree, with what is known of its operations."""

    root: Node
    layouts: Mapping[int, KnownLayout]
    notes: Sequence[Note]

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        nodes, waiting = 0, [self.root]
        while waiting:
            nodes += 1
            waiting += waiting.pop().children.values()
        return nodes * _NODE_BYTES


# For whoever asks for more or less of a tree. It takes more than its table does.
_TREES: Final = KeyedCache[OpTable, Hashable, _Known](
    "op_profiles", "Trees of operations", lambda known: known.size_bytes
)
_NODE_BYTES: Final = 1200  # with its operation


def _program_names(scope: Scope) -> dict[str, str]:
    return {entry.name.removeprefix(_HLO): entry.label for entry in scope.attachments() if entry.name.startswith(_HLO)}


def _rows(root: Node, limit: int, cover: int) -> Iterator[tuple[int, Node]]:
    """The parts of all parts, parents first; of each the place of its parent, -1 none."""
    waiting = [(-1, part) for part in reversed(_listed(root, limit, cover))]
    count = 0
    while waiting and count < MAX_ROWS:
        parent, node = waiting.pop()
        yield parent, node
        waiting += [(count, part) for part in reversed(_listed(node, limit, cover))]
        count += 1


def _listed(node: Node, limit: int, cover: int) -> list[Node]:
    """The greatest parts of one, and one for all others together."""
    parts = node.sorted
    if cover < 100:
        before = accumulate((part.own for part in parts), initial=0)
        # As many as it takes, and always the greatest.
        limit = min(
            limit, max(1, sum(so_far * 100 < node.own * cover for so_far, _ in zip(before, parts, strict=False)))
        )
    more = 0 if node.rest is None else node.rest.operations
    if len(parts) + more <= limit:
        return parts
    rest = Node(f"{len(parts) + more - limit:,} more")
    for part in [*parts[limit:], *([] if node.rest is None else [node.rest.sums])]:
        rest.own += part.own
        rest.total += part.total
        rest.count += part.count
        rest.flops += part.flops
        rest.bytes += part.bytes
        rest.waiting += part.waiting
        rest.tells_flops = rest.tells_flops or part.tells_flops
        rest.fused = part.fused
        if part.hbm_bytes is not None:
            rest.hbm_bytes = (rest.hbm_bytes or 0) + part.hbm_bytes
    return [*parts[:limit], rest]


def _table(
    asked: AskedOperations, rows: list[tuple[int, Node]], layouts: Mapping[int, KnownLayout], *, with_idle: bool
) -> Table:
    table, peaks = asked.table, asked.peaks
    whole = table.span if with_idle else table.busy
    if with_idle and table.idle > 0:
        rows = [*rows, (-1, Node("idle", own=table.idle))]
    nodes = [node for _, node in rows]

    def used(amount: int | None, node: Node, peak: float | None) -> float | None:
        """The share of a peak, while these operations run. Caches may give more than memory can: that counts as all."""
        if amount is None or peak is None or not node.own or not node.count:
            return None
        share = amount / (node.own / 1e12) / peak
        return share if share <= 1 else None if node.waiting else 1.0  # asynchronous ones go on after their time

    flops = [used(node.flops if node.tells_flops else None, node, peaks.flops) for node in nodes]
    hbm = [used(node.hbm_bytes, node, peaks.hbm) for node in nodes]
    operations = [node.operation for node in nodes]
    shares: list[Value] = [None if node.fused or not whole else node.own / whole for node in nodes]
    # What waits for other devices, or moves data, no device makes faster.
    wasted: list[Value] = [
        None
        if (f is None and h is None) or not node.working or not whole
        else max(0.0, node.working - node.own * max(f or 0.0, h or 0.0)) / whole
        for node, f, h in zip(nodes, flops, hbm, strict=True)
    ]
    layout = [NO_LAYOUT if of is None else layouts.get(id(of), NO_LAYOUT) for of in operations]

    def texts(name: str, title: str, of_operation: Callable[[OperationMetadata], str], of_part: str) -> Column:
        """Of operations, and of parts of these."""
        values = [
            getattr(node.fused, of_part) if node.fused and of_part else of and of_operation(of.metadata)
            for node, of in zip(nodes, operations, strict=True)
        ]
        return Column(name, title, "text", [value or None for value in values])

    columns = [
        Column("name", "Operation", "name", [node.name for node in nodes]),
        Column("share", "Time", "fraction", shares),
        Column("self", "Self", "ticks", [None if node.fused else asked.ticks(node.own) for node in nodes]),
        Column("wasted", "Wasted", "fraction", wasted),
        Column("flops_used", "FLOPS", "fraction", flops, OF_PEAK, total="none"),
        Column("hbm_used", "HBM", "fraction", hbm, OF_PEAK, total="none"),
        Column("count", "Count", "count", [node.count or None for node in nodes]),
        Column(
            "mean",
            "Mean",
            "ticks",
            [
                nearest_mean(asked.ticks(of.total), of.count) if of is not None and of.count else None
                for of in operations
            ],
            total="none",
        ),
        Column("flops", "FLOPs", "flops", [node.flops if node.tells_flops or node.fused else None for node in nodes]),
        Column("bytes", "HBM bytes", "bytes", [node.hbm_bytes for node in nodes]),
        texts("category", "Category", lambda of: of.category, ""),
        texts("provenance", "Framework", lambda of: of.provenance, "provenance"),
        texts("source", "Source", lambda of: of.source, "source"),
        texts("stack", "Stack", lambda of: of.source_stack.strip(), ""),
        texts("shape", "Shape and layout", lambda of: of.shape, "shape"),
        Column("layout", "Layout", "text", [of.text or None for of in layout]),
        Column("padding", "Padding", "fraction", [of.padding for of in layout], "of the memory", total="none"),
        texts("expression", "Expression", lambda of: of.expression, "expression"),
        Column("track", "Track", "track", [node.track if node.track >= 0 else None for node in nodes]),
        query_column(None if of is None else of.metadata.name for of in operations),
        Column("parent", "Parent", "id", [parent for parent, _ in rows]),
    ]
    return Table("operations", "By operation", columns, parent="parent")


TOOL: Final = Tool(
    id="op_profile",
    title="Op profile",
    help="where the time of devices goes, as a tree, and how well each part uses what the devices can",
    group="devices",
    question=OpProfileQuestion,
    answer=_answer,
    availability=availability,
    contract=Contract(
        added=("span", "busy"),
        same=(
            Same("cores", "hlo_stats", "cores"),
            Same("span", "hlo_stats", "span"),
            Same("busy", "hlo_stats", "busy"),
            Same("idle_share", "hlo_stats", "idle_share"),
            Same("flops_utilisation", "hlo_stats", "flops_utilisation"),
        ),
    ),
)
