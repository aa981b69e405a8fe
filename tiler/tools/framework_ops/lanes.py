"""Derived lanes with the operations of the framework, and its name scopes, above the operations of TPU cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import FRAMEWORK_LINES, is_one_of
from tilescope.tiler.facts.lanes import LaneSlices, SliceBins
from tilescope.tiler.facts.lanes.framework_line import FrameworkLine, framework_line, parent_tracks
from tilescope.tiler.facts.lanes.framework_paths import FrameworkPaths, framework_paths
from tilescope.tiler.facts.operations.tpu_source import tpu_cores
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.lane_notes import deeper_scopes
from tilescope.tiler.tools.scope import Scope

_OPERATIONS: Final = "operations"
_SCOPES: Final = "scopes"


def _tracks(scope: Scope) -> Sequence[int]:
    """Tracks of operations of the cores without lines of the framework, those that can be read."""
    reader = scope.reader
    named = {record.group for record in reader.tree.tracks if is_one_of(record.name, FRAMEWORK_LINES)}
    return [
        track
        for core in tpu_cores(reader)
        if core.group not in named
        for track in core.operations
        if all(scope.is_done(other) for other in (track, *parent_tracks(reader, track)))
    ]


def _paths(scope: Scope) -> Interruptible[FrameworkPaths]:
    return (yield from framework_paths(scope.reader, _tracks(scope)))


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    """Two lanes for each line of operations that say paths, that of scopes above."""
    paths = yield from _paths(scope)
    lanes = []
    for track in paths.by_track:
        if (depth := paths.depth(track)) > 0:
            lanes.append(
                DerivedLane(f"{_SCOPES}-{track}", "Name scopes", track, (track,), "slices", "ticks", rows=depth)
            )
        if paths.says_any(track):
            lanes.append(DerivedLane(f"{_OPERATIONS}-{track}", "Framework Ops", track, (track,), "slices", "ticks"))
    return lanes


def _left_out(scope: Scope) -> Interruptible[str]:
    paths = yield from _paths(scope)
    return deeper_scopes(paths.deeper)


def _line(scope: Scope, lane: DerivedLane) -> Interruptible[FrameworkLine]:
    paths = yield from _paths(scope)
    rows = paths.operations if lane.key.startswith(_OPERATIONS) else paths.scopes.first(lane.rows)
    return framework_line(scope.reader, lane.track, paths.by_track[lane.track], rows)


def _lane_bins(scope: Scope, lane: DerivedLane, borders: NDArray[np.int64]) -> Interruptible[SliceBins]:
    line = yield from _line(scope, lane)
    return (yield from line.bins(borders))


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[LaneSlices | None]:
    line = yield from _line(scope, lane)
    yield from line.slices(span.start, span.stop)


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The instructions of the innermost slice, those that have begun first."""
    line = yield from _line(scope, lane)
    operations = yield from line.operations(tick)
    return [LaneEvent((lane.track, ordinal)) for ordinal in operations.ordinal.tolist()]


LANES: Final = LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events, _left_out)
