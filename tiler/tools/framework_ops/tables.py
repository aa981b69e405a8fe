"""Operations of the framework as tables: those of devices, and those of hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

import numpy as np

from tilescope.tiler.facts.host_operations import HostOp, OpSource
from tilescope.tiler.facts.host_operations.naming import pytorch_type
from tilescope.tiler.facts.operations import LaunchedWork
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.framework import FrameworkColumns, FrameworkOperation, known_rates
from tilescope.tiler.facts.operations.rates import Rates
from tilescope.tiler.query import QueryReader
from tilescope.tiler.schema import Kind, TotalKind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.host_operations import AskedHost
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations
from tilescope.tiler.tools.row_query import query_column

IDLE: Final = "idle"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of either table; times in ticks. `count` None: no operation, but the time without one."""

    name: str
    type: str
    count: int | None
    total: int
    own: int
    track: int
    shown: str | None  # the name of its events in the timeline
    rates: Rates | None = None
    flops: int | None = None
    bytes: int | None = None
    is_compiled: bool = False  # of a device: all that it does is of compiled programs


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
    sums = _Sums(
        len(framework) - len(places),
        sum_of(framework.count[others]),
        sum_of(total[others]),
        sum_of(own[others]),
        sum_of(framework.flops[others]) if framework.knows_flops[others].any() else None,
        sum_of(framework.bytes[others]),
    )
    shown = _Shown(rows, sums, idle if with_idle else 0, whole, limit)
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
        *_leading(listed),
    ]
    return shown.table("device", "On devices", columns)


def _device_row(device_operations: AskedOperations, operation: FrameworkOperation) -> _Row:
    return _Row(
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


def host_table(
    reader: QueryReader, host: AskedHost, device_operations: AskedOperations, limit: int, *, with_idle: bool
) -> Table:
    """Operations of hosts, those that take most time first, with what they launch on devices."""
    table = host.table
    order = sorted(table.operations, key=lambda operation: (-operation.own, operation.op.name))
    names = reader.names.by_id(operation.name for operation in order[:limit])
    rows = [
        _Row(
            operation.op.name,
            operation.op.type,
            operation.count,
            operation.total,
            operation.own,
            operation.track,
            names[operation.name].text,
        )
        for operation in order[:limit]
    ]
    # Of calls before a range, what they launch may run in it.
    called = {operation.op.name for operation in order}
    behind = sorted((device_operations.table.launched or {}).keys() - called)[: limit - len(rows)]
    rows += [_Row(name, pytorch_type(name), 0, 0, 0, -1, name) for name in behind]
    others = _Sums(
        max(len(order) - limit, 0),
        *(sum(getattr(operation, column) for operation in order[limit:]) for column in ("count", "total", "own")),
    )
    shown = _Shown(rows, others, table.idle if with_idle else 0, table.span if with_idle else table.busy, limit)
    ways = {operation.op.name: _way(operation.op) for operation in order[:limit]}
    columns = [
        *shown.columns(),
        *_launched(device_operations, shown.listed),
        *shown.means(),
        Column("run_as", "Run as", "text", [ways.get(row.name) for row in shown.listed]),
        *_leading(shown.listed),
    ]
    return shown.table("host", "On hosts", columns)


def _way(op: HostOp) -> str | None:
    """Mode in which it runs; None: nobody says it."""
    if op.source == OpSource.PYTORCH:
        return None
    return "eager" if op.is_eager else "function"


def _launched(device_operations: AskedOperations, listed: Sequence[_Row]) -> list[Column]:
    """Work that operators launch on devices, as columns, of which only the last adds up; empty where nobody says it."""
    launched = device_operations.table.launched
    if launched is None:
        return []
    works = [None if row.count is None else launched.get(row.name, LaunchedWork()) for row in listed]

    def column(name: str, title: str, kind: Kind, value: Callable[[LaunchedWork], int], total: TotalKind) -> Column:
        return Column(name, title, kind, [None if work is None else value(work) for work in works], total=total)

    ticks = device_operations.ticks
    return [
        column("kernels", "Launches", "count", lambda work: work.count, "none"),
        column("device_total", "Device total", "ticks", lambda work: ticks(work.total), "none"),
        column("device_self", "Device self", "ticks", lambda work: ticks(work.own), "sum"),
    ]


@dataclass(slots=True)
class _Sums:
    """Sums of so many rows; `flops` None: of none of them they are known."""

    rows: int = 0
    count: int = 0
    total: int = 0
    own: int = 0
    flops: int | None = None
    bytes: int = 0

    def add(self, rows: Iterable[_Row]) -> _Sums:
        """With more rows."""
        sums = replace(self)
        for row in rows:
            sums.rows += 1
            sums.count += row.count or 0
            sums.total += row.total
            sums.own += row.own
            sums.bytes += row.bytes or 0
            if row.flops is not None:
                sums.flops = (sums.flops or 0) + row.flops
        return sums

    def values(self, whole: int) -> dict[str, Value]:
        """By column; shares are of `whole`."""
        values: dict[str, Value] = {
            "count": self.count,
            "total": self.total,
            "self": self.own,
            "share": self.own / whole if whole else None,
        }
        return values if self.flops is None else values | {"flops": self.flops, "bytes": self.bytes}


class _Shown:
    """Rows, with one for the time without any, the greatest first; `whole`: what shares are of.

    `others` are the sums of rows that come after these.
    """

    def __init__(self, rows: Sequence[_Row], others: _Sums, idle: int, whole: int, limit: int) -> None:
        every = [*rows, _Row(IDLE, "", None, idle, idle, -1, None)] if idle > 0 else list(rows)
        every.sort(key=lambda row: (-row.own, row.name))
        self.listed = every[:limit]
        self._rest = others.add(every[limit:])
        self._whole = whole

    def columns(self) -> list[Column]:
        """The columns that devices and hosts have in common."""
        listed, whole = self.listed, self._whole
        shares: list[Value] = [row.own / whole if whole else None for row in listed]

        return [
            Column("name", "Operation", "name", [row.name for row in listed]),
            Column("type", "Type", "text", [row.type or None for row in listed]),
            Column("count", "Count", "count", [row.count for row in listed]),
            Column("total", "Total", "ticks", [row.total for row in listed]),
            Column("self", "Self", "ticks", [row.own for row in listed]),
            Column("share", "Share", "fraction", shares),
            Column(
                "cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"
            ),
        ]

    def means(self) -> list[Column]:
        """Columns of the means of one occurrence."""

        def mean(name: str, title: str, value: Callable[[_Row], int]) -> Column:
            means = [nearest_mean(value(row), row.count) if row.count else None for row in self.listed]
            return Column(name, title, "ticks", means, total="none")

        return [
            mean("mean", "Mean", lambda row: row.total),
            mean("mean_self", "Mean self", lambda row: row.own),
        ]

    def table(self, name: str, title: str, columns: Sequence[Column]) -> Table:
        """With sums of all rows, and of those that are not listed."""
        rest = self._rest.values(self._whole) if self._rest.rows else None
        return Table(name, title, columns, totals=self._rest.add(self.listed).values(self._whole), rest=rest)


def _leading(listed: Sequence[_Row]) -> list[Column]:
    """Columns that lead to the rows' events in the timeline."""
    return [
        Column("track", "Track", "track", [row.track if row.track >= 0 else None for row in listed]),
        query_column(row.shown for row in listed),
    ]
