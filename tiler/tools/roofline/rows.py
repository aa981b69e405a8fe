"""Tables of a roofline: the rates of the program and its instructions, and how near they are to their roofs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.rates import Rates
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.memory_rates import memory_columns
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations
from tilescope.tiler.tools.row_query import query_column


@dataclass(frozen=True, slots=True)
class Row:
    """The program, in all or in a step, or one of its instructions."""

    label: str
    operation: Operation
    rates: Rates
    has_time: bool = True


def operation_columns(rows: Sequence[Row], device_operations: AskedOperations, whole: int) -> list[Column]:
    """The program first, then its instructions. `whole`: its time, ps."""
    metadata = [row.operation.metadata for row in rows]
    return [
        Column("name", "Instruction", "name", ["Program", *(instruction.name for instruction in metadata[1:])]),
        Column("category", "Category", "text", [None, *(instruction.category or None for instruction in metadata[1:])]),
        _total(rows, device_operations),
        Column("share", "Share", "fraction", [_over(row.operation.total, whole) for row in rows], total="none"),
        *_rate_columns(rows),
        Column("count", "Count", "count", [row.operation.count for row in rows], total="none"),
        _per_device(rows, device_operations),
        Column("program", "Program", "text", [instruction.program or None for instruction in metadata]),
        Column("source", "Source", "text", [instruction.source or None for instruction in metadata]),
        Column("track", "Track", "track", [None, *(row.operation.track for row in rows[1:])]),
        query_column([None, *(instruction.name for instruction in metadata[1:])]),
    ]


def program_columns(rows: Sequence[Row], device_operations: AskedOperations) -> list[Column]:
    """In all, in an average step, and in each of some."""
    return [
        Column("what", "Program", "text", [row.label for row in rows]),
        _total(rows, device_operations),
        _per_device(rows, device_operations),
        *_rate_columns(rows),
    ]


def _total(rows: Sequence[Row], device_operations: AskedOperations) -> Column:
    return Column(
        "total",
        "Total",
        "ticks",
        [device_operations.ticks(row.operation.total) if row.has_time else None for row in rows],
        total="none",
    )


def _per_device(rows: Sequence[Row], device_operations: AskedOperations) -> Column:
    times = [
        nearest_mean(device_operations.ticks(row.operation.total), device_operations.table.cores)
        if row.has_time
        else None
        for row in rows
    ]
    return Column("per_device", "Each device", "ticks", times, total="none")


def _rate_columns(rows: Sequence[Row]) -> list[Column]:
    def of_rates(name: str, title: str, unit: str, value: Callable[[Rates], float | None]) -> Column:
        return Column(name, title, "rate", [value(row.rates) for row in rows], unit, total="none")

    def shares(name: str, title: str, value: Callable[[Rates], float | None]) -> Column:
        return Column(name, title, "fraction", [value(row.rates) for row in rows], OF_PEAK, total="none")

    def numbers(name: str, title: str, value: Callable[[Rates], float | None]) -> Column:
        return Column(name, title, "number", [value(row.rates) for row in rows], "FLOP/B", total="none")

    return [
        shares("efficiency", "Share of its roof", lambda rates: rates.share),
        Column("bound_by", "Bound by", "text", [row.rates.bound_by or None for row in rows]),
        of_rates("flop_rate", "FLOP rate", "FLOP/s", lambda rates: rates.flops),
        of_rates("optimal", "Rate at its roof", "FLOP/s", lambda rates: rates.optimal_flops),
        numbers("bound_intensity", "Intensity at its roof", lambda rates: rates.bound_intensity),
        shares("flops_share", "FLOPs", lambda rates: rates.flops_share),
        shares("memory_share", "Memory", lambda rates: rates.memory_share),
        of_rates("byte_rate", "All memory", "B/s", lambda rates: rates.bytes),
        of_rates("hbm_rate", "HBM", "B/s", lambda rates: rates.hbm),
        numbers("intensity", "Intensity", lambda rates: rates.intensity),
        *memory_columns([(row.operation, row.rates) for row in rows]),
        of_rates("model_flop_rate", "Model FLOP rate", "FLOP/s", lambda rates: rates.model_flops),
    ]


def _over(part: int, whole: int) -> float | None:
    return part / whole if whole else None
