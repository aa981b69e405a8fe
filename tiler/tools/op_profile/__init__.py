"""Time of devices, as a tree of their operations, and how well each part uses the device."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.facts.hlo import parts_ahead
from tilescope.tiler.facts.imports import saved_page
from tilescope.tiler.facts.operations import Instructions, OpTable, has_operations, operation_source
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, Value, values_of
from tilescope.tiler.tools.contract import Contract, Same
from tilescope.tiler.tools.op_profile.frames import frames_answer, recorded_kinds
from tilescope.tiler.tools.op_profile.layouts import NO_LAYOUT, KnownLayout, known_layouts
from tilescope.tiler.tools.op_profile.listable import listable_operations
from tilescope.tiler.tools.op_profile.matrix_columns import matrix_columns
from tilescope.tiler.tools.op_profile.saved import PAGE, saved_answer
from tilescope.tiler.tools.op_profile.tree import By, Node, tree
from tilescope.tiler.tools.operation_notes import operation_notes
from tilescope.tiler.tools.operations import (
    OF_PEAK,
    AskedOperations,
    asked_operations,
    availability,
    time_facts,
    time_sentence,
)
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_PARTS: Final = 1000
DEFAULT_PARTS: Final = 100
_ALL: Final = 1.0005  # of a peak, as it is printed
MAX_ROWS: Final = 100_000

_HLO: Final = "hlo/"  # names of attachments that hold programs


Grouping = Literal["program", "category", "provenance", "module", "annotation"]


class OpProfileQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of TPU cores or GPUs in a span or in steps."""

    by: Annotated[
        Grouping,
        Meta(
            description="What the tree is made of: programs and their categories, categories alone, programs and "
            "the path in the framework that operations come from, or modules or annotations of PyTorch."
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


def _answer(scope: Scope, question: OpProfileQuestion) -> Interruptible[Answer]:
    by = question.by
    if by == "module" or by == "annotation":
        return (yield from frames_answer(scope, question, by, question.limit))
    page = None if has_operations(scope.reader) else saved_page(scope.reader, PAGE)
    if page is not None:
        return (yield from saved_answer(scope.reader, question, page, by))
    frames = None if has_operations(scope.reader) else next(iter(recorded_kinds(scope.reader)), None)
    if frames is not None:
        answer = yield from frames_answer(scope, question, frames, question.limit)
        note = Note("info", f"the trace has no operations by {by}: these are by {frames}")
        return replace(answer, notes=[note, *answer.notes])
    # For the costs of operations of GPUs whole programs are parsed.
    ahead = nullcontext() if operation_source(scope.reader).is_gpu else (yield from parts_ahead(scope.reader))
    with ahead:
        return (yield from _tree_answer(scope, question, by))


def _tree_answer(scope: Scope, question: OpProfileQuestion, by: By) -> Interruptible[Answer]:
    device_operations = yield from asked_operations(scope, question)
    names = {**device_operations.table.program_names, **_program_names(scope)}
    key = by, question.limit, device_operations.source.id, tuple(sorted(names.items()))
    profile = _TREES.get(device_operations.table, key)
    if profile is None:
        few = listable_operations(device_operations.table, by, names, question.limit)
        yield
        root, tree_notes = tree(few.operations, by, names, few.rests, few.copies), list[Note]()
        yield
        instructions = Instructions(scope.reader, is_gpu=device_operations.source.is_gpu)
        layouts = yield from known_layouts(instructions, device_operations.table, root, tree_notes)
        profile = _Profile(root, layouts, tree_notes)
        _TREES.keep(device_operations.table, key, profile)
    of_operations = operation_notes(device_operations)
    notes = [
        *of_operations[1:],
        *device_operations.notes,
        *(note for note in profile.notes if note not in device_operations.notes),
    ]
    rows = list(_rows(profile.root, question.limit, question.cover))
    yield
    tables = []
    if device_operations.table.cores:
        tables.append(_table(device_operations, rows, profile.layouts, with_idle=question.with_idle))
        notes += _peak_notes(tables[0])
    return Answer(time_facts(device_operations), tables, notes=notes, headline=next(iter(of_operations), None))


def _peak_notes(table: Table) -> list[Note]:
    """The greatest share of each peak, where more was measured than the peak that the trace gives."""
    notes = []
    for name, peak in (("flops_used", "FLOPS"), ("hbm_used", "HBM")):
        most = max((share for share in values_of(table.column(name)) if isinstance(share, float)), default=0.0)
        if most > _ALL:
            text = f"Up to {percent_text(most)} of the {peak} peak: the peak in the trace is below what was measured."
            notes.append(Note("info", text))
    return notes


@dataclass(frozen=True, slots=True)
class _Profile:
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


# For a question about more or less of a tree. It takes more than its table does.
_TREES: Final = KeyedCache[OpTable, Hashable, _Profile](
    "op_profiles", "Trees of operations", lambda profile: profile.size_bytes
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
    device_operations: AskedOperations,
    rows: list[tuple[int, Node]],
    layouts: Mapping[int, KnownLayout],
    *,
    with_idle: bool,
) -> Table:
    table, peaks = device_operations.table, device_operations.peaks
    whole = table.span if with_idle else table.busy
    if with_idle and table.idle > 0:
        rows = [*rows, (-1, Node("idle", own=table.idle))]
    nodes = [node for _, node in rows]

    def used(amount: int | None, node: Node, peak: float | None) -> float | None:
        """The share of a peak, while these operations run: above 1 where more was measured than the trace's peak."""
        if amount is None or peak is None or not node.own or not node.count:
            return None
        share = amount / (node.own / 1e12) / peak
        return None if share > 1 and node.waiting else share  # asynchronous ones go on after their time

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
    layout = [NO_LAYOUT if operation is None else layouts.get(id(operation), NO_LAYOUT) for operation in operations]
    uses = [
        node.fused.matrix_use if node.fused else value_layout.matrix_use
        for node, value_layout in zip(nodes, layout, strict=True)
    ]

    def texts(name: str, title: str, of_operation: Callable[[OperationMetadata], str], of_part: str) -> Column:
        """Column of texts: of operations, and of parts of these."""
        values = [
            getattr(node.fused, of_part) if node.fused and of_part else operation and of_operation(operation.metadata)
            for node, operation in zip(nodes, operations, strict=True)
        ]
        return Column(name, title, "text", [value or None for value in values])

    columns = [
        Column("name", "Operation", "name", [node.name for node in nodes]),
        Column("share", "Time", "fraction", shares),
        Column("self", "Self", "ticks", [None if node.fused else device_operations.ticks(node.own) for node in nodes]),
        Column("wasted", "Lost to low FLOPS", "fraction", wasted),
        Column("flops_used", "FLOPS", "fraction", flops, OF_PEAK, total="none"),
        texts("provenance", "Framework", lambda metadata: metadata.provenance, "provenance"),
        Column("hbm_used", "HBM", "fraction", hbm, OF_PEAK, total="none"),
        Column("count", "Count", "count", [node.count or None for node in nodes]),
        Column(
            "mean",
            "Mean",
            "ticks",
            [
                nearest_mean(device_operations.ticks(operation.total), operation.count)
                if operation is not None and operation.count
                else None
                for operation in operations
            ],
            total="none",
        ),
        Column("flops", "FLOPs", "flops", [node.flops if node.tells_flops or node.fused else None for node in nodes]),
        Column("bytes", "HBM bytes", "bytes", [node.hbm_bytes for node in nodes]),
        texts("category", "Category", lambda metadata: metadata.category, ""),
        texts("source", "Source", lambda metadata: metadata.source, "source"),
        texts("stack", "Stack", lambda metadata: metadata.source_stack.strip(), ""),
        texts("shape", "Shape and layout", lambda metadata: metadata.shape, "shape"),
        Column("layout", "Layout", "text", [value_layout.text or None for value_layout in layout]),
        Column(
            "padding",
            "Padding",
            "fraction",
            [value_layout.padding for value_layout in layout],
            "of the memory",
            total="none",
        ),
        *matrix_columns(uses),
        texts("expression", "Expression", lambda metadata: metadata.expression, "expression"),
        Column("track", "Track", "track", [node.track if node.track >= 0 else None for node in nodes]),
        query_column(None if operation is None else operation.metadata.name for operation in operations),
        Column("parent", "Parent", "id", [parent for parent, _ in rows]),
    ]
    return Table("operations", "By operation", columns, parent="parent", nested=("self", "flops", "bytes", "count"))


def _availability(scope: Scope) -> str:
    reason = availability(scope)
    has_others = reason and (saved_page(scope.reader, PAGE) is not None or recorded_kinds(scope.reader))
    return "" if has_others else reason


TOOL: Final = Tool(
    id="op_profile",
    title="Op profile",
    help="where the time of devices goes, and how well each part uses them",
    group="time",
    question=OpProfileQuestion,
    answer=_answer,
    sentence=time_sentence,
    availability=_availability,
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
