"""Derived lanes with the operations of the framework, and its name scopes, above the operations of TPU cores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes import LaneSlices, SliceBins
from tilescope.tiler.facts.lanes.framework_lines import FrameworkLine, Line, framework_line, framework_lines
from tilescope.tiler.query import Interruptible, Reading
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import Windows


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    lanes = []
    for lines in (yield from framework_lines(scope.reader)):
        if not scope.is_done(lines.track):
            continue
        made = (lines.track,)
        if lines.depth:
            key = f"scopes-{lines.track}"
            lanes.append(DerivedLane(key, "Name scopes", lines.track, made, "slices", "ticks", lines.depth))
        lanes.append(DerivedLane(f"operations-{lines.track}", "Framework Ops", lines.track, made, "slices", "ticks"))
    return lanes


def _line(scope: Scope, lane: DerivedLane) -> Interruptible[FrameworkLine]:
    return (yield from framework_line(scope.reader, lane.track, cast(Line, lane.key.partition("-")[0])))


def _lane_bins(scope: Scope, lane: DerivedLane, borders: NDArray[np.int64]) -> Interruptible[SliceBins]:
    return (yield from _line(scope, lane)).bins(borders)


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[LaneSlices | None]:
    line = yield from _line(scope, lane)
    yield line.slices(span.start, span.stop)


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The instructions that run, the latest first."""
    running: list[tuple[int, int]] = []
    plan = scope.reader.plan(lane.track, Windows.single(tick, tick + 1))
    for events in Reading(scope.reader).events(plan, plan.leaf_runs):
        runs = (events.start <= tick) & (events.start + events.duration > tick)
        running += zip(events.start[runs].tolist(), events.ordinal[runs].tolist(), strict=True)
        yield
    return [LaneEvent((lane.track, ordinal)) for _, ordinal in sorted(running, reverse=True)]


LANES: Final = LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events)
