"""The critical path as a derived lane of the first thread of each process: that of each step, or of all of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.critical_path import (
    KIND_TITLES,
    MOST_SLICES,
    CriticalPath,
    PathKind,
    PathProcess,
    critical_path,
    path_processes,
    work_extent,
)
from tilescope.tiler.facts.lanes import LaneSlices, SliceBins
from tilescope.tiler.facts.lanes.slice_sums import SliceSums
from tilescope.tiler.facts.lanes.summed_windows import SummedWindows
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_NAMES: Final = [KIND_TITLES[kind] for kind in PathKind]
_LISTED: Final = 100  # events from a tick on

# What a view may show: more paths would take seconds to make. Whether they are drawn depends on the view alone, and
# not on what has been asked before.
MOST_STEPS: Final = 200
MOST_EVENTS: Final = 1_000_000

# By process, start of the first path of a view, and end of the last.
_SUMS: Final = KeyedRunCache[tuple[int, int, int], list[SummedWindows]](
    "critical_path_lanes", "Critical paths of the steps of a view, by kind"
)


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    """A lane for each process whose steps, or all of which, can have a path."""
    lanes = []
    for process in (yield from path_processes(scope.reader)):
        if len(_spans(scope, process)[0]):
            key, tracks = str(process.group), sorted(process.tracks)
            lanes.append(DerivedLane(key, "Critical path", process.threads[0], tracks, "slices"))
    return lanes


def _spans(scope: Scope, process: PathProcess) -> tuple[Ints, Ints]:
    """Starts and ends of the spans that have a path each, none of which overlap: steps, or all work of a small run."""
    reader = scope.reader
    series = reader.steps.of_track(process.threads[0])
    if series is not None:
        starts, first = np.unique(series.rows.start, return_index=True)
        return starts, np.minimum(series.rows.stop[first], np.append(starts[1:], reader.end + 1))
    slices = sum(int(reader.tree.tracks[track].events or 0) for track in process.tracks)
    extent = work_extent(reader, process, TickRange(0, reader.end + 1))
    starts, stops = np.array([[extent.start], [extent.stop]], np.int64)[:, : int(slices <= MOST_SLICES)]
    return starts, stops


def _process(scope: Scope, lane: DerivedLane) -> Interruptible[PathProcess]:
    processes = yield from path_processes(scope.reader)
    return next(process for process in processes if str(process.group) == lane.key)


def _seen(scope: Scope, process: PathProcess, start: int, stop: int) -> list[tuple[int, int]]:
    """The spans with a path that have a tick in [start, stop)."""
    starts, stops = _spans(scope, process)
    seen = np.flatnonzero((starts < stop) & (stops > start))
    return list(zip(starts[seen].tolist(), stops[seen].tolist(), strict=True))


def _paths(scope: Scope, lane: DerivedLane, start: int, stop: int) -> Iterator[CriticalPath | None]:
    """The paths that have a tick in [start, stop); None where one may stop."""
    process = yield from _process(scope, lane)
    for first, end in _seen(scope, process, start, stop):
        yield (yield from critical_path(scope.reader, process, first, end))


def _lane_bins(scope: Scope, lane: DerivedLane, borders: Ints) -> Interruptible[SliceBins]:
    sums = SliceSums(_NAMES, borders)
    process = yield from _process(scope, lane)
    spans = _seen(scope, process, int(borders[0]), int(borders[-1]))
    if spans:
        _check_size(scope, process, spans)
        for kind, windows in enumerate((yield from _summed(scope, process, spans))):
            sums.add(kind, windows)
            yield
    return sums.bins()


def _check_size(scope: Scope, process: PathProcess, spans: Sequence[tuple[int, int]]) -> None:
    """Raises UsageError where the paths of these spans are too many, or of too many events: as if these lay evenly."""
    reader = scope.reader
    extent = work_extent(reader, process, TickRange(0, reader.end + 1))
    events = sum(int(reader.tree.tracks[track].events or 0) for track in process.tracks)
    ticks = max(extent.stop - extent.start, 1)
    seen = events * min(sum(stop - start for start, stop in spans), ticks) // ticks
    if len(spans) > MOST_STEPS or (len(spans) > 1 and seen > MOST_EVENTS):
        steps = plural(len(spans), "step", "steps")
        raise UsageError(f"the critical paths of {steps}, of some {seen:,} events, are too many for a view: zoom in")


def _summed(scope: Scope, process: PathProcess, spans: Sequence[tuple[int, int]]) -> Interruptible[list[SummedWindows]]:
    """Pieces of the paths of some spans that follow one another, by PathKind."""
    key = (process.group, spans[0][0], spans[-1][1])
    summed = _SUMS.get(scope.reader, key)
    if summed is None:
        parts = []
        for start, stop in spans:
            pieces = (yield from critical_path(scope.reader, process, start, stop)).pieces
            parts.append((pieces.start, pieces.stop, pieces.kind))
        starts, stops, kinds = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        summed = []
        for kind in PathKind:
            here = np.flatnonzero(kinds == kind)
            summed.append(SummedWindows.from_windows(Windows(starts[here], stops[here])))
            yield
        summed = _SUMS.keep(scope.reader, key, summed)
    return summed


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[LaneSlices | None]:
    for path in _paths(scope, lane, span.start, span.stop):
        if path is None:
            yield None
            continue
        pieces = path.pieces
        row = np.zeros(len(pieces), np.int64)
        slices = LaneSlices(path.stop, _NAMES, pieces.start, pieces.stop, row, pieces.kind)
        yield slices.take((slices.start < span.stop) & (slices.stop > span.start))


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The slices of the path from a tick on, each with the one of another track that it waits for."""
    events: list[LaneEvent] = []
    for path in _paths(scope, lane, tick, tick + 1):
        if path is not None:
            events += _events(path, tick)
        yield
    return events


def _events(path: CriticalPath, tick: int) -> list[LaneEvent]:
    pieces = path.pieces
    has_event = np.flatnonzero((pieces.ordinal >= 0) & (pieces.stop > tick))
    before: tuple[int, int] | None = None
    events = []
    for row in has_event[:_LISTED].tolist():
        event = (int(pieces.track[row]), int(pieces.ordinal[row]))
        if event != before:
            events.append(LaneEvent(event, before if before is not None and before[0] != event[0] else None))
        before = event
    return events


LANES: Final = LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events)
