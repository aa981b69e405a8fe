"""Networks of dynamic shapes: the time of operators and kernels step by step, with the shapes that they had."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import SHAPES, with_faults
from tilescope.tiler.facts.ascend.headers import matches
from tilescope.tiler.facts.ascend.operator_families import KERNEL_DETAILS
from tilescope.tiler.facts.ascend.shaped_runs import (
    MINDSPORE,
    ShapedRuns,
    has_shapes,
    network_has_dynamic_shapes,
    shaped_runs,
)
from tilescope.tiler.facts.ascend.table_places import missing_rank, tables_of_rank, uncovered
from tilescope.tiler.facts.tables import Ints, RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.dynamic_shape.run_rows import kind_noun, runs_table
from tilescope.tiler.tools.dynamic_shape.sums_by_step import NO_STEP, RunKind, SumsByStep, sums_by_step
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.run_sum import RunSum
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.source_notes import source_notes
from tilescope.tiler.tools.tool import Reason, Tool
from tilescope.tiler.tools.unread_notes import UnreadFigures, unread_notes

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 100
MOST_STEPS: Final = 20_000  # of a chart

_DRAWN: Final = 8  # types, or names
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")

NO_SHAPES: Final = (
    "no file of the run has dynamic shapes: MindSpore's first profiler writes dynamic_shape_info_N.json for networks "
    "whose shapes change from step to step, torch_npu and msprof the column OP State of kernel_details.csv"
)
OTHER_PAGES: Final = (
    "for a network of dynamic shapes MindSpore's profiler records neither step trace nor memory nor communication"
)
NOT_READ: Final = "a run without a step is in no step, and one without a time is in no sum of times"

By = Literal["type", "name"]
States = Literal["dynamic", "all"]
ShapeSource = Literal["mindspore", "kernel_details"]

_SOURCES: Final[Sequence[tuple[str, Sequence[str]]]] = (("mindspore", MINDSPORE), ("kernel_details", (KERNEL_DETAILS,)))


class DynamicShapeQuestion(Question, frozen=True, kw_only=True):
    """Times by step, and the runs of some steps with their shapes."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose steps are listed; all unless given.")
    ] = None
    source: Annotated[
        ShapeSource | None,
        Meta(
            description="The files that runs are from, `mindspore` those of its first profiler; unless given, these, "
            "and those of other ranks."
        ),
    ] = None
    step: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="The step whose runs are listed, with their shapes; all unless given."),
    ] = None
    from_step: Annotated[int, Meta(ge=0, description="Only steps from this one on, and runs without a step if 0.")] = 0
    by: Annotated[By, Meta(description="Sums by type, as a mean of its runs in a step, or by full name.")] = "type"
    state: Annotated[
        States, Meta(description="Runs of dynamic shapes, where the files tell these from others, or all.")
    ] = "dynamic"
    contains: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="Only operators and kernels in whose type this text is, in any case."),
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most rows of each table, sums from the longest on.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: DynamicShapeQuestion) -> Interruptible[Answer]:
    tick_ps = scope.reader.tick_ps
    tables = _tables(scope.reader, question)
    chosen: list[tuple[ShapedRuns, Ints]] = []
    in_charts: list[tuple[ShapedRuns, Ints]] = []
    static = 0
    for table in tables:
        runs = yield from shaped_runs(table)
        rows, others = yield from _rows(runs, question, question.step)
        chosen.append((runs, rows))
        static += others
        if question.step is not None:
            in_charts.append((runs, (yield from _rows(runs, question, None))[0]))
        yield
    sums = yield from sums_by_step(chosen, by_name=question.by == "name")
    order = sums.longest()
    kinds = sums.of_kinds(order[: question.limit])
    steps = np.unique(sums.step[sums.step != NO_STEP])
    yield
    facts = [
        Fact("steps", "Steps", len(steps), "count"),
        Fact("types", "Types" if question.by == "type" else "Names", len(order), "count", "of operators and kernels"),
        Fact("runs", "Runs", sum(len(rows) for _, rows in chosen), "count"),
    ]
    listed = [_sums_table(kinds, tick_ps), (yield from runs_table(scope.reader, chosen, question.limit))]
    charts = _charts(sums, steps[:MOST_STEPS], tick_ps)
    if question.step is not None:  # the curves stay where one of their points is opened
        drawn = yield from sums_by_step(in_charts, by_name=question.by == "name")
        charts = _charts(drawn, np.unique(drawn.step[drawn.step != NO_STEP])[:MOST_STEPS], tick_ps)
    return Answer(facts, listed, charts, _notes(scope.reader, question, chosen, static, len(steps)))


def _tables(reader: QueryReader, question: DynamicShapeQuestion) -> list[RunTable]:
    """The tables that count: of each place one source."""
    tables: list[RunTable] = []
    for source, families in _SOURCES:
        if question.source in (None, source):
            tables += uncovered(filter(has_shapes, tables_of_rank(reader, question.rank, *families)), tables)
    return tables


def _rows(runs: ShapedRuns, question: DynamicShapeQuestion, only: int | None) -> Interruptible[tuple[Ints, int]]:
    """The rows that a question chooses of one step or of all, and how many more with those of static shapes."""
    are_chosen = (yield from matches(runs.types.words, question.contains))[runs.types.codes]
    step = runs.step.filled(NO_STEP)
    if only is not None:
        are_chosen = are_chosen & (step == only)
    if question.from_step:
        are_chosen = are_chosen & (step >= question.from_step)
    rows = np.flatnonzero(are_chosen & runs.is_dynamic if question.state == "dynamic" else are_chosen)
    return rows, int(np.count_nonzero(are_chosen)) - len(rows)


def _notes(
    reader: QueryReader,
    question: DynamicShapeQuestion,
    chosen: Sequence[tuple[ShapedRuns, Ints]],
    static: int,
    steps: int,
) -> list[Note]:
    notes = [Note("info", OTHER_PAGES)] if network_has_dynamic_shapes(reader) else []
    if missing := missing_rank(reader, question.rank, *MINDSPORE, KERNEL_DETAILS):
        notes.append(Note("warning", missing))
    there = [
        source
        for source, families in _SOURCES
        if any(map(has_shapes, tables_of_rank(reader, question.rank, *families)))
    ]
    families = {runs.table.entry.family for runs, _ in chosen}
    used = {source for source, own in _SOURCES if families & set(own)}
    notes += source_notes(used, there, "runs")
    if static:
        words = plural(static, "run of static shapes is", "runs of static shapes are")
        notes.append(Note("info", f"{words} left out: state all has them"))
    files = {runs.table.entry.file for runs, _ in chosen}
    if len(files) > 1:
        text = f"steps of the same number in {len(files):,} files are taken together: rank chooses those of one"
        notes.append(Note("info", text))
    if steps > MOST_STEPS:
        notes.append(Note("info", f"charts have the first {MOST_STEPS:,} of {steps:,} steps: see from_step"))
    unread = [UnreadFigures(runs.table, runs.unread) for runs, _ in chosen]
    notes += unread_notes(unread, "step or time", "steps or times", NOT_READ)
    return notes


def _sums_table(kinds: Sequence[tuple[RunKind, RunSum, int]], tick_ps: int) -> Table:
    columns = [
        Column("name", "Name", "name", [text or None for (_, text), _, _ in kinds]),
        Column("kind", "Kind", "text", [kind_noun(are_kernels) for (are_kernels, _), _, _ in kinds]),
        Column("steps", "Steps", "count", [steps for _, _, steps in kinds], total="none"),
        Column("count", "Runs", "count", [each.count for _, each, _ in kinds]),
        Column("total", "Time", "ticks", [each.ticks(tick_ps) for _, each, _ in kinds]),
        Column("mean", "Mean", "ticks", [each.mean(tick_ps) for _, each, _ in kinds], total="none"),
    ]
    return Table("types", "Over all steps", columns)


def _charts(sums: SumsByStep, steps: Ints, tick_ps: int) -> list[Series]:
    """Curves of operators, and of kernels, those with most time first."""
    order = sums.longest()
    kernels = sums.are_kernels[order]
    return [
        chart
        for are_kernels in (False, True)
        for chart in _curves(are_kernels, order[kernels == are_kernels], sums, steps, tick_ps)
    ]


def _curves(are_kernels: bool, order: Ints, sums: SumsByStep, steps: Ints, tick_ps: int) -> list[Series]:
    """The mean of the runs in each step, of the first of an order."""
    if not len(order) or not len(steps):
        return []
    ys = []
    for number, place in enumerate(order[:_DRAWN].tolist()):
        by_step = sums.by_step(place, len(steps))
        means = [None if (own := by_step.get(step)) is None else own.mean(tick_ps) for step in steps.tolist()]
        title = _CONTROL.sub(" ", sums.words[place])[:256] or "without a name"
        ys.append(Column(f"series{number}", title, "ticks", means))
    noun = kind_noun(are_kernels)
    return [Series(f"{noun}s", f"Mean of each {noun} by step", "line", Column("step", "Step", "count", steps), ys)]


def _availability(scope: Scope) -> Reason:
    has_any = any(map(has_shapes, run_tables(scope.reader, *MINDSPORE, KERNEL_DETAILS)))
    return "" if has_any else with_faults(scope.reader, NO_SHAPES, SHAPES)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    runs = f"{plural(figures.count('runs'), 'run', 'runs')} in {plural(figures.count('steps'), 'step', 'steps')}"
    row = figures.greatest("types", "total")
    if row is None:
        return f"{runs} are of dynamic shapes"
    name = figures.cell("types", "name", row) or "what has no name"
    return f"{runs} are of dynamic shapes; most time, {figures.cell('types', 'total', row)}, is of {name}"


TOOL: Final = Tool(
    id="dynamic_shape",
    title="Dynamic shapes",
    help="time and shapes of operators and kernels, step by step",
    group="time",
    question=DynamicShapeQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
