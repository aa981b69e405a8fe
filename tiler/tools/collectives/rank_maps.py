"""Tables that are drawn as heat maps: waits by rank and step, and what is sent from rank to rank."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.collectives import Instances
from tilescope.tiler.facts.collectives.call_steps import NO_STEP
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.query import QueryReader
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.tools.answer import Column, Note, Table

Ints = NDArray[np.int64]

_PASSED: Final = re.compile(r"([0-9]{1,9}) to ([0-9]{1,9})", re.ASCII)


def waits_table(reader: QueryReader, instances: Instances, steps: Ints, limit: int) -> tuple[Table, list[Note]]:
    """The wait of each rank in each step, the first steps first; `steps` of calls. Notes say what is left out."""
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
    notes = []
    outside = len(instances.row) - len(placed)
    if outside and len(placed):
        text = plural(outside, "call of a collective starts", "calls of collectives start")
        notes.append(Note("info", f"{text} in no step: the waits by step leave them out"))
    if len(cells) > limit:
        text = f"waits by step: {limit:,} of {len(cells):,} rows are listed, those of the first steps"
        notes.append(Note("info", f"{text}: ask for more with limit, or choose steps"))
    return Table("waits", "Waits by rank and step", columns), notes


def sends_table(instances: Instances, limit: int, tick_ps: int) -> Table:
    """Sends with their receives from rank to rank, those first that take most time without waits."""
    calls = instances.calls
    kinds, kind_code = np.unique(calls.kind[instances.row[instances.first]], return_inverse=True)
    ends = [_PASSED.fullmatch(calls.kinds[number].members) for number in kinds.tolist()]
    links = sorted({(int(match[1]), int(match[2])) for match in ends if match is not None})
    place = {link: number for number, link in enumerate(links)}
    link_of_kind = [-1 if match is None else place[int(match[1]), int(match[2])] for match in ends]
    link = np.array(link_of_kind, np.int64)[kind_code]
    sent = np.flatnonzero(link >= 0)
    link, pure, size = link[sent], instances.pure[sent], instances.size[sent]
    counts, sized = (np.bincount(which, minlength=len(links)).tolist() for which in (link, link[size >= 0]))
    times, sizes = (
        WideSums.from_groups(np.ma.MaskedArray(values), link, len(links)).integers()
        for values in (pure, np.maximum(size, 0))
    )
    first = np.full(len(links), len(instances))
    np.minimum.at(first, link, sent)
    listed = sorted(range(len(links)), key=lambda row: (-times[row], row))[:limit]
    rows = instances.row[instances.first[first[listed]]]
    events = zip(calls.track[rows].tolist(), calls.ordinal[rows].tolist(), strict=True)
    recorded = [sizes[row] if sized[row] == counts[row] else None for row in listed]
    rates = [
        None if size_bytes is None or not times[row] else size_bytes / (times[row] * tick_ps / UNITS_PS["s"])
        for row, size_bytes in zip(listed, recorded, strict=True)
    ]
    columns = [
        Column("source", "From rank", "text", [str(links[row][0]) for row in listed]),
        Column("destination", "To rank", "text", [str(links[row][1]) for row in listed]),
        Column("transport", "Way", "text", ["send and recv"] * len(listed)),
        Column("count", "Count", "count", [counts[row] for row in listed]),
        Column("time", "Pure time", "ticks", [times[row] for row in listed]),
        Column("size", "Bytes", "bytes", recorded),
        Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
        Column("event", "First in the timeline", "event", [f"{track}.{ordinal}" for track, ordinal in events]),
    ]
    return Table("links", "Sends from rank to rank", columns)


def _name(reader: QueryReader, rank: int) -> str:
    return reader.tree.groups[rank].name if rank >= 0 else ""
