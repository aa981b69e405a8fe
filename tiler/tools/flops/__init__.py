"""FLOPs of AI Cores: of a step, of scopes and of operators, as MindSpore's first profiler writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.flops import FLOPS_EXPONENT, PARTS, TOTAL, FlopFigures, flop_figures
from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.ascend.table_places import missing_rank, tables_of_rank
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.table_figures import joined, whole_figures
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value, values_of
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.flops.scopes import MAX_SCOPES, ScopeTree
from tilescope.tiler.tools.operations import OF_PEAK
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200

_OPERATORS: Final = "flops"
_SUMMARY: Final = "flops_summary"
_LINKS: Final = "flops_scope.data.links"

AS_RUN: Final = (
    "FLOPs are those that AI Cores ran, of cubes with the padding to blocks of 16: more than the model needs; work of "
    "AI CPUs is not among them, and utilization depends on how the run is divided into steps"
)
NO_FLOPS: Final = (
    "no file of the run has FLOPs: MindSpore's profiler writes flops_N.txt, flops_summary_N.json and "
    "flops_scope_N.json for networks that run as graphs, where it counts the arithmetic of AI Cores: "
    "Profiler(aicore_metrics=0)"
)

_TITLES: Final = {TOTAL: "", "cube": "Cube ", "vector": "Vector "}


class FlopsQuestion(Question, frozen=True, kw_only=True):
    """FLOPs by rank, scope and operator."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The rank whose figures are listed; all unless given.")
    ] = None
    contains: Annotated[
        Annotated[str, Meta(min_length=1, max_length=256)] | None,
        Meta(description="Only operators in whose full name this text is, in any case."),
    ] = None
    depth: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None, Meta(description="The most levels of scopes; all unless given.")
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most operators that are listed.")] = DEFAULT_LISTED


@dataclass(frozen=True, slots=True)
class _Operators:
    """Operators of one file."""

    table: RunTable
    names: Sequence[str | None]
    figures: Mapping[str, FlopFigures]


def _answer(scope: Scope, question: FlopsQuestion) -> Interruptible[Answer]:
    tables = tables_of_rank(scope.reader, question.rank, _SUMMARY, _OPERATORS, _LINKS)
    operators: list[_Operators] = []
    for table in tables:
        name = column_named(table, "full_kernel_name")
        if table.entry.family == _OPERATORS and name is not None:
            names = (yield from table.column(name)).texts()
            operators.append(_Operators(table, names, (yield from flop_figures(table))))
    tree = yield from _scopes(tables, operators)
    ranks = yield from _ranks([table for table in tables if table.entry.family == _SUMMARY], operators)
    listed = [ranks]
    if tree.rows:
        listed.append(tree.table(question.depth))
    if operators:
        listed.append(_operators_table(operators, question))
    notes = [Note("info", AS_RUN)]
    if missing := missing_rank(scope.reader, question.rank, _SUMMARY, _OPERATORS, _LINKS):
        notes.append(Note("warning", missing))
    if tree.left_out:
        words = plural(tree.left_out, "scope is", "scopes are")
        notes.append(Note("info", f"{words} not listed: the links do not say in which of several scopes they lie"))
    if len(tree.rows) > MAX_SCOPES:
        notes.append(Note("info", "not all scopes are listed: ask for a rank, or for fewer levels with depth"))
    return Answer(_facts(ranks), listed, notes=notes)


def _ranks(summaries: Sequence[RunTable], operators: Sequence[_Operators]) -> Interruptible[Table]:
    """A row for each summary, and for each file of operators whose rank has none: the sum of these."""
    ranks: list[int | None] = []
    hosts: list[str | None] = []
    flops: list[int | None] = []
    rates: list[float | None] = []
    of_peak: list[float | None] = []
    for table in summaries:
        figures = (yield from flop_figures(table))[TOTAL]
        for row in range(len(table)):
            ranks.append(table.entry.rank)
            hosts.append(table.entry.host or None)
            flops.append(figures.flops[row : row + 1].tolist()[0])
            rates.append(_number(float(figures.rate[row])))
            of_peak.append(_number(float(figures.of_peak[row])))
    covered = set(ranks)
    for each in operators:
        if each.table.entry.rank not in covered:
            ranks.append(each.table.entry.rank)
            hosts.append(each.table.entry.host or None)
            flops.append(sum_of(each.figures[TOTAL].flops.filled(0)))
            rates.append(None)
            of_peak.append(None)
    columns = [
        Column("rank", "Rank", "count", ranks, total="none"),
        Column("host", "Host", "name", hosts),
        Column("flops", "FLOPs", "flops", flops),
        Column("rate", "FLOP rate", "rate", rates, "FLOP/s"),
        Column("of_peak", "Utilization", "fraction", of_peak, OF_PEAK, total="none"),
    ]
    return Table("ranks", "A step of each rank", columns)


def _facts(ranks: Table) -> list[Fact]:
    flops = [value for value in values_of(ranks.column("flops")) if isinstance(value, int)]
    rates = [value for value in values_of(ranks.column("rate")) if isinstance(value, float)]
    of_peak = [value for value in values_of(ranks.column("of_peak")) if isinstance(value, float)]
    rows = len(ranks)
    kind = "of a step" if rows == 1 else f"of a step of {plural(rows, 'rank', 'ranks')} together"
    mean = "" if len(of_peak) < 2 else f"mean of {len(of_peak):,} ranks"
    return [
        Fact("ranks", "Ranks", rows, "count"),
        Fact("flops", "FLOPs", sum(flops) if flops else None, "flops", kind),
        Fact("rate", "FLOP rate", sum(rates) if rates else None, "rate", "" if rates else "no summary of the step"),
        Fact("of_peak", "Utilization", sum(of_peak) / len(of_peak) if of_peak else None, "fraction", mean),
    ]


def _scopes(tables: Sequence[RunTable], operators: Sequence[_Operators]) -> Interruptible[ScopeTree]:
    """The scopes of the files that have links, and else those of operators."""
    tree = ScopeTree()
    covered = set()
    for table in tables:
        names = [column_named(table, name) for name in ("source", "target", "value")]
        if table.entry.family != _LINKS or None in names:
            continue
        cells = []
        for name in names:
            cells.append((yield from table.column(str(name))))
        flops = whole_figures(cells[2], FLOPS_EXPONENT).filled(0).tolist()
        links = zip(cells[0].texts(), cells[1].texts(), flops, strict=True)
        tree.add_links(((source or "", target or "", value) for source, target, value in links), table.entry.rank)
        covered.add(table.entry.rank)
        yield
    for each in operators:
        if each.table.entry.rank not in covered:
            values = each.figures[TOTAL].flops.filled(0).tolist()
            named = ((name or "", value) for name, value in zip(each.names, values, strict=True))
            tree.add_operators(named, each.table.entry.rank)
            yield
    return tree


def _operators_table(operators: Sequence[_Operators], question: FlopsQuestion) -> Table:
    names = [name or "" for each in operators for name in each.names]
    ranks = [each.table.entry.rank for each in operators for _ in each.names]
    flops = {part: joined([each.figures[part].flops for each in operators]) for part in PARTS}
    wanted = None if question.contains is None else question.contains.casefold()
    chosen = np.array([wanted is None or wanted in name.casefold() for name in names], np.bool_)
    order = np.argsort(-flops[TOTAL].filled(-1).astype(np.float64), kind="stable")
    order = order[chosen[order]]
    rows, others = order[: question.limit], order[question.limit :]
    whole = sum_of(flops[TOTAL].filled(0)[order])
    values = flops[TOTAL][rows].tolist()
    columns = [
        Column("name", "Operator", "name", [names[row] for row in rows]),
        Column("rank", "Rank", "count", [ranks[row] for row in rows], total="none"),
        Column("flops", "FLOPs", "flops", flops[TOTAL][rows]),
        Column("share", "Share", "fraction", [None if not whole or v is None else v / whole for v in values]),
    ]
    for part in PARTS:
        rates = np.concatenate([each.figures[part].rate for each in operators])[rows]
        of_peak = np.concatenate([each.figures[part].of_peak for each in operators])[rows]
        title, prefix = _TITLES[part], f"{part}_" if part else ""
        if part:
            columns.append(Column(f"{prefix}flops", f"{title}FLOPs", "flops", flops[part][rows]))
        columns += [
            Column(f"{prefix}rate", f"{title}FLOP rate".capitalize(), "rate", _numbers(rates), "FLOP/s", total="none"),
            Column(
                f"{prefix}of_peak", f"{title}utilization".capitalize(), "fraction", _numbers(of_peak), OF_PEAK, "none"
            ),
        ]

    def sums(places: NDArray[np.int64]) -> dict[str, Value]:
        return {f"{part}_flops" if part else "flops": sum_of(flops[part].filled(0)[places]) for part in PARTS}

    rest = sums(others) if len(others) else None
    return Table("operators", "By operator", columns, totals=sums(order), rest=rest)


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _availability(scope: Scope) -> Reason:
    return "" if run_tables(scope.reader, _SUMMARY, _OPERATORS, _LINKS) else NO_FLOPS


TOOL: Final = Tool(
    id="flops",
    title="FLOPs",
    help="the floating-point operations of AI Cores by rank, scope and operator, from MindSpore's tables",
    group="events",
    question=FlopsQuestion,
    answer=_answer,
    availability=_availability,
    contract=Contract(parts={"flops": ("ranks.flops",)}, lists={"ranks": "ranks"}),
)
