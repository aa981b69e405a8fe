"""Operators of Ascend devices by core, by type and one by one, from the tables that their profilers write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.facts.ascend.headers import missing_rank
from tilescope.tiler.facts.ascend.operators import FAMILIES, TypeSums, operator_tables
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.operators.instances import (
    DETAILS,
    OperatorInstance,
    TableOperators,
    details,
    framework_rows,
    metrics,
    table_operators,
    time_of,
)
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 20

NO_OPERATORS: Final = (
    "no file of the run is a table of operators: MindSpore's profiler writes aicore_intermediate_* and "
    "aicpu_intermediate_* with Profiler(op_time=True), torch_npu kernel_details.csv, msprof op_summary_*.csv"
)

Text = Annotated[str, Meta(min_length=1, max_length=256)]


class OperatorsQuestion(Question, frozen=True, kw_only=True):
    """Operators by type, and those of one type."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose operators are listed; all unless given.")
    ] = None
    core: Annotated[
        Text | None, Meta(description="Only operators that run there, as in AI_CORE or AI_CPU; all unless given.")
    ] = None
    type: Annotated[Text | None, Meta(description="Only operators of this type.")] = None
    contains: Annotated[
        Text | None, Meta(description="Only operators in whose type or full name this text is, in any case.")
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most types, and the most operators, the longest first.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: OperatorsQuestion) -> Interruptible[Answer]:
    tick_ps = scope.reader.tick_ps
    tables: list[TableOperators] = []
    for table in operator_tables(scope.reader, question.rank):
        tables.append((yield from table_operators(scope.reader, table)))
    sums, shares = _type_sums(tables)
    there = {key: value for key, value in sums.items() if question.core in (None, key[1])}
    framework = yield from framework_rows(run_tables(scope.reader, "framework_raw"))
    chosen: list[OperatorInstance] = []
    for rows in tables:
        chosen += [each for each in rows.operators if _is_chosen(question, each.type, each.core, each.name)]
        yield
    chosen.sort(key=lambda each: (-each.weight, each.name, each.rank or 0))
    listed = chosen[: question.limit]
    operators, counted = yield from _instances_tables(listed, framework, tick_ps)
    missing = missing_rank(scope.reader, question.rank, *FAMILIES)
    notes = [Note("warning", missing)] if missing else []
    if len(chosen) > len(listed):
        notes.append(Note("info", f"{len(chosen) - len(listed):,} more operators are not listed: a greater limit does"))
    facts = [
        Fact("types", "Types", len({name for name, _ in there}), "count"),
        Fact("operators", "Operators", len(chosen), "count", "by name, type and rank"),
        Fact("count", "Runs", sum(count for count, _ in there.values()), "count"),
        Fact("total", "Time", nearest_mean(sum(time for _, time in there.values()), tick_ps), "ticks", "of all types"),
    ]
    return Answer(
        facts,
        [_cores_table(there, tick_ps), _types_table(there, shares, question, tick_ps), operators, counted],
        notes=notes,
    )


def _is_chosen(question: OperatorsQuestion, type_name: str, core: str, name: str) -> bool:
    wanted = (question.contains or "").casefold()
    return (
        question.core in (None, core)
        and question.type in (None, type_name)
        and (wanted in type_name.casefold() or wanted in name.casefold())
    )


def _type_sums(tables: Sequence[TableOperators]) -> tuple[TypeSums, Mapping[tuple[str, str], float]]:
    """Sums of all types, and the shares that MindSpore Insight shows, of a single file of AI Cores and of AI CPUs.

    It has the share that the file says of AI Cores, and of AI CPUs that of means in the sum of means.
    """
    sums: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    shares: dict[tuple[str, str], float] = {}
    families = [each.table.entry.family for each in tables]
    typed = {each.table.entry.rank for each in tables if each.table.entry.family == "aicore_types"}
    for each in tables:
        family = each.table.entry.family
        if FAMILIES[family].is_mean and each.table.entry.rank in typed:
            continue
        for key, (count, time) in each.sums.items():
            sums[key] = sums[key][0] + count, sums[key][1] + time
        if families.count(family) > 1:
            continue
        shares |= each.shares
        if family == "aicpu_intermediate":
            means = {key: time / count for key, (count, time) in each.sums.items() if count}
            whole = sum(means.values())
            shares |= {key: mean / whole for key, mean in means.items() if whole}
    return sums, shares


def _cores_table(sums: TypeSums, tick_ps: int) -> Table:
    cores: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for (_, core), (count, time) in sums.items():
        cores[core] = [cores[core][0] + 1, cores[core][1] + count, cores[core][2] + time]
    order = sorted(cores, key=lambda core: (-cores[core][2], core))
    whole = sum(time for *_, time in cores.values())
    columns = [
        Column("core", "Core", "text", order),
        Column("types", "Types", "count", [cores[core][0] for core in order]),
        Column("count", "Runs", "count", [cores[core][1] for core in order]),
        Column("total", "Time", "ticks", [nearest_mean(cores[core][2], tick_ps) for core in order]),
        Column("share", "Share", "fraction", [cores[core][2] / whole if whole else None for core in order]),
    ]
    return Table("cores", "By core", columns)


def _types_table(
    sums: TypeSums, shares: Mapping[tuple[str, str], float], question: OperatorsQuestion, tick_ps: int
) -> Table:
    """Shares are of all types that there are, whatever the text that is looked for."""
    wholes: dict[str, int] = defaultdict(int)
    for (_, core), (_, time) in sums.items():
        wholes[core] += time
    whole = sum(wholes.values())
    keys = [key for key in sums if _is_chosen(question, *key, "")]
    order = sorted(keys, key=lambda key: (-sums[key][1], key))[: question.limit]
    means = [nearest_mean(time, count * tick_ps) if count > 0 else None for count, time in (sums[key] for key in order)]
    columns = [
        Column("type", "Type", "name", [name for name, _ in order]),
        Column("core", "Core", "text", [core for _, core in order]),
        Column("count", "Runs", "count", [sums[key][0] for key in order]),
        Column("total", "Time", "ticks", [nearest_mean(sums[key][1], tick_ps) for key in order]),
        Column("mean", "Mean", "ticks", means, total="none"),
        Column("share", "Share", "fraction", [sums[key][1] / whole if whole else None for key in order]),
        Column(
            "core_share",
            "Share of its core",
            "fraction",
            [sums[key][1] / wholes[key[1]] if wholes[key[1]] else None for key in order],
            total="none",
        ),
        Column("insight_share", "Like MindInsight", "fraction", [shares.get(key) for key in order], total="none"),
    ]
    return Table("types", "By type", columns)


def _instances_tables(
    listed: Sequence[OperatorInstance],
    framework: Mapping[tuple[int | None, str], tuple[RunTable, int]],
    tick_ps: int,
) -> Interruptible[tuple[Table, Table]]:
    """Operators, and what hardware counted of the longest run of each."""
    cells, dispatch, run = [], [], []
    metric_rows: list[tuple[str, int | None, str, float]] = []
    for each in listed:
        table, row = framework.get((each.rank, each.name), (each.table, each.row))
        cells.append((yield from details(table, row)))
        is_cpu = each.table.entry.family == "aicpu_intermediate"
        dispatch.append((yield from time_of(each.table, each.row, "dispatch_time")) if is_cpu else None)
        run.append((yield from time_of(each.table, each.row, "execution_time")) if is_cpu else None)
        counted = yield from metrics(each.table, each.row)
        metric_rows += [(each.name, each.rank, metric, value) for metric, value in counted.items()]
        yield

    def ticks(values: Sequence[int | None]) -> list[int | None]:
        return [None if value is None else nearest_mean(value, tick_ps) for value in values]

    columns = [
        Column("name", "Operator", "name", [each.name for each in listed]),
        Column("type", "Type", "text", [each.type for each in listed]),
        Column("core", "Core", "text", [each.core or None for each in listed]),
        Column("rank", "Rank", "count", [each.rank for each in listed], total="none"),
        Column("count", "Runs", "count", [each.count for each in listed]),
        Column("total", "Time", "ticks", ticks([each.total for each in listed])),
        Column("mean", "Mean", "ticks", ticks([each.mean for each in listed]), total="none"),
        *(
            Column(detail, title, "text", [texts.get(detail) for texts in cells])
            for detail, (title, _) in DETAILS.items()
        ),
        Column("dispatch", "Dispatch of the longest", "ticks", ticks(dispatch), total="none"),
        Column("run", "Run of the longest", "ticks", ticks(run), total="none"),
    ]
    metric_columns = [
        Column("name", "Operator", "name", [row[0] for row in metric_rows]),
        Column("rank", "Rank", "count", [row[1] for row in metric_rows], total="none"),
        Column("metric", "Metric", "text", [row[2] for row in metric_rows]),
        Column("value", "Of its longest run", "number", [row[3] for row in metric_rows], total="none"),
    ]
    return Table("operators", "By operator", columns), Table("metrics", "Counted by hardware", metric_columns)


def _availability(scope: Scope) -> Reason:
    return "" if run_tables(scope.reader, *FAMILIES) else NO_OPERATORS


TOOL: Final = Tool(
    id="operators",
    title="Operators",
    help="the operators of Ascend devices by core, type and name, from the tables of their profilers",
    group="events",
    question=OperatorsQuestion,
    answer=_answer,
    availability=_availability,
    contract=Contract(parts={"count": ("cores.count",)}),
)
