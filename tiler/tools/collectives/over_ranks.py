"""Collectives of PyTorch over ranks: who waits for whom, how long they take without that, and bandwidths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.collectives import (
    SENT,
    ClockOffset,
    CollectiveCalls,
    CollectiveKind,
    Instances,
    bus_factor,
    collective_calls,
    matched,
    may_have_calls,
    run_clocks,
)
from tilescope.tiler.facts.collectives.call_steps import call_steps
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.ticks import UNITS_PS, exact_sum
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.collectives.rank_maps import sends_table, waits_table
from tilescope.tiler.tools.question import FigureQuestion, Tracks
from tilescope.tiler.tools.row_query import QUERY, arguments_query, name_query, opens
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

_SCALE: Final = 0.6745  # of modified z-scores: the upper quartile of a normal distribution
_CALL_COLUMNS: Final = "event,track,name,start,duration,args.Seq,args.In msg nelems,args.dtype"
_MOVES: Final = "and `tilescope shift RUN --measure` moves ranks by it in the timeline"
_LEAST: Final = 3  # ranks: fewer have no usual wait


def has_instances(reader: QueryReader) -> Interruptible[bool]:
    """True if calls of several ranks of a run are one collective. Raises DamagedStore, NotBuilt."""
    if not (yield from may_have_calls(reader)):
        return False
    calls = yield from collective_calls(reader)
    return bool(len(matched(calls, np.ones(len(calls), np.bool_))))


def over_ranks(
    scope: Scope, question: FigureQuestion, limit: int, *, by_measured_clocks: bool
) -> Interruptible[Answer]:
    """Instances whose last rank begins in a span or in steps. Raises DamagedStore, NotBuilt."""
    question_windows = yield from scope.windows(question)
    reader = scope.reader
    calls = yield from collective_calls(reader)
    clocks = yield from run_clocks(reader)
    yield
    offsets = {rank: clock.offset for rank, clock in clocks.items()} if by_measured_clocks else None
    instances = matched(calls, np.isin(calls.track, scope.leaves(question.tracks)), offsets)
    instances = instances.take(_begin_in(instances, question_windows.on_track))
    yield
    rows = _rank_rows(reader, instances)
    latest = max(rows, key=lambda row: row.last, default=None)
    facts = [
        Fact("ranks", "Ranks", len(rows), "count"),
        Fact(
            "collectives", "Collectives", len(instances), "count", "of several ranks, whose last begins in this range"
        ),
        Fact("wait", "Wait", sum(row.wait for row in rows), "ticks", "of all ranks, for the last of each collective"),
        Fact("time", "Time", sum(row.time for row in rows), "ticks", "of all ranks in them"),
        Fact("pure", "Pure time", exact_sum(instances.pure), "ticks", "the least duration of each, added up"),
        Fact("last_rank", "Last most often", latest.name if latest else None, "text", "" if latest else "none is here"),
        Fact("last_count", "How often", latest.last if latest else None, "count", "" if latest else "none is here"),
    ]
    waits, left_out = waits_table(reader, instances, (yield from call_steps(reader, calls)), limit)
    yield
    tables = [
        _ranks_table(rows, clocks),
        waits,
        sends_table(instances, limit, reader.tick_ps),
        _groups_table(instances, question.tracks, limit, reader.tick_ps),
        _instances_table(reader, instances, limit),
    ]
    notes = [*_notes(reader.tick_ps, calls, instances, rows, {} if by_measured_clocks else clocks), *left_out]
    return Answer(facts, [table for table in tables if len(table)], notes=notes)


def _begin_in(instances: Instances, windows_of: WindowsOf) -> NDArray[np.bool_]:
    """True for instances whose last call begins in the windows of its track."""
    calls, row = instances.calls, instances.row[instances.last]
    begin_in = np.zeros(len(instances), np.bool_)
    for track in np.unique(calls.track[row]).tolist():
        which = np.flatnonzero(calls.track[row] == track)
        begin_in[which] = windows_of(track).hold(calls.start[row[which]])
    return begin_in


@dataclass(frozen=True, slots=True)
class _RankRow:
    """One rank in all instances; ticks."""

    rank: int  # group of the tree
    name: str
    instances: int
    last: int  # instances in which it begins last, and others wait
    wait: int
    time: int
    track: int  # of its first call


def _rank_rows(reader: QueryReader, instances: Instances) -> list[_RankRow]:
    calls, wait, row = instances.calls, instances.wait, instances.row
    rank = calls.rank[row]
    is_last = instances.last[instances.skew > 0]
    rows = []
    for number in np.unique(rank).tolist():
        own = np.flatnonzero(rank == number)
        rows.append(
            _RankRow(
                number,
                _name(reader, number),
                len(own),
                int(np.count_nonzero(rank[is_last] == number)),
                exact_sum(wait[own]),
                exact_sum(calls.duration[row[own]]),
                int(calls.track[row[own[0]]]),
            )
        )
    return rows


def _name(reader: QueryReader, rank: int) -> str:
    return reader.tree.groups[rank].name if rank >= 0 else ""


def _scores(rows: list[_RankRow]) -> list[float | None]:
    """Modified z-scores of waits: far below 0 for a rank for which the others wait."""
    waits = [row.wait for row in rows]
    if len(waits) < _LEAST:
        return [None] * len(waits)
    middle = median(waits)
    deviation = median(abs(wait - middle) for wait in waits)
    return [_SCALE * (wait - middle) / deviation if deviation else None for wait in waits]


def _ranks_table(rows: list[_RankRow], clocks: Mapping[int, ClockOffset]) -> Table:
    """Ranks; those first that wait least."""
    scores = {row.rank: score for row, score in zip(rows, _scores(rows), strict=True)}
    rows = sorted(rows, key=lambda row: (row.wait, row.rank))
    offsets = [clocks.get(row.rank) for row in rows]
    columns = [
        Column("rank", "Rank", "name", [row.name for row in rows]),
        Column("collectives", "Collectives", "count", [row.instances for row in rows], total="none"),
        Column("last", "Begins last", "count", [row.last for row in rows]),
        Column("wait", "Wait", "ticks", [row.wait for row in rows]),
        Column("time", "Time", "ticks", [row.time for row in rows]),
        Column("score", "Score of the wait", "number", [scores[row.rank] for row in rows], total="none"),
        Column(
            "clock",
            "Clock ahead by",
            "ticks",
            [None if clock is None else clock.offset for clock in offsets],
            total="none",
        ),
        Column(
            "clock_spread",
            "Spread",
            "ticks",
            [None if clock is None else clock.spread for clock in offsets],
            total="none",
        ),
        Column("track", "Track", "track", [row.track for row in rows]),
    ]
    return Table("ranks", "Ranks", columns)


def _rates(names: list[str], ranks: Ints, sizes: list[int], times: list[int], tick_ps: int) -> list[Column]:
    """Bandwidths of the algorithm and of a link; None where bytes or the way of a collective are not known."""
    seconds = [time * tick_ps / UNITS_PS["s"] for time in times]
    rates = [size / time if size >= 0 and time else None for size, time in zip(sizes, seconds, strict=True)]
    factors = [bus_factor(name, count) for name, count in zip(names, ranks.tolist(), strict=True)]
    links: list[Value] = [
        None if rate is None or factor is None else rate * factor for rate, factor in zip(rates, factors, strict=True)
    ]
    return [
        Column("bandwidth", "Algorithm bandwidth", "rate", rates, "B/s", total="none"),
        Column("bus_bandwidth", "Bus bandwidth", "rate", links, "B/s", total="none"),
    ]


def _groups_table(instances: Instances, tracks: Tracks | None, limit: int, tick_ps: int) -> Table:
    """Instances by collective, group and bytes; those first that take most time without waits."""
    calls = instances.calls
    kind, pure, size, ranks = (
        calls.kind[instances.row[instances.first]],
        instances.pure,
        instances.size,
        instances.ranks,
    )
    keys, code = np.unique(np.stack([kind, size, ranks]), axis=1, return_inverse=True)
    code = code.reshape(-1)
    waits = WideSums.from_groups(np.ma.MaskedArray(instances.wait), code[instances.instance], keys.shape[1]).integers()
    pures = WideSums.from_groups(np.ma.MaskedArray(pure), code, keys.shape[1]).integers()
    counts = np.bincount(code, minlength=keys.shape[1]).tolist()
    order = sorted(range(keys.shape[1]), key=lambda group: (-pures[group], group))[:limit]
    kinds = [calls.kinds[number] for number in keys[0, order].tolist()]
    sizes = keys[1, order].tolist()
    moved = [size * counts[group] if size >= 0 else -1 for group, size in zip(order, sizes, strict=True)]
    columns = [
        Column("name", "Collective", "name", [kind.name for kind in kinds]),
        Column("group", "Process group", "text", [kind.group or None for kind in kinds]),
        Column("members", "Its ranks", "text", [kind.members or None for kind in kinds]),
        Column("recorded", "Recorded ranks", "count", keys[2, order], total="none"),
        Column("count", "Count", "count", [counts[group] for group in order]),
        Column("wait", "Wait", "ticks", [waits[group] for group in order]),
        Column("pure", "Pure time", "ticks", [pures[group] for group in order]),
        Column("size", "Bytes of one", "bytes", [size if size >= 0 else None for size in sizes], total="none"),
        *_rates([kind.name for kind in kinds], keys[2, order], moved, [pures[group] for group in order], tick_ps),
        Column(QUERY, "Search", "text", list(map(_calls_query, kinds))),
    ]
    calls_of_row = opens("events", "Its calls on all ranks", "where", tracks, column=QUERY, columns=_CALL_COLUMNS)
    return Table("groups", "By collective, group and bytes", columns, opens=[calls_of_row])


def _calls_query(kind: CollectiveKind) -> str | None:
    """A search for calls of a collective in its group, of any size; None: it is a pair of a send and a receive."""
    if kind.category:
        return name_query(kind.name, kind.category)
    if kind.name == SENT:
        return None
    arguments = {"Collective name": kind.name, "Process Group Name": kind.group}
    query = arguments_query({name: text for name, text in arguments.items() if text})
    return None if query is None else f"cat:kernel {query}"  # operators have these arguments, too


def _instances_table(reader: QueryReader, instances: Instances, limit: int) -> Table:
    """Instances one by one; those first whose last rank begins latest after the first."""
    calls, skew, pure, size = instances.calls, instances.skew, instances.pure, instances.size
    order = np.lexsort((instances.latest, -skew))[:limit]
    last = instances.row[instances.last[order]]
    kinds = [calls.kinds[number] for number in calls.kind[last].tolist()]
    waits = np.add.reduceat(instances.wait, instances.first)[order] if len(instances) else order
    sequence = calls.sequence[last].tolist()
    events = zip(calls.track[last].tolist(), calls.ordinal[last].tolist(), strict=True)
    columns = [
        Column("name", "Collective", "name", [kind.name for kind in kinds]),
        Column("group", "Process group", "text", [kind.group or None for kind in kinds]),
        Column("sequence", "Sequence", "count", [number if number >= 0 else None for number in sequence], total="none"),
        Column("recorded", "Recorded ranks", "count", instances.ranks[order], total="none"),
        Column("skew", "Start skew", "ticks", skew[order]),
        Column("wait", "Wait", "ticks", waits),
        Column("last", "Last rank", "name", [_name(reader, rank) for rank in calls.rank[last].tolist()]),
        Column("pure", "Pure time", "ticks", pure[order]),
        Column("size", "Bytes", "bytes", [value if value >= 0 else None for value in size[order].tolist()]),
        *_rates(
            [kind.name for kind in kinds],
            instances.ranks[order],
            size[order].tolist(),
            pure[order].tolist(),
            reader.tick_ps,
        ),
        Column("start", "Start of the last", "time", calls.start[last], total="none"),
        Column("event", "Call of the last", "event", [f"{track}.{ordinal}" for track, ordinal in events]),
        Column("track", "Track", "track", calls.track[last]),
    ]
    return Table("instances", "Collectives one by one", columns)


def _notes(
    tick_ps: int, calls: CollectiveCalls, instances: Instances, rows: list[_RankRow], clocks: Mapping[int, ClockOffset]
) -> list[Note]:
    """Notes on calls that are left out, and on clocks that differ and are not corrected."""
    notes = []
    ahead = [row for row in rows if (clock := clocks.get(row.rank)) and abs(clock.offset) > max(clock.spread, 1)]
    if ahead:
        row = max(ahead, key=lambda each: abs(clocks[each.rank].offset))
        clock = clocks[row.rank]
        side = "ahead of" if clock.offset > 0 else "behind"
        much = duration_text(abs(clock.offset), tick_ps)
        text = f"by ends that coincide the clock of {row.name} is {much} {side} the middle of all ranks"
        notes.append(Note("warning", f"{text}: clocks=measured leaves that out of waits, {_MOVES}"))
    if instances.alone:
        text = plural(instances.alone, "call has", "calls have")
        notes.append(Note("info", f"{text} no counterpart on another rank: left out"))
    if calls.unnamed:
        text = plural(calls.unnamed, "kernel of communication does", "kernels of communication do")
        text = f"{text} not say which collective it is: those of one name and stream that end within 1 ms are one"
        notes.append(Note("info", text))
    if calls.cut:
        text = plural(calls.cut, "call has a list", "calls have lists")
        notes.append(
            Note("info", f"{text} of ranks that PyTorch cut: groups of one name and the same beginning are one")
        )
    return notes
