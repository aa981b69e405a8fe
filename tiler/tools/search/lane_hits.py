"""Slices of derived lanes that a query selects: how many, how long, and the first or last of them.

They are no events of the run, and have tables of their own. Terms about a category or an argument select none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes import LaneSlices
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search.language import Comparison, Query
from tilescope.tiler.search.patterns import is_match
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.lanes.named_lanes import ChosenLane
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool_calls import blamed

Ints = NDArray[np.int64]

_COMPARED: Final[dict[Comparison, Callable[[Ints, np.int64], NDArray[np.bool_]]]] = {
    "=": np.equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "<": np.less,
    "<=": np.less_equal,
}


@dataclass(frozen=True, slots=True)
class _Sums:
    lane: ChosenLane
    name: str
    count: int
    busy: int


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    lane: int  # position in the list of the lanes
    row: int
    duration: int
    name: str


def lane_tables(
    scope: Scope, lanes: Sequence[ChosenLane], query: Query, span: TickRange, limit: int, *, backward: bool
) -> Interruptible[list[Table]]:
    """Sums of each lane and name, and the first `limit` slices that start in a span; or the last ones, latest first.

    As of events: `count` of those that start in the span, `busy` the ticks in it of all.
    """
    sums: list[_Sums] = []
    hits: list[_Hit] = []
    for number, chosen in enumerate(lanes):
        if chosen.lane.kind == "slices" and _is_searched(scope, chosen, query):
            with blamed(chosen.tool):
                lane_sums, lane_hits = yield from _slices(scope, number, chosen, query, span, limit, backward=backward)
            sums += lane_sums
            hits += lane_hits
        yield
    hits.sort(key=lambda hit: (hit.start, hit.lane, hit.row), reverse=backward)
    hits = hits[:limit]
    totals = {"count": sum(row.count for row in sums), "busy": sum(row.busy for row in sums)}
    return [
        Table(
            "lane_names",
            "Names in derived lanes",
            [
                Column("lane", "Lane", "name", [row.lane.name for row in sums]),
                Column("title", "Title", "text", [row.lane.lane.title for row in sums]),
                Column("name", "Name", "name", [row.name for row in sums]),
                Column("count", "Count", "count", [row.count for row in sums]),
                Column("busy", "Busy", "ticks", [row.busy for row in sums]),
            ],
            totals=totals,
        ),
        Table(
            "lane_slices",
            "Slices of derived lanes by time",
            [
                Column("lane", "Lane", "name", [lanes[hit.lane].name for hit in hits]),
                Column("name", "Name", "name", [hit.name for hit in hits]),
                Column("start", "Start", "time", [hit.start for hit in hits]),
                Column("duration", "Duration", "ticks", [hit.duration for hit in hits]),
                Column("row", "Row", "id", [hit.row for hit in hits]),
                Column("track", "Track", "track", [lanes[hit.lane].lane.track for hit in hits]),
            ],
        ),
    ]


def _is_searched(scope: Scope, chosen: ChosenLane, query: Query) -> bool:
    """True if terms about tracks and processes hold for the track that a lane is drawn with."""
    tree = scope.reader.tree
    track = tree.tracks[chosen.lane.track]
    group = tree.groups[track.group]
    return (
        not query.categories
        and not query.arguments
        and all(is_match(pattern)(track.name) for pattern in query.tracks)
        and all(is_match(pattern)(group.name) for pattern in query.processes)
    )


def _slices(
    scope: Scope, number: int, chosen: ChosenLane, query: Query, span: TickRange, limit: int, *, backward: bool
) -> Interruptible[tuple[list[_Sums], list[_Hit]]]:
    patterns = [is_match(pattern) for pattern in query.names]
    sums: dict[str, tuple[int, int]] = {}
    hits: list[_Hit] = []
    for piece in chosen.source.pieces(scope, chosen.lane, span):
        if isinstance(piece, LaneSlices):
            is_name = np.array([all(matches(name) for matches in patterns) for name in piece.names], np.bool_)
            selected = piece.take((piece.stop > span.start) & (piece.start < span.stop))
            selected = selected.take(is_name[selected.name] if len(selected) else slice(0))
            selected = selected.take(_lasting(selected, query, scope.reader.tick_ps))
            is_start = selected.start >= span.start
            busy = np.minimum(selected.stop, span.stop) - np.maximum(selected.start, span.start)
            for name in np.unique(selected.name).tolist():
                has_name = selected.name == name
                count, ticks = sums.get(piece.names[name], (0, 0))
                count += int((has_name & is_start).sum())
                sums[piece.names[name]] = count, ticks + int(busy[has_name].sum())
            selected = selected.take(is_start)
            hits = _kept(hits, selected, number, limit, backward=backward)
        yield
    return [_Sums(chosen, name, *sums[name]) for name in sorted(sums)], hits


def _lasting(slices: LaneSlices, query: Query, tick_ps: int) -> NDArray[np.bool_]:
    """True for each slice whose duration is within all bounds; these are fractions of a tick, compared exactly."""
    mask = np.ones(len(slices), np.bool_)
    duration = slices.stop - slices.start
    for term in query.durations:
        bound = term.ps / tick_ps
        # Of whole ticks: what is above a part of a tick is at least the next one.
        if bound.denominator == 1:
            mask &= _COMPARED[term.comparison](duration, np.int64(min(bound.numerator, np.iinfo(np.int64).max)))
        elif term.comparison == "=":
            mask[:] = False
        else:
            floor = min(bound.numerator // bound.denominator, np.iinfo(np.int64).max)
            mask &= duration > floor if term.comparison.startswith(">") else duration <= floor
    return mask


def _kept(hits: list[_Hit], slices: LaneSlices, number: int, limit: int, *, backward: bool) -> list[_Hit]:
    """The hits with those of another piece, which comes later: the first `limit` of all, or the last."""
    room = limit if backward else limit - len(hits)
    part = slices.take(slice(max(len(slices) - room, 0), None) if backward else slice(room))
    columns = (part.start, part.row, part.stop - part.start, part.name)
    added = [
        _Hit(start, number, row, duration, slices.names[name])
        for start, row, duration, name in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return (hits + added)[-limit:] if backward and limit else (hits + added)[:limit]
