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
from tilescope.tiler.windows import Windows, WindowsOf

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
class _Hits:
    """Slices of lanes by start; columns of shape (n,). `lane`: position in the list of the lanes."""

    start: Ints
    lane: Ints
    row: Ints
    duration: Ints
    name: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | slice) -> _Hits:
        """Some of them."""
        return _Hits(self.start[which], self.lane[which], self.row[which], self.duration[which], self.name[which])

    @classmethod
    def joined(cls, parts: Sequence[_Hits]) -> _Hits:
        """All of some, one after the other."""
        none = np.zeros(0, np.int64)
        start, lane, row, duration = (
            np.concatenate([none, *(getattr(part, column) for part in parts)])
            for column in ("start", "lane", "row", "duration")
        )
        return cls(start, lane, row, duration, np.concatenate([none.astype(object), *(part.name for part in parts)]))

    @classmethod
    def from_slices(cls, slices: LaneSlices, lane: int) -> _Hits:
        """The slices of a lane."""
        names = np.array(slices.names, object)[slices.name]
        return cls(slices.start, np.full(len(slices), lane), slices.row, slices.stop - slices.start, names)


def lane_tables(
    scope: Scope,
    lanes: Sequence[ChosenLane],
    query: Query,
    windows_of: WindowsOf,
    limit: int,
    *,
    backward: bool,
    totals: bool,
) -> Interruptible[tuple[Table | None, Table]]:
    """Sums of each lane and name, and the first `limit` slices that start in windows; or the last ones, latest first.

    Without `totals` a list that is full reads no further, and there are no sums.

    The windows are those of the track that a lane is drawn with. As of events: `count` of the slices that start in
    them, `busy` the ticks in them of all.
    """
    sums: list[_Sums] = []
    parts: list[_Hits] = []
    for number, chosen in enumerate(lanes):
        windows = windows_of(chosen.lane.track)
        if len(windows) and chosen.lane.kind == "slices" and _is_searched(scope, chosen, query):
            with blamed(chosen.tool):
                lane_sums, lane_parts = yield from _slices(
                    scope, number, chosen, query, windows, limit, backward=backward, totals=totals
                )
            sums += lane_sums
            parts += lane_parts
        yield
    hits = _Hits.joined(parts)
    order = np.lexsort((hits.row, hits.lane, hits.start))
    hits = hits.take((order[::-1] if backward else order)[:limit])
    return _names_table(sums) if totals else None, _slices_table(lanes, hits)


def _names_table(sums: Sequence[_Sums]) -> Table:
    return Table(
        "lane_names",
        "Names in derived lanes",
        [
            Column("lane", "Lane", "name", [row.lane.name for row in sums]),
            Column("title", "Title", "text", [row.lane.lane.title for row in sums]),
            Column("name", "Name", "name", [row.name for row in sums]),
            Column("count", "Count", "count", [row.count for row in sums]),
            Column("busy", "Busy", "ticks", [row.busy for row in sums]),
        ],
        totals={"count": sum(row.count for row in sums), "busy": sum(row.busy for row in sums)},
    )


def _slices_table(lanes: Sequence[ChosenLane], hits: _Hits) -> Table:
    numbers = hits.lane.tolist()
    return Table(
        "lane_slices",
        "Slices of derived lanes by time",
        [
            Column("lane", "Lane", "name", [lanes[number].name for number in numbers]),
            Column("name", "Name", "name", hits.name.tolist()),
            Column("start", "Start", "time", hits.start),
            Column("duration", "Duration", "ticks", hits.duration),
            Column("row", "Row", "id", hits.row),
            Column("track", "Track", "track", [lanes[number].lane.track for number in numbers]),
        ],
    )


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
    scope: Scope,
    number: int,
    chosen: ChosenLane,
    query: Query,
    windows: Windows,
    limit: int,
    *,
    backward: bool,
    totals: bool,
) -> Interruptible[tuple[list[_Sums], list[_Hits]]]:
    patterns = [is_match(pattern) for pattern in query.names]
    sums: dict[str, tuple[int, int]] = {}
    hits: list[_Hits] = []
    for piece in chosen.source.pieces(scope, chosen.lane, TickRange(windows.start, windows.stop)):
        if isinstance(piece, LaneSlices):
            is_name = np.array([all(matches(name) for matches in patterns) for name in piece.names], np.bool_)
            selected = piece.take(windows.meet(piece.start, piece.stop))
            selected = selected.take(is_name[selected.name] if len(selected) else slice(0))
            selected = selected.take(_lasting(selected, query, scope.reader.tick_ps))
            is_start = windows.hold(selected.start)
            busy = windows.ticks_before(selected.stop) - windows.ticks_before(selected.start)
            for name in np.unique(selected.name).tolist():
                has_name = selected.name == name
                count, ticks = sums.get(piece.names[name], (0, 0))
                count += int((has_name & is_start).sum())
                sums[piece.names[name]] = count, ticks + int(busy[has_name].sum())
            _add(hits, _Hits.from_slices(selected.take(is_start), number), limit, backward=backward)
            if not totals and not backward and sum(map(len, hits)) >= limit:
                break
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


def _add(hits: list[_Hits], part: _Hits, limit: int, *, backward: bool) -> None:
    """Adds those of another piece, which comes later, as far as the first `limit` of all need them, or the last."""
    there = sum(map(len, hits))
    part = part.take(slice(max(len(part) - limit, 0), None) if backward else slice(limit - there))
    hits.append(part)
    there += len(part)
    while backward and there - len(hits[0]) >= limit and len(hits) > 1:
        there -= len(hits.pop(0))
