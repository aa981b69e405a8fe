"""Rows of the tables of operations, of devices and of hosts, with one for the time without any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from tilescope.tiler.facts.host_operations import OperatorKey
from tilescope.tiler.facts.operations.rates import Rates
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.row_question import RowQuestion

IDLE: Final = "idle"


@dataclass(frozen=True, slots=True)
class OperationRow:
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
    key: OperatorKey | None = None  # of a host


@dataclass(slots=True)
class RowSums:
    """Sums of so many rows; `flops` None: of none of them they are known."""

    rows: int = 0
    count: int = 0
    total: int = 0
    own: int = 0
    flops: int | None = None
    bytes: int = 0

    def add(self, rows: Iterable[OperationRow]) -> RowSums:
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


class ShownRows:
    """Rows, with one for the time without any, the greatest first; `whole`: what shares are of.

    `others` are the sums of rows that come after these.
    """

    def __init__(self, rows: Sequence[OperationRow], others: RowSums, idle: int, whole: int, limit: int) -> None:
        every = [*rows, OperationRow(IDLE, "", None, idle, idle, -1, None)] if idle > 0 else list(rows)
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

        def mean(name: str, title: str, value: Callable[[OperationRow], int]) -> Column:
            means = [nearest_mean(value(row), row.count) if row.count else None for row in self.listed]
            return Column(name, title, "ticks", means, total="none")

        return [
            mean("mean", "Mean", lambda row: row.total),
            mean("mean_self", "Mean self", lambda row: row.own),
        ]

    def table(self, name: str, title: str, columns: Sequence[Column], opens: Sequence[RowQuestion] = ()) -> Table:
        """With sums of all rows, and of those that are not listed."""
        rest = self._rest.values(self._whole) if self._rest.rows else None
        totals = self._rest.add(self.listed).values(self._whole)
        return Table(name, title, columns, totals=totals, rest=rest, opens=opens)


def leading(listed: Sequence[OperationRow]) -> list[Column]:
    """Columns that lead to the rows' events in the timeline."""
    return [
        Column("track", "Track", "track", [row.track if row.track >= 0 else None for row in listed]),
        query_column(row.shown for row in listed),
    ]
