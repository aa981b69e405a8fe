"""Networks of dynamic shapes: the time of operators and kernels step by step, with the shapes that they had."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.dynamic_shapes import KERNELS, OPERATORS, ShapedRuns, shaped_runs
from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.ascend.table_places import missing_rank, tables_of_rank
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 100

_DRAWN: Final = 8  # types, or names
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")

NO_SHAPES: Final = (
    "no file of the run has dynamic shapes: MindSpore's first profiler writes dynamic_shape_info_N.json for networks "
    "whose shapes change from step to step"
)
OTHER_PAGES: Final = (
    "for a network of dynamic shapes MindSpore's profiler records neither step trace nor memory nor communication"
)

By = Literal["type", "name"]
Sums = Mapping[tuple[bool, str], Mapping[int, tuple[int, int]]]  # kernels or operators, text → step → runs, picoseconds


class DynamicShapeQuestion(Question, frozen=True, kw_only=True):
    """Times by step, and the runs of one step with their shapes."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose steps are listed; all unless given.")
    ] = None
    step: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The step whose runs are listed; all unless given.")
    ] = None
    by: Annotated[By, Meta(description="Sums by type, as a mean of its runs in a step, or by full name.")] = "type"
    contains: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="Only operators and kernels in whose type this text is, in any case."),
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most rows of each table, sums from the longest on.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: DynamicShapeQuestion) -> Interruptible[Answer]:
    tick_ps = scope.reader.tick_ps
    sums: dict[tuple[bool, str], dict[int, tuple[int, int]]] = defaultdict(dict)
    chosen: list[tuple[ShapedRuns, NDArray[np.int64]]] = []
    for table in tables_of_rank(scope.reader, question.rank, OPERATORS, KERNELS):
        runs = yield from shaped_runs(table)
        wanted = (question.contains or "").casefold()
        matches = np.array([wanted in text.casefold() for text in runs.types], np.bool_)
        rows = np.flatnonzero(matches[runs.type])
        for (text, step), (count, time) in runs.sums(rows, by_name=question.by == "name").items():
            of_text = sums[runs.are_kernels, text]
            before = of_text.get(step, (0, 0))
            of_text[step] = before[0] + count, before[1] + time
        is_asked = np.bool_(question.step is None) | (runs.step.filled(-1)[rows] == question.step)
        chosen.append((runs, rows[is_asked]))
        yield
    steps = sorted({step for of_text in sums.values() for step in of_text if step >= 0})
    order = sorted(sums, key=lambda key: (-sum(time for _, time in sums[key].values()), key))
    runs_table = yield from _runs_table(chosen, question.limit, tick_ps)
    facts = [
        Fact("steps", "Steps", len(steps), "count"),
        Fact("types", "Types" if question.by == "type" else "Names", len(order), "count", "of operators and kernels"),
        Fact("runs", "Runs", sum(len(rows) for _, rows in chosen), "count", "" if question.step is None else "of it"),
    ]
    notes = [Note("info", OTHER_PAGES)]
    if missing := missing_rank(scope.reader, question.rank, OPERATORS, KERNELS):
        notes.append(Note("warning", missing))
    return Answer(
        facts,
        [_sums_table(order[: question.limit], sums, tick_ps), runs_table],
        [chart for are_kernels in (False, True) for chart in _charts(are_kernels, order, sums, steps, tick_ps)],
        notes,
    )


def _sums_table(order: Sequence[tuple[bool, str]], sums: Sums, tick_ps: int) -> Table:
    wholes = [[sum(figures) for figures in zip(*sums[key].values(), strict=True)] for key in order]
    columns = [
        Column("name", "Name", "name", [text for _, text in order]),
        Column("kind", "Kind", "text", [_kind(are_kernels) for are_kernels, _ in order]),
        Column("steps", "Steps", "count", [len(sums[key]) for key in order], total="none"),
        Column("count", "Runs", "count", [count for count, _ in wholes]),
        Column("total", "Time", "ticks", [nearest_mean(time, tick_ps) for _, time in wholes]),
        Column("mean", "Mean", "ticks", [nearest_mean(time, count * tick_ps) for count, time in wholes], total="none"),
    ]
    return Table("types", "Over all steps", columns)


def _runs_table(
    chosen: Sequence[tuple[ShapedRuns, NDArray[np.int64]]], limit: int, tick_ps: int
) -> Interruptible[Table]:
    """Runs in the order of the files, with their shapes, or blocks and grids."""
    cells: dict[str, list[str | None]] = {name: [] for name in ("op_side", "shape_info", "block_dim", "grid_dim")}
    ranks: list[int | None] = []
    kinds: list[str] = []
    steps: list[int | None] = []
    types: list[str] = []
    names: list[str] = []
    times: list[int | None] = []
    for runs, rows in chosen:
        page = rows[: limit - len(names)]
        ranks += [runs.table.entry.rank] * len(page)
        kinds += [_kind(runs.are_kernels)] * len(page)
        steps += runs.step[page].tolist()
        types += [runs.types[code] for code in runs.type[page].tolist()]
        names += [runs.names[code] for code in runs.name[page].tolist()]
        times += [None if time is None else nearest_mean(time, tick_ps) for time in runs.time[page].tolist()]
        for name, texts in cells.items():
            texts += yield from _cells(runs.table, name, page)
            yield
    columns = [
        Column("step", "Step", "count", steps, total="none"),
        Column("kind", "Kind", "text", kinds),
        Column("side", "Runs on", "text", cells["op_side"]),
        Column("type", "Type", "name", types),
        Column("name", "Name", "text", names),
        Column("duration", "Duration", "ticks", times),
        Column("shapes", "Shapes", "text", cells["shape_info"]),
        Column("block", "Block", "text", cells["block_dim"]),
        Column("grid", "Grid", "text", cells["grid_dim"]),
        Column("rank", "Rank", "count", ranks, total="none"),
    ]
    return Table("runs", "Runs", columns)


def _cells(table: RunTable, name: str, rows: NDArray[np.int64]) -> Interruptible[list[str | None]]:
    header = column_named(table, name)
    return [None] * len(rows) if header is None else (yield from table.texts(header, rows))


def _charts(
    are_kernels: bool, order: Sequence[tuple[bool, str]], sums: Sums, steps: Sequence[int], tick_ps: int
) -> list[Series]:
    """The mean of the runs in each step, of those with the most time."""
    drawn = [key for key in order if key[0] == are_kernels][:_DRAWN]
    if not drawn or not steps:
        return []
    ys = []
    for place, key in enumerate(drawn):
        pairs = [sums[key].get(step) for step in steps]
        means = [None if pair is None else nearest_mean(pair[1], pair[0] * tick_ps) for pair in pairs]
        title = _CONTROL.sub(" ", key[1])[:256] or "without a name"
        ys.append(Column(f"series{place}", title, "ticks", means))
    kind = _kind(are_kernels)
    return [Series(f"{kind}s", f"Mean of each {kind} by step", "line", Column("step", "Step", "count", steps), ys)]


def _kind(are_kernels: bool) -> str:
    return "kernel" if are_kernels else "operator"


def _availability(scope: Scope) -> Reason:
    return "" if run_tables(scope.reader, OPERATORS, KERNELS) else NO_SHAPES


TOOL: Final = Tool(
    id="dynamic_shape",
    title="Dynamic shapes",
    help="the time of operators and kernels by step in a network of dynamic shapes, with the shapes of each run",
    group="events",
    question=DynamicShapeQuestion,
    answer=_answer,
    availability=_availability,
)
