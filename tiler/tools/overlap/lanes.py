"""Derived lanes of devices: what each does, and for Ascend devices rows of its profilers and name scopes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts import Busy, Device, devices_of
from tilescope.tiler.facts.ascend_tracks import overlap_rows
from tilescope.tiler.facts.lanes import (
    ASCEND_ROWS,
    FREE_CAUSES,
    DeviceStates,
    LaneSlices,
    SliceBins,
    StateView,
    device_borders,
    device_states,
    queue_curve,
)
from tilescope.tiler.facts.lanes.ascend_scopes import AscendLine, ascend_scopes
from tilescope.tiler.facts.lanes.step_slices import StepSlices, has_steps_elsewhere, step_slices
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.query import Interruptible, Reading
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.lane_notes import deeper_scopes
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import Windows, everywhere

_ROWS: Final = {row.view.key: row for row in ASCEND_ROWS}
_VIEWS: Final = {row.view.key: row.view for row in ASCEND_ROWS} | {FREE_CAUSES.key: FREE_CAUSES}
_SCOPES: Final = "scopes"
_STEPS: Final = "steps"
_ANY: Final = frozenset(Work) - {Work.NONE}


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    """A lane of each device, at its first track, and those that an Ascend device lacks."""
    lanes = []
    for device in (yield from devices_of(scope.reader)):
        if _is_done(scope, device):
            lanes.append(_lane(device, str(device.group), f"What {device.name} does"))
            if is_ascend_device(scope.reader.tree.groups[device.group].name):
                lanes += yield from _ascend_lanes(scope, device)
                if has_steps_elsewhere(scope.reader, device):
                    lanes.append(_lane(device, f"{_STEPS}-{device.group}", "Steps"))
                scopes = yield from ascend_scopes(scope.reader, device)
                if scopes.rows.rows:
                    lane = _lane(device, f"{_SCOPES}-{device.group}", "Name scopes")
                    lanes.append(replace(lane, rows=scopes.rows.rows))
    return lanes


def _is_done(scope: Scope, device: Device) -> bool:
    return all(scope.is_done(track) for track in sorted(device.track_ids))


def _lane(device: Device, key: str, title: str) -> DerivedLane:
    return DerivedLane(key, title, device.tracks[0].track, sorted(device.track_ids), "slices", figure="ticks")


def _ascend_lanes(scope: Scope, device: Device) -> Interruptible[list[DerivedLane]]:
    written = overlap_rows(scope.reader, device.tracks[0].track)
    works = yield from _works(scope, device)
    lanes = [
        _lane(device, f"{row.view.key}-{device.group}", row.title)
        for row in ASCEND_ROWS
        if not row.written & written and works >= row.works
    ]
    if any(next(launches_of_track(scope.reader.store, work.track), None) is not None for work in device.tracks):
        lanes.append(_lane(device, f"{FREE_CAUSES.key}-{device.group}", "Causes of free time"))
    return lanes


def _works(scope: Scope, device: Device) -> Interruptible[set[int]]:
    """The kinds of work on the tracks of a device."""
    works: set[int] = set()
    whole = everywhere(Windows.single(0, TICK_LIMIT))
    for work_track in device.tracks:
        of_name = works_of(work_track.kinds)
        for part in Reading(scope.reader).histogram_parts([work_track.track], whole):
            works.update(np.unique(of_name if part.has_other_names else of_name[part.name + 1]).tolist())
            yield
    return works


def _view(lane: DerivedLane) -> tuple[str, StateView | None]:
    """The group of a lane's device, and its view; None: that of any device."""
    view, _, group = lane.key.rpartition("-")
    return group, _VIEWS.get(view)


def _device(scope: Scope, lane: DerivedLane) -> Interruptible[Device]:
    group, _ = _view(lane)
    devices = yield from devices_of(scope.reader)
    (device,) = (device for device in devices if str(device.group) == group)
    return device


def _is_of_scopes(lane: DerivedLane) -> bool:
    return lane.key.startswith(f"{_SCOPES}-")


def _is_of_steps(lane: DerivedLane) -> bool:
    return lane.key.startswith(f"{_STEPS}-")


def _steps(scope: Scope, lane: DerivedLane) -> Interruptible[StepSlices]:
    device = yield from _device(scope, lane)
    return (yield from step_slices(scope.reader, device))


def _scope_line(scope: Scope, lane: DerivedLane) -> Interruptible[AscendLine]:
    device = yield from _device(scope, lane)
    scopes = yield from ascend_scopes(scope.reader, device)
    borders = yield from device_borders(scope.reader, device)
    return AscendLine(scope.reader, device, scopes, scopes.rows.first(lane.rows), borders)


def _device_states(scope: Scope, lane: DerivedLane) -> Interruptible[DeviceStates]:
    _, view = _view(lane)
    device = yield from _device(scope, lane)
    return (yield from device_states(scope.reader, device, *(() if view is None else (view,))))


def _lane_bins(scope: Scope, lane: DerivedLane, borders: NDArray[np.int64]) -> Interruptible[SliceBins]:
    """The ticks of each state of a device: those of `devices`, bin by bin."""
    if _is_of_scopes(lane):
        line = yield from _scope_line(scope, lane)
        return (yield from line.bins(borders))
    if _is_of_steps(lane):
        return (yield from _steps(scope, lane)).bins(borders)
    states = yield from _device_states(scope, lane)
    return (yield from states.bins(scope.reader, borders))


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[LaneSlices | None]:
    if _is_of_scopes(lane):
        line = yield from _scope_line(scope, lane)
        yield from line.slices(span.start, span.stop)
    elif _is_of_steps(lane):
        steps = yield from _steps(scope, lane)
        yield from steps.slices(span.start, span.stop)
    else:
        states = yield from _device_states(scope, lane)
        yield from states.slices(scope.reader, span.start, span.stop)


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The work that runs, or that ends free time, the latest first, with its launches as far as these are stored."""
    if _is_of_scopes(lane):
        line = yield from _scope_line(scope, lane)
        operations = yield from line.operations(tick)
        places = zip(operations.track.tolist(), operations.ordinal.tolist(), strict=True)
        return [LaneEvent(place) for place in places]
    if _is_of_steps(lane):
        mark = (yield from _steps(scope, lane)).mark(tick)
        return [] if mark is None else [LaneEvent(mark)]
    device = yield from _device(scope, lane)
    _, view = _view(lane)
    works = _ANY if view is None or view.key not in _ROWS else _ROWS[view.key].works or _ANY
    if view is not None and works == _ANY:
        end = yield from Busy(scope.reader, device.tracks).extent(TickRange(tick, scope.reader.end + 1))
        tick = end.start if len(end) else tick
    running: list[tuple[int, int, int]] = []
    for work_track in (*device.tracks, *device.beside):
        plan = scope.reader.plan(work_track.track, Windows.single(tick, tick + 1))
        for events in Reading(scope.reader).events(plan, plan.leaf_runs):
            is_work = np.isin(works_of(work_track.kinds)[events.name + 1], list(works))
            runs = is_work & (events.start <= tick) & (events.start + events.duration > tick)
            rows = zip(events.start[runs].tolist(), events.ordinal[runs].tolist(), strict=True)
            running += [(start, work_track.track, ordinal) for start, ordinal in rows]
            yield
    launches: dict[tuple[int, int], tuple[int, int]] = {}
    for track in sorted({track for _, track, _ in running}):
        ordinals = np.array([ordinal for _, owner, ordinal in running if owner == track], np.int64)
        launches |= yield from _launches(scope, track, ordinals)
    return [
        LaneEvent((track, ordinal), launches.get((track, ordinal)))
        for _, track, ordinal in sorted(running, reverse=True)
    ]


def _launches(
    scope: Scope, track: int, ordinals: NDArray[np.int64]
) -> Interruptible[dict[tuple[int, int], tuple[int, int]]]:
    """Launches of some events of a stream, by these; track and ordinal of both."""
    try:
        curve = queue_curve(scope.reader, track)
    except NotBuilt:  # they are stored last
        return {}
    if curve is None:
        return {}
    pairs = yield from curve.launches(scope.reader, ordinals)
    columns = (pairs.ordinal, pairs.track, pairs.launch)
    return {
        (track, ordinal): (host, launch)
        for ordinal, host, launch in zip(*(column.tolist() for column in columns), strict=True)
    }


def _left_out(scope: Scope) -> Interruptible[str]:
    deeper = 0
    for device in (yield from devices_of(scope.reader)):
        if is_ascend_device(scope.reader.tree.groups[device.group].name) and _is_done(scope, device):
            scopes = yield from ascend_scopes(scope.reader, device)
            deeper = max(deeper, scopes.deeper)
    return deeper_scopes(deeper)


LANES: Final = LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events, _left_out)
