"""Memory that graphs of MindSpore are planned to need, as an answer of the memory viewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.planned_memory import PlannedGraph, PlannedTensor, planned_graphs
from tilescope.tiler.facts.ascend.table_places import left_out
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.memory_viewer.curve import curve_points
from tilescope.tiler.tools.memory_viewer.question import MemoryViewerQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]

THEORETICAL: Final = (
    "this is the plan of the compiler: what a graph needs in the order of execution; what was allocated in "
    "truth may be more"
)
_NOT_SAID: Final = "the files do not say"
_DETAILS: Final = ("memory_usage_details.nodes",)


def planned_answer(scope: Scope, question: MemoryViewerQuestion) -> Interruptible[Answer]:
    """The plan of one graph, and the list of all. Raises DamagedStore."""
    graphs = yield from planned_graphs(scope.reader)
    if question.host is not None:
        names = {name for track in scope.tracks_of(question.host) for name in scope.reader.tree.hosts_of(track)}
        graphs = [graph for graph in graphs if graph.place.host in names or not graph.place.host]
    shown = _chosen(graphs, question.program)
    table = _graphs_table(graphs, shown)
    if shown is None:
        wanted = "" if question.program is None else f" {question.program!r}"
        of_host = "" if question.host is None else " on this host"
        return Answer(tables=[table], notes=[Note("warning", f"there is no graph{wanted}{of_host}")])
    point = shown.peak_number + 1 if question.point is None else question.point
    tensors = shown.tensors if question.buffers == "all" and question.point is None else shown.live(point - 1)
    yield
    places = curve_points(shown.numbers + 1, shown.used, question.first_point, question.last_point)
    tables = [_tensors_table(shown, tensors, question), _operators_table(shown, places), table]
    return Answer(_facts(shown, point), tables, _series(shown, places), _notes(scope, shown, question, point))


def _chosen(graphs: Sequence[PlannedGraph], wanted: str | None) -> PlannedGraph | None:
    if wanted is None:
        return max(graphs, key=lambda graph: graph.peak, default=None)
    return next((graph for graph in graphs if wanted in (graph.label, graph.graph)), None)


def _facts(graph: PlannedGraph, point: int) -> list[Fact]:
    peak, capacity = graph.peak, graph.capacity
    name = graph.names[graph.peak_place]
    live = graph.live(point - 1)
    start, end = (None if number is None else number + 1 for number in (graph.forward_start, graph.backward_end))
    return [
        Fact("program", "Program", graph.label, "name"),
        Fact("peak", "Peak", peak, "bytes", f"when {name} runs, by the plan"),
        Fact("capacity", "Capacity", capacity, "bytes", "of the device" if capacity is not None else _NOT_SAID),
        Fact("share", "Of the capacity", peak / capacity if capacity else None, "fraction"),
        Fact("static", "Static", graph.static, "bytes", "what stays as long as the graph: parameters, inputs"),
        Fact("live", "In tensors", sum(tensor.size for tensor in live), "bytes", f"{len(live):,} at point {point}"),
        Fact("allocations", "Tensors", len(graph.tensors), "count"),
        Fact("operators", "Operators", len(graph.names), "count"),
        Fact("peak_point", "Peak at point", graph.peak_number + 1, "count"),
        Fact("first_point", "First point", int(graph.numbers[0]) + 1, "count"),
        Fact("last_point", "Last point", int(graph.numbers[-1]) + 1, "count"),
        Fact("forward_start", "Forward starts at point", start, "count", "" if start is not None else _NOT_SAID),
        Fact("backward_end", "Backward ends at point", end, "count", "" if end is not None else _NOT_SAID),
    ]


def _series(graph: PlannedGraph, places: Ints) -> list[Series]:
    x = Column("point", "Point", "count", graph.numbers[places] + 1, total="max")
    heap = Column("heap", "In use", "bytes", graph.used[places], total="max")
    limit = Column("peak", "Peak", "bytes", np.full(len(places), graph.peak), total="max")
    return [Series("working_space", "Theoretical memory by the order of execution", "line", x, [heap], lines=[limit])]


def _tensors_table(graph: PlannedGraph, tensors: Sequence[PlannedTensor], question: MemoryViewerQuestion) -> Table:
    largest = sorted(tensors, key=lambda tensor: (-tensor.size, tensor.first, tensor.number))
    listed, rest = largest[: question.limit], largest[question.limit :]
    if question.order == "program":
        listed.sort(key=lambda tensor: (tensor.first, -tensor.last, tensor.number))

    def texts(name: str, title: str, value: Callable[[PlannedTensor], str]) -> Column:
        return Column(name, title, "text", [value(tensor) or None for tensor in listed])

    def counts(name: str, title: str, value: Callable[[PlannedTensor], int]) -> Column:
        return Column(name, title, "count", [value(tensor) for tensor in listed], total="none")

    peak = graph.peak_number
    columns = [
        Column("name", "Tensor", "name", [tensor.name or None for tensor in listed]),
        Column("size", "Size", "bytes", [tensor.size for tensor in listed]),
        texts("operator", "Output of", lambda tensor: tensor.source),
        texts("kind", "Type", lambda tensor: tensor.kind),
        texts("data_type", "Data type", lambda tensor: tensor.data_type),
        texts("shape", "Shape", lambda tensor: tensor.shape),
        texts("format", "Format", lambda tensor: tensor.layout),
        texts("life", "Lives", lambda tensor: tensor.life),
        counts("first", "From point", lambda tensor: tensor.first + 1),
        counts("last", "To point", lambda tensor: tensor.last + 1),
        Column("at_peak", "At the peak", "flag", [tensor.first <= peak <= tensor.last for tensor in listed]),
        Column("buffer", "Number", "id", [tensor.number if tensor.number >= 0 else None for tensor in listed]),
        query_column(tensor.source or None for tensor in listed),
    ]
    where = "at the peak" if question.buffers == "peak" else "of the graph"
    title = f"Tensors {where if question.point is None else f'at point {question.point}'}"
    left: dict[str, Value] | None = {"size": sum(tensor.size for tensor in rest)} if rest else None
    return Table("buffers", title, columns, totals={"size": sum(tensor.size for tensor in tensors)}, rest=left)


def _operators_table(graph: PlannedGraph, places: Ints) -> Table:
    """The operators of the points of the curve."""
    names = [graph.full_names[place] for place in places.tolist()]
    columns = [
        Column("point", "Point", "count", graph.numbers[places] + 1, total="none"),
        Column("operator", "Operator", "name", names),
        Column("size", "Its outputs", "bytes", graph.own[places]),
        Column("change", "Change", "bytes", graph.changes[places], total="none"),
        Column("used", "In use", "bytes", graph.used[places], total="max"),
        query_column(graph.names[place] for place in places.tolist()),
    ]
    own, count = sum_of(graph.own), len(graph.names) - len(places)
    rest: dict[str, Value] | None = {"size": own - sum_of(graph.own[places])} if count else None
    return Table("operators", "Operators in the order of execution", columns, totals={"size": own}, rest=rest)


def _graphs_table(graphs: Sequence[PlannedGraph], shown: PlannedGraph | None) -> Table:
    ordered = sorted(graphs, key=lambda graph: -graph.peak)
    columns = [
        Column("program", "Graph", "name", [graph.label for graph in ordered]),
        Column("peak", "Peak", "bytes", [graph.peak for graph in ordered], total="max"),
        Column("static", "Static", "bytes", [graph.static for graph in ordered], total="max"),
        Column("operators", "Operators", "count", [len(graph.names) for graph in ordered]),
        Column("shown", "Shown", "flag", [graph is shown for graph in ordered]),
    ]
    return Table("programs", "Graphs", columns)


def _notes(scope: Scope, graph: PlannedGraph, question: MemoryViewerQuestion, point: int) -> list[Note]:
    notes = [Note("info", THEORETICAL)]
    if question.space:
        notes.append(Note("warning", "the files have one memory space: it is shown"))
    if graph.left_out:
        words = plural(graph.left_out, "tensor", "tensors")
        notes.append(Note("warning", f"{words} with an impossible size or lifetime: left out"))
    place = int(np.searchsorted(graph.numbers, point - 1))
    if place < len(graph.numbers) and graph.numbers[place] == point - 1:
        apart = int(graph.used[place] - graph.counted[place])
        if apart:
            words = plural(abs(apart), "byte", "bytes")
            more = "more" if apart > 0 else "less"
            notes.append(
                Note("warning", f"at point {point} the curve has {words} {more} than static memory and tensors")
            )
    elif question.point is not None:
        notes.append(Note("warning", f"the files have no operator of point {question.point}"))
    if words := left_out(scope.reader, _DETAILS):
        notes.append(Note("warning", words))
    return notes
