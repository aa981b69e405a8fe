"""Tables that are drawn as heat maps: waits by rank and step, and what is sent from rank to rank."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.collectives import Instances
from tilescope.tiler.facts.collectives.call_steps import NO_STEP
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.query import QueryReader
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.tools.answer import Column, Table

Ints = NDArray[np.int64]

_PASSED: Final = re.compile(r"([0-9]{1,9}) to ([0-9]{1,9})", re.ASCII)


def waits_table(reader: QueryReader, instances: Instances, steps: Ints, limit: int) -> Table:
    """The wait of each rank in each step, the first steps first; `steps` of calls. Calls in no step are left out."""
    calls, wait = instances.calls, instances.wait
    step = steps[instances.row]
    placed = np.flatnonzero(step != NO_STEP)
    rank, step, wait, row = calls.rank[instances.row][placed], step[placed], wait[placed], instances.row[placed]
    ranks, rank_code = np.unique(rank, return_inverse=True)
    numbers, step_code = np.unique(step, return_inverse=True)
    cells, cell = np.unique(step_code * max(len(ranks), 1) + rank_code, return_inverse=True)
    waits = WideSums.from_groups(np.ma.MaskedArray(wait), cell, len(cells)).integers()
    order = np.lexsort((-wait, cell))
    longest = row[order[np.searchsorted(cell[order], np.arange(len(cells)))]] if len(cells) else row
    counts = np.bincount(cell, minlength=len(cells))
    listed = slice(0, limit)
    step_place, rank_place = np.divmod(cells[listed], max(len(ranks), 1))
    events = zip(calls.track[longest[listed]].tolist(), calls.ordinal[longest[listed]].tolist(), strict=True)
    columns = [
        Column("rank", "Rank", "name", [_name(reader, number) for number in ranks[rank_place].tolist()]),
        Column("step", "Step", "id", numbers[step_place]),
        Column("wait", "Wait", "ticks", waits[listed]),
        Column("count", "Collectives", "count", counts[listed]),
        Column("event", "Longest wait", "event", [f"{track}.{ordinal}" for track, ordinal in events]),
    ]
    return Table("waits", "Waits by rank and step", columns)


def sends_table(instances: Instances, limit: int, tick_ps: int) -> Table:
    """Sends with their receives from rank to rank, those first that take most time without waits."""
    calls = instances.calls
    kinds = calls.kind[instances.row[instances.first]]
    pure, size = instances.pure, instances.size
    ends = {number: _PASSED.fullmatch(calls.kinds[number].members) for number in np.unique(kinds).tolist()}
    sums: dict[tuple[int, int], list[int]] = {}
    events: dict[tuple[int, int], str] = {}
    for place in np.flatnonzero([ends[number] is not None for number in kinds.tolist()]).tolist():
        match = ends[int(kinds[place])]
        assert match is not None
        link = int(match[1]), int(match[2])
        added = sums.setdefault(link, [0, 0, 0, 0])
        values = (1, int(pure[place]), max(int(size[place]), 0), int(size[place] >= 0))
        sums[link] = [total + value for total, value in zip(added, values, strict=True)]
        row = int(instances.row[instances.first[place]])
        events.setdefault(link, f"{calls.track[row]}.{calls.ordinal[row]}")
    listed = sorted(sums, key=lambda link: (-sums[link][1], link))[:limit]
    times = [sums[link][1] for link in listed]
    sizes = [sums[link][2] if sums[link][3] == sums[link][0] else None for link in listed]
    rates = [
        None if size_bytes is None or not time else size_bytes / (time * tick_ps / UNITS_PS["s"])
        for size_bytes, time in zip(sizes, times, strict=True)
    ]
    columns = [
        Column("source", "From rank", "text", [str(source) for source, _ in listed]),
        Column("destination", "To rank", "text", [str(destination) for _, destination in listed]),
        Column("transport", "Way", "text", ["send and recv"] * len(listed)),
        Column("count", "Count", "count", [sums[link][0] for link in listed]),
        Column("time", "Pure time", "ticks", times),
        Column("size", "Bytes", "bytes", sizes),
        Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
        Column("event", "First in the timeline", "event", [events[link] for link in listed]),
    ]
    return Table("links", "Sends from rank to rank", columns)


def _name(reader: QueryReader, rank: int) -> str:
    return reader.tree.groups[rank].name if rank >= 0 else ""
