"""FLOPs of AI Cores: of a step, of scopes and of operators, as profilers of Ascend devices write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import FLOPS, with_faults
from tilescope.tiler.facts.ascend.flops import (
    BY_OPERATOR,
    FLOPS_EXPONENT,
    OF_RUNS,
    TOTAL,
    OperatorFlops,
    TableFlops,
    has_counted_flops,
    operator_flops,
    table_flops,
)
from tilescope.tiler.facts.ascend.headers import figures_named, texts_named, unread_cells
from tilescope.tiler.facts.ascend.table_places import missing_rank, tables_of_rank, uncovered
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Note
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.flops.operator_rows import operators_table
from tilescope.tiler.tools.flops.rank_rows import rank_facts, rank_flops, ranks_table
from tilescope.tiler.tools.flops.scopes import MAX_SCOPES, ScopeTree
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.source_notes import source_notes
from tilescope.tiler.tools.tool import Reason, Tool
from tilescope.tiler.tools.unread_notes import UnreadFigures, unread_notes

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200

_SUMMARY: Final = "flops_summary"
_LINKS: Final = "flops_scope.data.links"
_MINDSPORE: Final = (_SUMMARY, BY_OPERATOR, _LINKS)

AS_RUN: Final = (
    "FLOPs are those that AI Cores ran, of cubes with the padding to blocks of 16: more than the model needs; work of "
    "AI CPUs is not among them, and utilization depends on how the run is divided into steps"
)
NO_FLOPS: Final = (
    "no file of the run has FLOPs: MindSpore's profiler writes flops_N.txt, flops_summary_N.json and "
    "flops_scope_N.json for networks that run as graphs, where it counts the arithmetic of AI Cores: "
    "Profiler(aicore_metrics=0); torch_npu and msprof write columns such as aic_cube_fops into kernel_details.csv and "
    "op_summary_*.csv; what with_flops of torch_npu records, its analysis leaves out"
)

FlopSource = Literal["mindspore", "kernel_details", "op_summary"]


class FlopsQuestion(Question, frozen=True, kw_only=True):
    """FLOPs by rank, scope and operator."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose figures are listed; all unless given.")
    ] = None
    source: Annotated[
        FlopSource | None,
        Meta(
            description="The files that figures are from, `mindspore` those of its first profiler; unless given, "
            "these, and those of other ranks that count FLOPs of each run."
        ),
    ] = None
    contains: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="Only operators in whose full name this text is, in any case."),
    ] = None
    depth: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None, Meta(description="The most levels of scopes; all unless given.")
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most operators that are listed.")] = DEFAULT_LISTED


def _answer(scope: Scope, question: FlopsQuestion) -> Interruptible[Answer]:
    tables = _tables(scope.reader, question)
    operators: list[OperatorFlops] = []
    summaries: list[TableFlops] = []
    for table in tables:
        if table.entry.family == _SUMMARY:
            summaries.append((yield from table_flops(table)))
        elif table.entry.family in (BY_OPERATOR, *OF_RUNS):
            operators.append((yield from operator_flops(table)))
    tree = yield from _scopes(tables, operators)
    ranks = yield from rank_flops(summaries, operators)
    listed = [ranks_table(ranks)]
    if tree.has_levels:
        listed.append(tree.table(question.depth))
    if operators:
        listed.append((yield from operators_table(scope.reader, operators, question.contains, question.limit)))
    unread = yield from _unread(tables, [*summaries, *operators])
    notes = [*_notes(scope.reader, question, tables, tree), *unread_notes(unread, "figure", "figures")]
    return Answer(rank_facts(ranks), listed, notes=notes)


def _unread(tables: Sequence[RunTable], flops: Sequence[TableFlops]) -> Interruptible[list[UnreadFigures]]:
    """Figures of tables, and of links, that are none."""
    unread = [UnreadFigures(each.table, each.unread) for each in flops]
    for table in tables:
        if table.entry.family == _LINKS:
            values = yield from figures_named(table, ("value",), FLOPS_EXPONENT)
            unread.append(UnreadFigures(table, (yield from unread_cells(table, ("value",), values))))
    return unread


def _tables(reader: QueryReader, question: FlopsQuestion) -> list[RunTable]:
    """The tables that count: of each place one source."""
    chosen: list[RunTable] = []
    for source, families in _sources():
        if question.source in (None, source):
            tables = [table for table in tables_of_rank(reader, question.rank, *families) if _has_flops(table)]
            chosen += uncovered(tables, chosen)
    return chosen


def _sources() -> list[tuple[str, Sequence[str]]]:
    return [("mindspore", _MINDSPORE), *((family, (family,)) for family in OF_RUNS)]


def _has_flops(table: RunTable) -> bool:
    return bool(len(table)) and (table.entry.family not in OF_RUNS or has_counted_flops(table))


def _source_of(table: RunTable) -> str:
    return table.entry.family if table.entry.family in OF_RUNS else "mindspore"


def _notes(reader: QueryReader, question: FlopsQuestion, tables: Sequence[RunTable], tree: ScopeTree) -> list[Note]:
    notes = [Note("info", AS_RUN)]
    families = [family for _, families in _sources() for family in families]
    if missing := missing_rank(reader, question.rank, *families):
        notes.append(Note("warning", missing))
    there = [
        source
        for source, families in _sources()
        if any(map(_has_flops, tables_of_rank(reader, question.rank, *families)))
    ]
    notes += source_notes({_source_of(table) for table in tables}, there, "FLOPs")
    if tree.left_out:
        words = plural(tree.left_out, "scope is", "scopes are")
        notes.append(Note("info", f"{words} not listed: the links do not say in which of several scopes they lie"))
    if len(tree.rows) > MAX_SCOPES or tree.too_many:
        notes.append(Note("info", "not all scopes are listed: ask for a rank, or for fewer levels with depth"))
    return notes


def _scopes(tables: Sequence[RunTable], operators: Sequence[OperatorFlops]) -> Interruptible[ScopeTree]:
    """The scopes of the files that have links, and else those of operators."""
    tree = ScopeTree()
    links = [table for table in tables if table.entry.family == _LINKS]
    for table in links:
        source = yield from texts_named(table, ("source",))
        target = yield from texts_named(table, ("target",))
        flops = (yield from figures_named(table, ("value",), FLOPS_EXPONENT)).filled(0).tolist()
        rows = zip(source.codes.tolist(), target.codes.tolist(), flops, strict=True)
        yield from tree.add_links(((source.words[s], target.words[t], value) for s, t, value in rows), table)
    alone = {table.entry.id for table in uncovered([each.table for each in operators], links)}
    for each in operators:
        if each.table.entry.id in alone:
            values = each.figures[TOTAL].flops.filled(0).tolist()
            named = zip(each.names.codes.tolist(), values, strict=True)
            yield from tree.add_operators(((each.names.words[code], value) for code, value in named), each.table)
    return tree


def _availability(scope: Scope) -> Reason:
    has_any = any(map(_has_flops, run_tables(scope.reader, *_MINDSPORE, *OF_RUNS)))
    return "" if has_any else with_faults(scope.reader, NO_FLOPS, FLOPS)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    files = plural(figures.count("ranks"), "file", "files")
    if not figures.text("flops"):
        return f"{files} with FLOPs have none to add up"
    span = next((fact.note for fact in answer.facts if fact.id == "flops"), "")
    reached = f"; {figures.text('of_peak')} of the peak is reached" if figures.text("of_peak") else ""
    return f"Operators compute {figures.text('flops')} FLOPs {span}{reached}"


TOOL: Final = Tool(
    id="flops",
    title="FLOPs",
    help="floating-point operations of AI Cores by rank, scope and operator",
    group="time",
    question=FlopsQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(parts={"flops": ("ranks.flops",)}, lists={"ranks": "ranks"}),
)
