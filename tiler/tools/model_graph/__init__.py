"""The graph of a TensorFlow model by scopes, with an estimate of which of its operations a TPU can run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.model_graph import ModelGraph, Placement, model_graphs
from tilescope.tiler.facts.model_graph.model_graph import has_model_graphs
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.model_graph.scopes import NOT_JUDGED, ModelPart, Scopes, scopes_of
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_PARTS: Final = 1000
NO_GRAPH: Final = (
    "the run has no graph of a model: open a GraphDef or SavedModel (.pb, .pbtxt), or an event file of TensorBoard"
)
ESTIMATE: Final = (
    "which operations a TPU can run is an estimate: by their names, as public lists have them, without types and shapes"
)
LEFT_OUT: Final = "a graph is kept with at most the first 16 MiB of them, and by older versions without"
BY_NAME: Final = "an estimate, by name"


class ModelGraphQuestion(Question, frozen=True, kw_only=True):
    """A scope of a model."""

    scope: Annotated[
        str,
        Meta(max_length=4096, description="The scope whose parts are shown, as in model/layer; all unless given."),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_PARTS, description="The most parts and operations that are listed.")] = 200


def _answer(scope: Scope, question: ModelGraphQuestion) -> Interruptible[Answer]:
    graphs = yield from model_graphs(scope.reader)
    if not graphs:
        return Answer(notes=[Note("warning", NO_GRAPH)])
    graph, wanted = graphs[0], question.scope
    scopes = yield from scopes_of(graph)
    inside = yield from scopes.inside(wanted)
    notes = [Note("info", ESTIMATE)]
    if not inside:
        notes.append(Note("warning", f"there is no scope {wanted[:100]!r}: all of the graph is shown"))
        wanted = ""
        inside = yield from scopes.inside(wanted)
    parts = yield from scopes.parts(wanted, inside)
    shown = parts[: question.limit]
    if (left := len(parts) - len(shown)) > 0:
        notes.append(Note("warning", f"{plural(left, 'more part is', 'more parts are')} not shown: the largest are"))
    if lost := sum(part.attributes is None for part in shown):
        notes.append(
            Note("warning", f"{plural(lost, 'operation has', 'operations have')} no attributes here: {LEFT_OUT}")
        )
    if len(graphs) > 1:
        notes.append(Note("info", f"the run has {len(graphs)} graphs: that of {graph.file} is shown"))
    tables = [_nodes(shown), (yield from _edges(scopes, shown))]
    yield
    tables.append(_operations(scopes, inside, question.limit))
    yield
    lacking = [place for place in inside if scopes.placements[place] is Placement.INVALID]
    tables.append(_invalid(graph, lacking[: question.limit]))
    return Answer(_facts(graph, scopes, inside), tables, notes=notes)


def _facts(graph: ModelGraph, scopes: Scopes, inside: Sequence[int]) -> list[Fact]:
    count = Counter(scopes.placements[place] for place in inside)
    judged = count[Placement.VALID] + count[Placement.INVALID]
    return [
        Fact("file", "File", graph.file, "text"),
        Fact("operations", "Operations", len(inside), "count"),
        Fact("valid_share", "On a TPU", count[Placement.VALID] / judged if judged else None, "fraction", BY_NAME),
        Fact("invalid", "Not on a TPU", count[Placement.INVALID], "count", BY_NAME),
        Fact("elsewhere", "Placed elsewhere", count[Placement.ELSEWHERE], "count", "by hand: not judged"),
    ]


def _nodes(parts: Sequence[ModelPart]) -> Table:
    columns = [
        Column("name", "Part", "name", [part.name for part in parts]),
        Column("opcode", "Operation", "text", [part.op for part in parts]),
        Column("operations", "Operations", "count", [part.valid + part.invalid + part.elsewhere for part in parts]),
        Column("valid", "On a TPU", "count", [part.valid for part in parts]),
        Column("invalid", "Not on a TPU", "count", [part.invalid for part in parts]),
        Column("elsewhere", "Placed elsewhere", "count", [part.elsewhere for part in parts]),
        Column("share", "Share on a TPU", "fraction", [part.share for part in parts], total="none"),
        Column("verdict", "Runs on a TPU", "text", [part.verdict for part in parts]),
        Column("device", "Placed on", "text", [part.device or None for part in parts]),
        Column("attributes", "Attributes", "text", [part.attributes or None for part in parts]),
        Column("scope", "Scope", "text", [part.scope for part in parts]),
    ]
    return Table("nodes", "Parts", columns)


def _edges(scopes: Scopes, parts: Sequence[ModelPart]) -> Interruptible[Table]:
    edges = yield from scopes.edges(parts)
    columns = [
        Column("source", "From", "id", [source for source, _ in edges]),
        Column("target", "To", "id", [target for _, target in edges]),
        Column("source_name", "Input", "name", [parts[source].name for source, _ in edges]),
        Column("target_name", "User", "name", [parts[target].name for _, target in edges]),
        Column("count", "Inputs", "count", list(edges.values())),
    ]
    return Table("edges", "Inputs", columns)


def _operations(scopes: Scopes, inside: Sequence[int], limit: int) -> Table:
    nodes = scopes.graph.nodes
    counted = Counter(nodes[place].op for place in inside).most_common(limit)
    placements: dict[str, set[Placement]] = {}
    for place in inside:
        placements.setdefault(nodes[place].op, set()).add(scopes.placements[place])
    columns = [
        Column("op", "Operation", "name", [op for op, _ in counted]),
        Column("count", "Count", "count", [count for _, count in counted]),
        Column("placement", "On a TPU", "text", [_verdict(placements[op]) for op, _ in counted]),
    ]
    return Table("operations", "Operations", columns)


def _verdict(placements: set[Placement]) -> str:
    """The verdict about an operation that has these placements: that of those that nobody has placed elsewhere."""
    if Placement.INVALID in placements:
        return "no"
    return "yes" if Placement.VALID in placements else NOT_JUDGED


def _invalid(graph: ModelGraph, places: Sequence[int]) -> Table:
    nodes = [graph.nodes[place] for place in places]
    columns = [
        Column("name", "Name", "name", [node.name for node in nodes]),
        Column("op", "Operation", "text", [node.op for node in nodes]),
        Column("scope", "Scope", "text", [node.scope for node in nodes]),
    ]
    return Table("not_on_tpu", "Not on a TPU", columns)


def _availability(scope: Scope) -> Reason:
    return "" if has_model_graphs(scope.reader) else NO_GRAPH


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    operations = plural(figures.count("operations"), "operation", "operations")
    if not figures.text("valid_share"):
        return f"{operations} are placed by hand: none is judged"
    can = f"{figures.text('valid_share')} of those that are not placed by hand can run on a TPU"
    return f"Of {operations}, {can} by their names, and {figures.text('invalid')} cannot"


TOOL: Final = Tool(
    id="model_graph",
    title="Model graph",
    help="operations of a TensorFlow model, and which a TPU can run",
    group="program",
    question=ModelGraphQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
