"""Time of devices, by the instructions of their programs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.facts.operations import Operation, tpu_cores
from tilescope.tiler.facts.operations.exact_columns import Ints, sum_of
from tilescope.tiler.facts.operations.operation_table import some_of
from tilescope.tiler.facts.operations.rates import Rates, rates_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.records.device.xla_words import is_outside, is_recomputed
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.memory_rates import memory_columns
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

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200


class HloStatsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of TPU cores or GPUs in a span or in steps."""

    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most instructions that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: HloStatsQuestion) -> Interruptible[Answer]:
    device_operations = yield from asked_operations(scope, question)
    order = device_operations.table.columns.by_time()
    of_operations = operation_notes(device_operations)
    yield
    return Answer(
        time_facts(device_operations),
        [_table(device_operations, order, question.limit, _core_of(scope))] if device_operations.table.cores else [],
        notes=[
            *device_operations.notes,
            *of_operations[1:],
            *([Note("info", _tuning(scope))] if device_operations.table.cores else []),
        ],
        headline=next(iter(of_operations), None),
    )


def _tuning(scope: Scope) -> str:
    """The reason for which the answer says nothing of autotuning."""
    text = "which instructions were autotuned is not recorded: no profiler writes it"
    return text if tpu_cores(scope.reader) else f"{text}; XLA's flag --xla_gpu_dump_autotune_results_to=FILE does"


def _core_of(scope: Scope) -> str | None:
    """On which sort of core instructions run, where there are several."""
    return "TensorCore" if tpu_cores(scope.reader) else None


def _table(device_operations: AskedOperations, order: Ints, limit: int, core: str | None) -> Table:
    listed = some_of(device_operations.table.operations, order[:limit].tolist())
    listed_rates = [rates_of(operation, device_operations.peaks) for operation in listed]
    metadata = [operation.metadata for operation in listed]
    span = device_operations.table.span

    def of_rates(name: str, title: str, unit: str, value: Callable[[Rates], float | None]) -> Column:
        return Column(name, title, "rate", [value(rates) for rates in listed_rates], unit, total="none")

    def texts(name: str, title: str, value: Callable[[Operation], str]) -> Column:
        return Column(name, title, "text", [value(operation) or None for operation in listed])

    shares: list[Value] = [operation.own / span if span else None for operation in listed]
    columns = [
        Column("name", "Instruction", "name", [operation.metadata.name for operation in listed]),
        Column("category", "Category", "text", [operation.metadata.category or None for operation in listed]),
        Column("count", "Count", "count", [operation.count for operation in listed]),
        Column("total", "Total", "ticks", [device_operations.ticks(operation.total) for operation in listed]),
        Column("self", "Self", "ticks", [device_operations.ticks(operation.own) for operation in listed]),
        Column("share", "Share", "fraction", shares),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"),
        Column(
            "mean",
            "Mean",
            "ticks",
            [
                nearest_mean(device_operations.ticks(operation.total), operation.count) if operation.count else None
                for operation in listed
            ],
            total="none",
        ),
        Column(
            "mean_self",
            "Mean self",
            "ticks",
            [
                nearest_mean(device_operations.ticks(operation.own), operation.count) if operation.count else None
                for operation in listed
            ],
            total="none",
        ),
        of_rates("flop_rate", "FLOP rate", "FLOP/s", lambda rates: rates.flops),
        of_rates("hbm_rate", "HBM rate", "B/s", lambda rates: rates.hbm),
        of_rates("byte_rate", "All memory", "B/s", lambda rates: rates.bytes),
        Column("intensity", "Intensity", "number", [rates.intensity for rates in listed_rates], "FLOP/B", total="none"),
        Column("bound_by", "Bound by", "text", [rates.bound_by or None for rates in listed_rates]),
        Column("of_peak", "Used", "fraction", [rates.share for rates in listed_rates], OF_PEAK, total="none"),
        Column(
            "stalled",
            "Waits for copies",
            "fraction",
            [operation.stall / operation.total if operation.total else None for operation in listed],
            total="none",
        ),
        texts("framework", "Framework operation", lambda operation: operation.metadata.provenance),
        texts("source", "Source", lambda operation: operation.metadata.source),
        texts("source_stack", "Called from", lambda operation: operation.metadata.source_stack),
        texts("program", "Program", lambda operation: operation.metadata.program),
        texts("expression", "Expression", lambda operation: operation.metadata.expression),
        of_rates("model_flop_rate", "Model FLOP rate", "FLOP/s", lambda rates: rates.model_flops),
        *memory_columns(list(zip(listed, listed_rates, strict=True))),
        Column("recomputed", "Recomputed", "flag", [is_recomputed(each.name, each.framework) for each in metadata]),
        Column("outside", "With the host", "flag", [is_outside(each.framework, each.expression) for each in metadata]),
        Column("core", "Core", "text", [core for _ in listed]),
        Column("flops", "FLOPs", "flops", [operation.flops if operation.tells_flops else None for operation in listed]),
        Column("bytes", "Bytes", "bytes", [operation.bytes if operation.tells_bytes else None for operation in listed]),
        Column("track", "Track", "track", [operation.track for operation in listed]),
        query_column(operation.metadata.name for operation in listed),
    ]
    rest = _sums(device_operations, order[limit:]) if len(order) > len(listed) else None
    return Table("operations", "By instruction", columns, totals=_sums(device_operations, order), rest=rest)


def _sums(device_operations: AskedOperations, places: Ints) -> dict[str, Value]:
    columns, span = device_operations.table.columns, device_operations.table.span
    own = sum_of(columns.own[places])
    return {
        "count": sum_of(columns.count[places]),
        "total": device_operations.ticks(sum_of(columns.total[places])),
        "self": device_operations.ticks(own),
        "share": own / span if span else None,
        "flops": sum_of(columns.flops[places]) if columns.tells_flops[places].any() else None,
        "bytes": sum_of(columns.bytes[places]) if columns.tells_bytes[places].any() else None,
    }


TOOL: Final = Tool(
    id="hlo_stats",
    title="HLO operations",
    help="time, speed and limit of each instruction of the programs",
    group="program",
    question=HloStatsQuestion,
    answer=_answer,
    sentence=time_sentence,
    availability=availability,
    contract=Contract(
        added=("span", "busy", "operations.count", "operations.self", "operations.flops", "operations.bytes"),
        rows=(AddedRows("operations", ("name", "program", "core"), ("count", "total", "self", "flops", "bytes")),),
        parts={"busy": ("operations.self",)},
    ),
)
