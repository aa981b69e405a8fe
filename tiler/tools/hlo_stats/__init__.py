"""Where the time of devices goes, by the instructions of their programs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.facts.operations import Operation, tpu_cores
from tilescope.tiler.facts.operations.exact_columns import Ints, sum_of
from tilescope.tiler.facts.operations.operation_table import some_of
from tilescope.tiler.facts.operations.rates import Rates, rates_of
from tilescope.tiler.query import Steps
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.memory_rates import memory_columns
from tilescope.tiler.tools.operation_notes import operation_notes
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations, asked_operations, availability, time_facts
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200


class HloStatsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of TPU cores or GPUs in a span or in steps."""

    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most instructions that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: HloStatsQuestion) -> Steps[Answer]:
    asked = yield from asked_operations(scope, question)
    order = asked.table.columns.by_time()
    yield
    return Answer(
        time_facts(asked),
        [_table(asked, order, question.limit, _core_of(scope))] if asked.table.cores else [],
        notes=[*asked.notes, *operation_notes(asked), *([Note("info", _tuning(scope))] if asked.table.cores else [])],
    )


def _tuning(scope: Scope) -> str:
    """Why nothing is said of autotuning."""
    text = "which instructions were autotuned is not recorded: no profiler writes it"
    return text if tpu_cores(scope.reader) else f"{text}; XLA's flag --xla_gpu_dump_autotune_results_to=FILE does"


def _core_of(scope: Scope) -> str | None:
    """On which sort of core instructions run, where there are several."""
    return "TensorCore" if tpu_cores(scope.reader) else None


def _table(asked: AskedOperations, order: Ints, limit: int, core: str | None) -> Table:
    listed = some_of(asked.table.operations, order[:limit].tolist())
    rates = [rates_of(of, asked.peaks) for of in listed]
    span = asked.table.span

    def of_rates(name: str, title: str, unit: str, value: Callable[[Rates], float | None]) -> Column:
        return Column(name, title, "rate", [value(of) for of in rates], unit, total="none")

    def texts(name: str, title: str, value: Callable[[Operation], str]) -> Column:
        return Column(name, title, "text", [value(of) or None for of in listed])

    shares: list[Value] = [of.own / span if span else None for of in listed]
    columns = [
        Column("name", "Instruction", "name", [of.metadata.name for of in listed]),
        Column("category", "Category", "text", [of.metadata.category or None for of in listed]),
        Column("count", "Count", "count", [of.count for of in listed]),
        Column("total", "Total", "ticks", [asked.ticks(of.total) for of in listed]),
        Column("self", "Self", "ticks", [asked.ticks(of.own) for of in listed]),
        Column("share", "Share", "fraction", shares),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"),
        Column(
            "mean",
            "Mean",
            "ticks",
            [nearest_mean(asked.ticks(of.total), of.count) if of.count else None for of in listed],
            total="none",
        ),
        Column(
            "mean_self",
            "Mean self",
            "ticks",
            [nearest_mean(asked.ticks(of.own), of.count) if of.count else None for of in listed],
            total="none",
        ),
        of_rates("flop_rate", "FLOP rate", "FLOP/s", lambda of: of.flops),
        of_rates("hbm_rate", "HBM rate", "B/s", lambda of: of.hbm),
        of_rates("byte_rate", "All memory", "B/s", lambda of: of.bytes),
        Column("intensity", "Intensity", "number", [of.intensity for of in rates], "FLOP/B", total="none"),
        Column("bound_by", "Bound by", "text", [of.bound_by or None for of in rates]),
        Column("of_peak", "Used", "fraction", [of.share for of in rates], OF_PEAK, total="none"),
        Column(
            "stalled",
            "Waits for copies",
            "fraction",
            [of.stall / of.total if of.total else None for of in listed],
            total="none",
        ),
        texts("framework", "Framework operation", lambda of: of.metadata.provenance),
        texts("source", "Source", lambda of: of.metadata.source),
        texts("source_stack", "Called from", lambda of: of.metadata.source_stack),
        texts("program", "Program", lambda of: of.metadata.program),
        texts("expression", "Expression", lambda of: of.metadata.expression),
        of_rates("model_flop_rate", "Model FLOP rate", "FLOP/s", lambda of: of.model_flops),
        *memory_columns(list(zip(listed, rates, strict=True))),
        Column("recomputed", "Recomputed", "flag", [of.metadata.is_recomputed for of in listed]),
        Column("outside", "With the host", "flag", [of.metadata.is_outside for of in listed]),
        Column("core", "Core", "text", [core for _ in listed]),
        Column("flops", "FLOPs", "flops", [of.flops if of.tells_flops else None for of in listed]),
        Column("bytes", "Bytes", "bytes", [of.bytes if of.tells_bytes else None for of in listed]),
        Column("track", "Track", "track", [of.track for of in listed]),
        query_column(of.metadata.name for of in listed),
    ]
    rest = _sums(asked, order[limit:]) if len(order) > len(listed) else None
    return Table("operations", "By instruction", columns, totals=_sums(asked, order), rest=rest)


def _sums(asked: AskedOperations, places: Ints) -> dict[str, Value]:
    of, span = asked.table.columns, asked.table.span
    own = sum_of(of.own[places])
    return {
        "count": sum_of(of.count[places]),
        "total": asked.ticks(sum_of(of.total[places])),
        "self": asked.ticks(own),
        "share": own / span if span else None,
        "flops": sum_of(of.flops[places]) if of.tells_flops[places].any() else None,
        "bytes": sum_of(of.bytes[places]) if of.tells_bytes[places].any() else None,
    }


TOOL: Final = Tool(
    id="hlo_stats",
    title="HLO operations",
    help="how much time the devices spend on each instruction of their programs, how fast, and what bounds it",
    group="devices",
    question=HloStatsQuestion,
    answer=_answer,
    availability=availability,
    contract=Contract(
        added=("span", "busy", "operations.count", "operations.self", "operations.flops", "operations.bytes"),
        rows=(AddedRows("operations", ("name", "program", "core"), ("count", "total", "self", "flops", "bytes")),),
        parts={"busy": ("operations.self",)},
    ),
)
