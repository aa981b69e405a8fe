"""Ranks, steps, operators and packets: what they transferred, and how long they waited."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

from tilescope.tiler.facts.ascend.communication import Communication, OperatorCost, RankStep
from tilescope.tiler.facts.ascend.communication.exact_figures import bandwidth, to_bytes, to_ticks
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.collectives.links import RankLink
from tilescope.tiler.tools.row_query import query_column

Row = TypeVar("Row", RankStep, OperatorCost)
Key = TypeVar("Key", bound=Hashable)

_LAST: Final = 1 << 62  # ranks and steps that are not recorded


def _grouped(rows: Iterable[tuple[Key, Row]]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = {}
    for key, row in rows:
        groups.setdefault(key, []).append(row)
    return groups


def _order(*numbers: int | None) -> tuple[int, ...]:
    return tuple(_LAST if number is None else number for number in numbers)


def _times(rows: Sequence[Sequence[RankStep] | Sequence[OperatorCost]], tick_ps: int) -> list[Column]:
    """Columns of sums: transfers, waits, the share of waits in both, and all of the time where that is recorded."""
    transfers = [sum(part.transfer for part in parts) for parts in rows]
    waits = [sum(part.wait for part in parts) for parts in rows]
    shares: list[Value] = [
        wait / (wait + transfer) if wait + transfer else None for wait, transfer in zip(waits, transfers, strict=True)
    ]
    elapsed = [
        to_ticks(sum(part.elapsed or 0 for part in parts), tick_ps)
        if any(part.elapsed is not None for part in parts)
        else None
        for parts in rows
    ]
    return [
        Column("transfer", "Transfer", "ticks", _recorded(transfers, rows, tick_ps)),
        Column("wait", "Wait", "ticks", _recorded(waits, rows, tick_ps)),
        Column("wait_share", "Waiting", "fraction", shares, total="none"),
        Column("elapsed", "Elapsed", "ticks", elapsed),
    ]


def _recorded(times: Sequence[int], rows: Sequence[Sequence[object]], tick_ps: int) -> list[Value]:
    """Sums in ticks; None where there is nothing of which they could be."""
    return [to_ticks(time, tick_ps) if parts else None for time, parts in zip(times, rows, strict=True)]


def ranks_table(communication: Communication, links: Sequence[RankLink], tick_ps: int) -> Table:
    """A row for each rank."""
    groups = _grouped((step.rank, step) for step in communication.steps)
    for link in links:
        groups.setdefault(link.rank, [])
    ranks = sorted(groups, key=_order)
    own = [[link for link in links if link.rank == rank] for rank in ranks]
    sizes = [sum(link.size for link in rank_links) for rank_links in own]
    times = [sum(link.time for link in rank_links) for rank_links in own]
    columns = [
        Column("rank", "Rank", "count", ranks, total="none"),
        Column("steps", "Steps", "count", [len(groups[rank]) for rank in ranks], total="none"),
        *_times([groups[rank] for rank in ranks], tick_ps),
        Column("size", "Bytes", "bytes", [to_bytes(size) for size in sizes]),
        Column("bandwidth", "Bandwidth", "rate", [*map(bandwidth, sizes, times)], "B/s", total="none"),
    ]
    return Table("ranks", "Ranks", columns)


def steps_table(communication: Communication, limit: int, tick_ps: int) -> Table:
    """A row for each step of each rank."""
    steps = sorted(communication.steps, key=lambda step: _order(step.step, step.rank))[:limit]
    columns = [
        Column("step", "Step", "count", [step.step for step in steps], total="none"),
        Column("rank", "Rank", "count", [step.rank for step in steps], total="none"),
        *_times([[step] for step in steps], tick_ps),
    ]
    return Table("steps", "Steps of ranks", columns)


def operators_table(communication: Communication, limit: int, tick_ps: int, event_names: AbstractSet[str]) -> Table:
    """A row for each operator, of all ranks and steps; those that take longest first.

    `event_names`: those that events have: they can be searched for.
    """
    groups = _grouped((operator.name, operator) for operator in communication.operators)
    order = sorted(groups.items(), key=lambda named: (-sum(part.transfer + part.wait for part in named[1]), named[0]))
    listed = order[:limit]
    sizes = [
        to_bytes(sum(part.size or 0 for part in parts)) if any(part.size is not None for part in parts) else None
        for _, parts in listed
    ]
    columns = [
        Column("operator", "Operator", "name", [name for name, _ in listed]),
        Column("ranks", "Ranks", "count", [len({part.rank for part in parts}) for _, parts in listed], total="none"),
        Column("count", "Steps of ranks", "count", [len(parts) for _, parts in listed]),
        *_times([parts for _, parts in listed], tick_ps),
        Column("size", "Bytes", "bytes", sizes),
        query_column(name if name in event_names else None for name, _ in listed),
    ]
    return Table("operators", "Operators", columns)


def packets_table(communication: Communication, limit: int, tick_ps: int) -> Table:
    """Packets of each size, by transport, of all ranks."""
    sums: dict[tuple[str, int], list[int]] = {}
    for packet in communication.packets:
        total = sums.setdefault((packet.transport, packet.packet), [0, 0])
        total[0] += packet.count
        total[1] += packet.time
    rows = sorted(sums.items())[:limit]
    columns = [
        Column("transport", "Transport", "text", [transport for (transport, _), _ in rows]),
        Column("packet", "Packet", "bytes", [to_bytes(size) for (_, size), _ in rows], total="none"),
        Column("count", "Packets", "count", [count for _, (count, _) in rows]),
        Column("time", "Time", "ticks", [to_ticks(time, tick_ps) for _, (_, time) in rows]),
        Column(
            "bandwidth",
            "Bandwidth",
            "rate",
            [bandwidth(size * count, time) for (_, size), (count, time) in rows],
            "B/s",
            total="none",
        ),
    ]
    return Table("packets", "Packets", columns)
