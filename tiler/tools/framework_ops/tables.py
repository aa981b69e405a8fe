"""Operations of the framework as tables: those of devices, and those of hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

import numpy as np

from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.framework import FrameworkColumns, FrameworkOperation, known_rates
from tilescope.tiler.facts.operations.rates import Rates
from tilescope.tiler.query import QueryReader
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.host_operations import AskedHost
from tilescope.tiler.tools.operations import OF_PEAK, AskedOperations
from tilescope.tiler.tools.row_query import query_column

IDLE: Final = "idle"


@dataclass(frozen=True, slots=True)
class _Row:
    """What devices and hosts have in common; times in ticks. `count` None: no operation, but the time without one."""

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


def device_table(asked: AskedOperations, limit: int, *, with_idle: bool) -> Table:
    """Operations of devices, those that take most time first."""
    table = asked.table
    of = FrameworkColumns.of_table(table)
    own, total = of.own // asked.tick_ps, of.total // asked.tick_ps
    idle, whole = asked.ticks(table.idle), asked.ticks(table.span if with_idle else table.busy)
    places = of.first(own, limit)
    rows = [_device_row(asked, one) for one in of.operations(table, places)]
    others = np.ones(len(of), np.bool_)
    others[places] = False
    sums = _Sums(
        len(of) - len(places),
        sum_of(of.count[others]),
        sum_of(total[others]),
        sum_of(own[others]),
        sum_of(of.flops[others]) if of.knows_flops[others].any() else None,
        sum_of(of.bytes[others]),
    )
    shown = _Shown(rows, sums, idle if with_idle else 0, whole, limit)
    listed = shown.listed

    def of_rates(name: str, title: str, unit: str, value: Callable[[Rates], float | None]) -> Column:
        rates = [None if of.rates is None else value(of.rates) for of in listed]
        return Column(name, title, "rate", rates, unit, total="none")

    def shares(name: str, title: str, value: Callable[[Rates], float | None], unit: str = "") -> Column:
        found = [None if of.rates is None else value(of.rates) for of in listed]
        return Column(name, title, "fraction", found, unit, total="none")

    columns = [
        *shown.columns(),
        of_rates("flop_rate", "FLOP rate", "FLOP/s", lambda of: of.flops),
        of_rates("byte_rate", "Memory rate", "B/s", lambda of: of.bytes),
        Column(
            "intensity",
            "Intensity",
            "number",
            [None if of.rates is None else of.rates.intensity for of in listed],
            "FLOP/B",
            total="none",
        ),
        Column(
            "bound_by", "Bound by", "text", [None if of.rates is None else of.rates.bound_by or None for of in listed]
        ),
        shares("of_peak", "Of its peak", lambda of: of.share, OF_PEAK),
        *shown.means(),
        of_rates("model_flop_rate", "Model FLOP rate", "FLOP/s", lambda of: of.model_flops),
        Column("flops", "FLOPs", "flops", [of.flops for of in listed]),
        Column("bytes", "Bytes", "bytes", [of.bytes for of in listed]),
        Column("run_as", "Run as", "text", ["function" if of.is_compiled else None for of in listed]),
        *_leading(listed),
    ]
    return shown.table("device", "On devices", columns)


def _device_row(asked: AskedOperations, of: FrameworkOperation) -> _Row:
    return _Row(
        of.name,
        of.type,
        of.sums.count,
        asked.ticks(of.sums.total),
        asked.ticks(of.sums.own),
        of.sums.track,
        of.longest_part.metadata.name,
        known_rates(of, asked.peaks),
        of.sums.flops if of.knows_flops else None,
        of.sums.bytes if of.knows_bytes else None,
        is_compiled=bool(of.longest_part.metadata.program),
    )


def host_table(reader: QueryReader, host: AskedHost, limit: int, *, with_idle: bool) -> Table:
    """Operations of hosts, those that take most time first."""
    table = host.table
    order = sorted(table.operations, key=lambda of: (-of.own, of.op.name))
    names = reader.names.of(of.name for of in order[:limit])
    rows = [
        _Row(of.op.name, of.op.type, of.count, of.total, of.own, of.track, names[of.name].text) for of in order[:limit]
    ]
    others = _Sums(
        len(order) - len(rows),
        *(sum(getattr(of, column) for of in order[limit:]) for column in ("count", "total", "own")),
    )
    shown = _Shown(rows, others, table.idle if with_idle else 0, table.span if with_idle else table.busy, limit)
    eager = {of.op.name for of in order[:limit] if of.op.is_eager}
    run = [None if of.count is None else "eager" if of.name in eager else "function" for of in shown.listed]
    columns = [*shown.columns(), *shown.means(), Column("run_as", "Run as", "text", run), *_leading(shown.listed)]
    return shown.table("host", "On hosts", columns)


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
        found = replace(self)
        for of in rows:
            found.rows += 1
            found.count += of.count or 0
            found.total += of.total
            found.own += of.own
            found.bytes += of.bytes or 0
            if of.flops is not None:
                found.flops = (found.flops or 0) + of.flops
        return found

    def values(self, whole: int) -> dict[str, Value]:
        """By column; shares are of `whole`."""
        found: dict[str, Value] = {
            "count": self.count,
            "total": self.total,
            "self": self.own,
            "share": self.own / whole if whole else None,
        }
        return found if self.flops is None else found | {"flops": self.flops, "bytes": self.bytes}


class _Shown:
    """Rows, with one for the time without any, the greatest first; `whole`: what shares are of.

    `others` are the sums of rows that come after these.
    """

    def __init__(self, rows: Sequence[_Row], others: _Sums, idle: int, whole: int, limit: int) -> None:
        every = [*rows, _Row(IDLE, "", None, idle, idle, -1, None)] if idle > 0 else list(rows)
        every.sort(key=lambda of: (-of.own, of.name))
        self.listed = every[:limit]
        self._rest = others.add(every[limit:])
        self._whole = whole

    def columns(self) -> list[Column]:
        """Those that devices and hosts have in common."""
        listed, whole = self.listed, self._whole
        shares: list[Value] = [of.own / whole if whole else None for of in listed]

        return [
            Column("name", "Operation", "name", [of.name for of in listed]),
            Column("type", "Type", "text", [of.type or None for of in listed]),
            Column("count", "Count", "count", [of.count for of in listed]),
            Column("total", "Total", "ticks", [of.total for of in listed]),
            Column("self", "Self", "ticks", [of.own for of in listed]),
            Column("share", "Share", "fraction", shares),
            Column(
                "cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"
            ),
        ]

    def means(self) -> list[Column]:
        """Of one occurrence."""

        def mean(name: str, title: str, value: Callable[[_Row], int]) -> Column:
            found = [nearest_mean(value(of), of.count) if of.count else None for of in self.listed]
            return Column(name, title, "ticks", found, total="none")

        return [
            mean("mean", "Mean", lambda of: of.total),
            mean("mean_self", "Mean self", lambda of: of.own),
        ]

    def table(self, name: str, title: str, columns: Sequence[Column]) -> Table:
        """With sums of all rows, and of those that are not listed."""
        rest = self._rest.values(self._whole) if self._rest.rows else None
        return Table(name, title, columns, totals=self._rest.add(self.listed).values(self._whole), rest=rest)


def _leading(listed: Sequence[_Row]) -> list[Column]:
    """Where they are in the timeline."""
    return [
        Column("track", "Track", "track", [of.track if of.track >= 0 else None for of in listed]),
        query_column(of.shown for of in listed),
    ]
