"""Points of steps: the start of forward and the end of backward, by the operators of a device.

MindSpore's profiler marks both points. Where a question or a file names other operators, these count; without marks and
names forward starts at the first operator behind `GetNext`, and backward ends before the last all-reduce.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import Device, devices_of
from tilescope.tiler.facts.step_traces import StepTrace, slices_in, step_of, unmarked_trace
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.events import EVERYTHING, Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import RunSteps, StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_GET_NEXT: Final = re.compile(r"(?i)\bget_?next(?![a-z])")
_ALL_REDUCE: Final = re.compile(r"(?i)all_?reduce")


@dataclass(frozen=True, slots=True)
class PointNames:
    """Operators at which forward starts and backward ends, in full or what is behind the last `/`; None: not named."""

    forward: str | None = None
    backward: str | None = None

    @property
    def are_none(self) -> bool:
        """True if neither is named."""
        return self.forward is None and self.backward is None

    def otherwise(self, other: PointNames) -> PointNames:
        """These, and others for what is not named."""
        return PointNames(self.forward or other.forward, self.backward or other.backward)


@dataclass(frozen=True, slots=True)
class PointedTraces:
    """Step traces, and of how many the start of forward and the end of backward are guessed."""

    traces: Sequence[StepTrace]
    guessed_forward: int
    guessed_backward: int


@dataclass(frozen=True, slots=True)
class StepOperators:
    """Operators of a device in steps, columns of shape (n,), in the order of their starts."""

    step: Ints  # row
    start: Ints
    stop: Ints
    name: Ints  # index into `names`
    is_computation: NDArray[np.bool_]
    names: Sequence[str]

    def are(self, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        """True for those in whose name a pattern occurs."""
        return np.array([bool(pattern.search(name)) for name in self.names], np.bool_)[self.name]

    def are_named(self, name: str) -> NDArray[np.bool_]:
        """True for those of this name, or whose name ends with it behind a `/`."""
        wanted = [own == name or own.endswith(f"/{name}") for own in self.names]
        return np.array(wanted, np.bool_)[self.name]


_OPERATORS: Final = KeyedRunCache[tuple[int, StepSource, str], StepOperators](
    "step_operators", "Operators of devices in their steps"
)


def devices_with(steps: RunSteps, series: StepSeries, devices: Sequence[Device]) -> list[Device]:
    """The devices whose steps a series has."""
    return [device for device in devices if device.tracks and steps.of_track(device.tracks[0].track) is series]


def can_be_pointed(steps: RunSteps, series: StepSeries, devices: Sequence[Device]) -> bool:
    """True if steps without marks can have points: those of the iterations of a device whose operators are there."""
    return series.source is StepSource.ITERATION and bool(devices_with(steps, series, devices))


def series_operators(
    reader: QueryReader, devices: Sequence[Device], series: StepSeries
) -> Interruptible[StepOperators]:
    """The operators of devices that start in the steps of a series, which are those of these devices."""
    key = series.process, series.source, series.label
    operators = _OPERATORS.get(reader, key)
    if operators is None:
        operators = _OPERATORS.keep(reader, key, (yield from step_operators(reader, devices, series.rows, EVERYTHING)))
    return operators


def step_operators(
    reader: QueryReader, devices: Sequence[Device], rows: StepRows, windows: Windows
) -> Interruptible[StepOperators]:
    """The operators of devices that start in some steps, of those that lie in windows at least in part."""
    parts: list[tuple[Events, Ints, NDArray[np.bool_]]] = []
    for work_track in (track for device in devices for track in device.tracks):
        events = yield from slices_in(reader, work_track.track, windows)
        step = step_of(rows, events.start)
        kinds = work_track.kinds[events.name + 1]
        chosen = (step >= 0) & (kinds != Work.NONE) & (events.name >= 0)
        parts.append((events.take(chosen), step[chosen], kinds[chosen] == Work.COMPUTATION))
        yield
    start, duration, ids = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(events, column) for events, _, _ in parts)])
        for column in ("start", "duration", "name")
    )
    order = np.argsort(start, kind="stable")
    used, places = np.unique(ids, return_inverse=True)
    texts = reader.names.by_id(used.tolist())
    return StepOperators(
        np.concatenate([np.zeros(0, np.int64), *(step for _, step, _ in parts)])[order],
        start[order],
        (start + duration)[order],
        places[order].astype(np.int64),
        np.concatenate([np.zeros(0, np.bool_), *(are for _, _, are in parts)])[order],
        [texts[name].text for name in used.tolist()],
    )


def pointed_traces(
    reader: QueryReader,
    steps: RunSteps,
    series: Sequence[StepSeries],
    traces: Sequence[StepTrace],
    names: PointNames,
    by_file: PointNames,
) -> Interruptible[PointedTraces]:
    """The traces with the points that are named, and of steps without marks those of files, or guesses.

    Raises DamagedStore.
    """
    devices = yield from devices_of(reader)
    marked = {trace.series.process: trace for trace in traces}
    pointed = []
    guessed_forward = guessed_backward = 0
    for device_series in series:
        trace = marked.get(device_series.process)
        if trace is not None and names.are_none:
            pointed.append(trace)
        elif trace is not None or can_be_pointed(steps, device_series, devices):
            own = devices_with(steps, device_series, devices)
            operators = yield from series_operators(reader, own, device_series)
            own_names = names.otherwise(by_file) if trace is None else names
            trace = trace or unmarked_trace(device_series)
            guessed_forward += own_names.forward is None and not (trace.forward >= 0).any()
            guessed_backward += own_names.backward is None and not (trace.backward >= 0).any()
            pointed.append(_pointed(trace, operators, own_names))
    return PointedTraces(pointed, guessed_forward, guessed_backward)


def _pointed(trace: StepTrace, operators: StepOperators, names: PointNames) -> StepTrace:
    """A step trace with the points by names, else its marks, else guesses."""
    rows = trace.rows
    forward, backward = trace.forward, trace.backward
    if names.forward is not None:
        forward = _first(rows, operators, operators.are_named(names.forward))
    elif (forward < 0).all():
        forward = _guessed_forward(rows, operators)
    if names.backward is not None:
        backward = _last(rows, operators, operators.are_named(names.backward))
    elif (backward < 0).all():
        backward = _guessed_backward(rows, operators)
    return replace(trace, forward=forward, backward=backward)


def _guessed_forward(rows: StepRows, operators: StepOperators) -> Ints:
    """The start of the first operator behind the first `GetNext` of each step; without one, of the first operator."""
    fetches = operators.are(_GET_NEXT)
    fetched = np.full(len(rows), TICK_LIMIT, np.int64)
    np.minimum.at(fetched, operators.step[fetches], operators.stop[fetches])
    after = np.where(fetched < TICK_LIMIT, fetched, rows.start)
    return _first(rows, operators, operators.is_computation & ~fetches & (operators.start >= after[operators.step]))


def _guessed_backward(rows: StepRows, operators: StepOperators) -> Ints:
    """The end of the last operator before the last all-reduce of each step; without one, of the last operator."""
    reduces = operators.are(_ALL_REDUCE)
    reduced = np.full(len(rows), -1, np.int64)
    np.maximum.at(reduced, operators.step[reduces], operators.start[reduces])
    before = np.where(reduced >= 0, reduced, rows.stop)
    return _last(rows, operators, operators.is_computation & (operators.stop <= before[operators.step]))


def _first(rows: StepRows, operators: StepOperators, chosen: NDArray[np.bool_]) -> Ints:
    """The start of the first of some operators in each step; -1: it has none."""
    start = np.full(len(rows), TICK_LIMIT, np.int64)
    np.minimum.at(start, operators.step[chosen], operators.start[chosen])
    return np.where(start < TICK_LIMIT, start, -1)


def _last(rows: StepRows, operators: StepOperators, chosen: NDArray[np.bool_]) -> Ints:
    """The end of the last of some operators in each step; -1: it has none."""
    stop = np.full(len(rows), -1, np.int64)
    np.maximum.at(stop, operators.step[chosen], operators.stop[chosen])
    return stop
