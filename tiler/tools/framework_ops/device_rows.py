"""Operations of the framework on devices, as a table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.framework import FrameworkColumns, FrameworkOperation, known_rates
from tilescope.tiler.facts.operations.rates import Rates
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.framework_ops.shown import OperationRow, RowSums, ShownRows, leading
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations


def device_table(device_operations: AskedOperations, limit: int, *, with_idle: bool) -> Table:
    """Operations of devices, those that take most time first."""
    table = device_operations.table
    framework = FrameworkColumns.of_table(table)
    own, total = framework.own // device_operations.tick_ps, framework.total // device_operations.tick_ps
    idle, whole = device_operations.ticks(table.idle), device_operations.ticks(table.span if with_idle else table.busy)
    places = framework.first(own, limit)
    rows = [_device_row(device_operations, operation) for operation in framework.operations(table, places)]
    others = np.ones(len(framework), np.bool_)
    others[places] = False
    sums = RowSums(
        len(framework) - len(places),
        sum_of(framework.count[others]),
        sum_of(total[others]),
        sum_of(own[others]),
        sum_of(framework.flops[others]) if framework.knows_flops[others].any() else None,
        sum_of(framework.bytes[others]),
    )
    shown = ShownRows(rows, sums, idle if with_idle else 0, whole, limit)
    listed = shown.listed

    def of_rates(name: str, title: str, unit: str, value: Callable[[Rates], float | None]) -> Column:
        values = [None if row.rates is None else value(row.rates) for row in listed]
        return Column(name, title, "rate", values, unit, total="none")

    def shares(name: str, title: str, value: Callable[[Rates], float | None], unit: str = "") -> Column:
        fractions = [None if row.rates is None else value(row.rates) for row in listed]
        return Column(name, title, "fraction", fractions, unit, total="none")

    columns = [
        *shown.columns(),
        of_rates("flop_rate", "FLOP rate", "FLOP/s", lambda rates: rates.flops),
        of_rates("byte_rate", "Memory rate", "B/s", lambda rates: rates.bytes),
        Column(
            "intensity",
            "Intensity",
            "number",
            [None if row.rates is None else row.rates.intensity for row in listed],
            "FLOP/B",
            total="none",
        ),
        Column(
            "bound_by",
            "Bound by",
            "text",
            [None if row.rates is None else row.rates.bound_by or None for row in listed],
        ),
        shares("of_peak", "Of its peak", lambda rates: rates.share, OF_PEAK),
        *shown.means(),
        of_rates("model_flop_rate", "Model FLOP rate", "FLOP/s", lambda rates: rates.model_flops),
        Column("flops", "FLOPs", "flops", [row.flops for row in listed]),
        Column("bytes", "Bytes", "bytes", [row.bytes for row in listed]),
        Column("run_as", "Run as", "text", ["function" if row.is_compiled else None for row in listed]),
        *leading(listed),
    ]
    return shown.table("device", "On devices", columns)


def _device_row(device_operations: AskedOperations, operation: FrameworkOperation) -> OperationRow:
    return OperationRow(
        operation.name,
        operation.type,
        operation.sums.count,
        device_operations.ticks(operation.sums.total),
        device_operations.ticks(operation.sums.own),
        operation.sums.track,
        operation.longest_part.metadata.name,
        known_rates(operation, device_operations.peaks),
        operation.sums.flops if operation.knows_flops else None,
        operation.sums.bytes if operation.knows_bytes else None,
        is_compiled=bool(operation.longest_part.metadata.program),
    )
