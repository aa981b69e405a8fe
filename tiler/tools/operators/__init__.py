"""Operators of Ascend devices by core, by type and one by one, from the tables that their profilers write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import OPERATORS, with_faults
from tilescope.tiler.facts.ascend.operator_families import AI_CPU, CPU_RUNS, FAMILIES, SOURCES, Source
from tilescope.tiler.facts.ascend.operator_groups import FRAMEWORK
from tilescope.tiler.facts.ascend.operator_tables import CountedTable, counted_tables, sources_there
from tilescope.tiler.facts.ascend.table_places import missing_rank, tables_of_rank
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Fact, Note
from tilescope.tiler.tools.argument_names import ColumnNames, arguments_in
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.operators.choice import ChosenOperators, OperatorFilter, chosen_operators, typed_operators
from tilescope.tiler.tools.operators.dispatch import dispatch_table
from tilescope.tiler.tools.operators.operator_rows import longest, metrics_table, operator_details, operators_table
from tilescope.tiler.tools.operators.timeline_notes import absent_notes
from tilescope.tiler.tools.operators.type_sums import (
    MOST_CORES,
    core_times,
    cores_table,
    insight_shares,
    type_sums,
    types_table,
)
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.source_notes import source_notes
from tilescope.tiler.tools.tool import Reason, Tool
from tilescope.tiler.tools.unread_notes import UnreadFigures, unread_notes

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 20

_DIGEST_TYPES: Final = 10  # on Overview

NO_OPERATORS: Final = (
    "no file of the run is a table of operators: MindSpore's profiler writes aicore_intermediate_* and "
    "aicpu_intermediate_* with Profiler(op_time=True), torch_npu kernel_details.csv, msprof op_summary_*.csv"
)

Text = Annotated[str, Meta(min_length=1, max_length=256)]


class OperatorsQuestion(Question, frozen=True, kw_only=True):
    """Operators by type, and those of some types."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose operators are listed; all unless given.")
    ] = None
    source: Annotated[
        Source | None,
        Meta(
            description="The files that times are from, `mindspore` those of its first profiler; unless given, those "
            "of each rank that are the most exact. Those of host CPUs are beside all."
        ),
    ] = None
    core: Annotated[
        Text | None,
        Meta(description="Only operators that run there: AI_CORE, AI_CPU, HOST_CPU or another; all unless given."),
    ] = None
    type: Annotated[
        ColumnNames | None, Meta(description="Only operators of these types, in any case, separated by commas.")
    ] = None
    without: Annotated[
        ColumnNames | None, Meta(description="No operators of these types, in any case, separated by commas.")
    ] = None
    name: Annotated[
        ColumnNames | None, Meta(description="Only operators of these full names, in any case, separated by commas.")
    ] = None
    without_name: Annotated[
        ColumnNames | None, Meta(description="No operators of these full names, in any case, separated by commas.")
    ] = None
    contains: Annotated[
        Text | None, Meta(description="Only operators in whose type or full name this text is, in any case.")
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most types, and the most operators, the longest first.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: OperatorsQuestion) -> Interruptible[Answer]:
    reader, tick_ps = scope.reader, scope.reader.tick_ps
    counted = yield from counted_tables(reader, question.rank, question.source)
    wanted = OperatorFilter(
        core=None if question.core is None else question.core.casefold(),
        types=None if question.type is None else _types(question.type, "type"),
        without=() if question.without is None else _types(question.without, "without"),
        contains=question.contains,
        names=None if question.name is None else _types(question.name, "name"),
        without_names=() if question.without_name is None else _types(question.without_name, "without_name"),
    )
    chosen: list[ChosenOperators] = []
    for table in counted:
        chosen.append((yield from chosen_operators(reader, table, wanted)))
        yield
    sums = yield from type_sums(chosen)
    listed = sums.longest_sums(question.limit)
    yield
    core_wholes = yield from core_times(chosen)
    rows = longest(chosen, question.limit)
    operators = sum(int(np.count_nonzero(part.are_listed)) for part in chosen)
    every = sums.all()
    chosen_words = "of all types" if wanted.is_empty else "of those chosen here"
    facts = [
        Fact("types", "Types", len({name for name, _ in sums.keys}), "count"),
        Fact("operators", "Operators", operators, "count", "by name, type, core and file"),
        Fact("count", "Runs", every.count, "count", "" if every.count is not None else "no file counts them"),
        Fact(
            "total",
            "Time",
            every.ticks(tick_ps),
            "ticks",
            chosen_words if every.total is not None else "no file has the time of all runs",
        ),
    ]
    insight = yield from insight_shares(chosen, [key for key, _ in listed])
    details = yield from operator_details(reader, rows)
    tables = [
        types_table(listed, core_wholes, insight, tick_ps),
        operators_table(reader, rows, details.cells),
        cores_table(sums, sum(core_wholes.values()), tick_ps),
        (yield from metrics_table(rows)),
    ]
    has_types = question.source in (None, "mindspore") and wanted.core in (None, AI_CPU.casefold())
    if has_types and not wanted.is_of_names and (runs := tables_of_rank(reader, question.rank, CPU_RUNS)):
        tables.append((yield from dispatch_table(runs, wanted, question.limit, tick_ps)))
    notes = [*(yield from absent_notes(reader)), *_unread_notes(chosen)]
    if details.lacking:
        words = f"{len(details.lacking):,} of {plural(len(rows), 'operator', 'operators')} that are listed"
        notes.append(Note("info", f"{words} have no row in {FRAMEWORK}: their streams and shapes are not known"))
    notes += _notes(scope, question, counted, operators - len(rows))
    if more_types := len(sums.keys) - len(listed):
        notes.append(Note("info", f"{more_types:,} more types are not listed: a greater limit lists them"))
    more_cores = len({core for _, core in sums.keys}) - MOST_CORES
    if more_cores > 0:
        notes.append(Note("info", f"{more_cores:,} more cores are not listed: the {MOST_CORES} with most time are"))
    return Answer(facts, tables, notes=notes)


def _types_alone(scope: Scope, question: OperatorsQuestion) -> Interruptible[Answer]:
    """The longest types of all operators, without the shares of MindSpore Insight; few names are read."""
    chosen: list[ChosenOperators] = []
    for table in (yield from counted_tables(scope.reader, None, None)):
        if table.is_summed:
            chosen.append((yield from typed_operators(scope.reader, table)))
    sums = yield from type_sums(chosen)
    core_wholes = yield from core_times(chosen)
    types = types_table(sums.longest_sums(question.limit), core_wholes, {}, scope.reader.tick_ps)
    return Answer(tables=[types], notes=[*(yield from absent_notes(scope.reader)), *_unread_notes(chosen)])


def _unread_notes(chosen: Sequence[ChosenOperators]) -> list[Note]:
    """Figures that are none, with their files: a warning where these are in the sums."""
    notes: list[Note] = []
    for is_summed in (True, False):
        parts = [part for part in chosen if part.counted.is_summed is is_summed]
        unread = [UnreadFigures(part.counted.table, part.groups.unread) for part in parts]
        notes += unread_notes(unread, "time or count", "times or counts", severity="warning" if is_summed else "info")
    return notes


def _types(text: str, field: str) -> list[str]:
    return [name.casefold() for name in arguments_in(text, field)]


def _notes(scope: Scope, question: OperatorsQuestion, counted: Sequence[CountedTable], more: int) -> list[Note]:
    notes = []
    missing = missing_rank(scope.reader, question.rank, *FAMILIES)
    if missing:
        notes.append(Note("warning", missing))
    used = [source for source in SOURCES if any(table.source == source for table in counted)]
    notes += source_notes(used, sources_there(scope.reader, question.rank), "times")
    if more > 0:
        notes.append(Note("info", f"{more:,} more operators are not listed: a greater limit lists them"))
    return notes


def _availability(scope: Scope) -> Reason:
    return "" if run_tables(scope.reader, *FAMILIES) else with_faults(scope.reader, NO_OPERATORS, OPERATORS)


def _digest_fields(_scope: Scope) -> Interruptible[Mapping[str, object] | None]:
    yield
    return {"limit": _DIGEST_TYPES}


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    operators = plural(figures.count("operators"), "operator", "operators")
    types = plural(figures.count("types"), "type", "types")
    row = figures.greatest("types", "total")
    if row is None:
        return f"{operators} of {types} have no time that is listed"
    share = figures.cell("types", "share", row)
    takes = f"{figures.cell('types', 'total', row)}{f', {share} of it' if share else ''}"
    name = figures.cell("types", "type", row) or "what has no type"
    return f"Most time of {types} is in {name}: {takes}"


TOOL: Final = Tool(
    id="operators",
    title="Operators",
    help="operators of Ascend devices by core, type and name",
    group="time",
    question=OperatorsQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(parts={"count": ("cores.count",)}),
    digest=Digest(
        "Types of operators", "types", ("type", "core", "count", "total", "share"), _digest_fields, _types_alone
    ),
)
