"""Step traces of Ascend devices: the parts that their profilers mark in each step, as slices of the timeline.

A step goes from its start to the start of forward, from there to the end of backward, and from there to its end;
reduces run in it, on streams of their own. MindSpore's files and msprof's call these slices alike, by category.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import SLICE_KINDS, Interruptible, Name, QueryReader, Reading, finish
from tilescope.tiler.query.events import EVERYTHING, Events, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, everywhere

Ints = NDArray[np.int64]

FORWARD_BACKWARD: Final = "FP_BP Time"  # categories of slices
REDUCE: Final = "Reduce"
WAIT: Final = "Data_aug Bound"

_MARKS: Final = frozenset({FORWARD_BACKWARD, REDUCE, WAIT})

_FIRST_CUT: Final = KeyedRunCache[int, bool]("first_cut", "Whether the first step of a process is cut")

_TRANSFER: Final = re.compile(r"(?i)send|receive")
_NUMBERED_REDUCE: Final = re.compile(r"Reduce_\d{1,18}_(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Reduces:
    """Reduces, columns of shape (n,), in the order of their starts."""

    step: Ints  # row of the step in which each starts
    name: Ints  # index into `StepTrace.reduce_names`
    start: Ints
    stop: Ints
    track: Ints
    ordinal: Ints

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True)
class StepTrace:
    """The steps of one device, in the order of their starts, and what they are made of."""

    series: StepSeries
    forward: Ints  # of each step, the start of forward; -1: not recorded
    backward: Ints  # the end of backward; -1: not recorded
    wait: Ints  # ticks from the end of the step before to the start of forward, as msprof has them; -1: not recorded
    reduce_names: Sequence[str]
    reduces: Reduces

    @property
    def rows(self) -> StepRows:
        """The steps."""
        return self.series.rows

    @property
    def is_marked(self) -> NDArray[np.bool_]:
        """True for steps of which both points are recorded, in order, and within the step."""
        is_marked: NDArray[np.bool_] = (
            (self.forward >= self.rows.start)
            & (self.backward >= self.forward)
            & (self.backward <= self.rows.stop)
            & (self.rows.is_open == 0)
        )
        return is_marked

    @property
    def update(self) -> Ints:
        """Starts of the update of parameters in each step, behind backward and the last reduce; -1: cannot be told.

        Sends and receives of a pipeline are among the reduces of MindSpore's files; they are no reduces.
        """
        are_reduces = np.array([not _TRANSFER.search(name) for name in self.reduce_names], np.bool_)[self.reduces.name]
        reduced = np.full(len(self.rows), -1, np.int64)
        np.maximum.at(reduced, self.reduces.step[are_reduces], self.reduces.stop[are_reduces])
        has_end = self.is_marked & (reduced >= 0) & (reduced <= self.rows.stop)
        return np.where(has_end, np.maximum(reduced, self.backward), -1)

    @property
    def is_cut(self) -> NDArray[np.bool_]:
        """True for the first step where its start was not recorded: then it begins with forward."""
        rows = self.rows
        is_first = rows.start == rows.start.min(initial=TICK_LIMIT)
        is_cut: NDArray[np.bool_] = is_first & (self.forward == rows.start)
        return is_cut


def step_traces(reader: QueryReader, series: Sequence[StepSeries]) -> Interruptible[list[StepTrace]]:
    """Step traces of the devices among some series of steps that have marks. Raises DamagedStore, NotBuilt."""
    traces = []
    for device_series in series:
        trace = yield from _trace(reader, device_series)
        if trace is not None:
            traces.append(trace)
    return traces


def _trace(reader: QueryReader, series: StepSeries) -> Interruptible[StepTrace | None]:
    marks = []
    for track in (yield from _marked_tracks(reader, series)):
        marks.append((yield from slices_in(reader, track)))
    if not marks:
        return None
    names = reader.names.by_id({name for events in marks for name in np.unique(events.name).tolist()})
    rows = series.rows
    forward, backward, wait = (np.full(len(rows), -1, np.int64) for _ in range(3))
    reduces: list[tuple[Events, Ints]] = []
    reduce_names: dict[str, int] = {}
    for events in marks:
        both = events.take(_are(events, names, FORWARD_BACKWARD))
        step = step_of(rows, both.start)
        both, step = both.take(step >= 0), step[step >= 0]
        forward[step], backward[step] = both.start, both.start + both.duration
        waits = events.take(_are(events, names, WAIT))
        step = step_of(rows, waits.start + waits.duration)
        wait[step[step >= 0]] = waits.duration[step >= 0]
        wait[(rows.start == rows.start.min(initial=TICK_LIMIT)) & (wait == 0)] = -1  # nothing is recorded before
        few = events.take(_are(events, names, REDUCE))
        few = few.take(step_of(rows, few.start) >= 0)
        labels = [reduce_names.setdefault(_label(names[name].text), len(reduce_names)) for name in few.name.tolist()]
        reduces.append((few, np.array(labels, np.int64)))
        yield
    return StepTrace(series, forward, backward, wait, list(reduce_names), _in_order(rows, reduces))


def has_step_traces(reader: QueryReader) -> bool:
    """True if a process with steps has slices of forward and backward. Raises DamagedStore, NotBuilt."""
    iterations = [series for series in reader.steps.series if series.source is StepSource.ITERATION]
    return any(finish(_marked_tracks(reader, series)) for series in iterations)


def _marked_tracks(reader: QueryReader, series: StepSeries) -> Interruptible[list[int]]:
    """The tracks of the processes of a series on which marks stand, as their histograms tell."""
    processes = {series.process, *(reader.tree.tracks[track].group for track in series.tracks)}
    tracks = []
    for track in reader.tree.tracks:
        if track.group not in processes or track.kind not in SLICE_KINDS or not track.events:
            continue
        used: set[int] = set()
        for part in Reading(reader).histogram_parts([track.id], everywhere(EVERYTHING)):
            used.update(part.name[part.name >= 0].tolist())
            yield
        if any(name.category in _MARKS for name in reader.names.by_id(used).values()):
            tracks.append(track.id)
    return tracks


def is_first_cut(reader: QueryReader, series: StepSeries) -> Interruptible[bool]:
    """True if the first of several steps begins with forward, as `StepTrace.is_cut`. Raises DamagedStore.

    MindSpore's step trace has no start of the first step: it writes that of forward in its place. The only step of a
    trace enters means all the same: there is no other.
    """
    if series.source is not StepSource.ITERATION or len(series.rows) < 2 or not reader.is_whole:
        return False
    is_cut = _FIRST_CUT.get(reader, series.process)
    if is_cut is None:
        is_cut = _FIRST_CUT.keep(reader, series.process, (yield from _begins_with_forward(reader, series)))
    return is_cut


def _begins_with_forward(reader: QueryReader, series: StepSeries) -> Interruptible[bool]:
    begin = int(series.rows.start.min())
    for track in (yield from _marked_tracks(reader, series)):
        events = yield from slices_in(reader, track, Windows.single(begin, begin + 1))
        names = reader.names.by_id(np.unique(events.name).tolist())
        if (events.take(_are(events, names, FORWARD_BACKWARD)).start == begin).any():
            return True
    return False


def unmarked_trace(series: StepSeries) -> StepTrace:
    """Steps in which nothing is marked."""
    none = np.full(len(series.rows), -1, np.int64)
    return StepTrace(series, none, none, none, [], _in_order(series.rows, []))


def slices_in(reader: QueryReader, track: int, windows: Windows = EVERYTHING) -> Interruptible[Events]:
    """The slices of a track that lie in windows at least in part."""
    plan = reader.plan(track, windows)
    parts = [no_events(track)]
    for events in Reading(reader).events(plan, plan.leaf_runs):
        parts.append(events)
        yield
    return join(parts)


def _are(events: Events, names: Mapping[int, Name], category: str) -> NDArray[np.bool_]:
    return np.isin(events.name, np.array([name for name, text in names.items() if text.category == category], np.int64))


def step_of(rows: StepRows, times: Ints) -> Ints:
    """The row of the step that has each tick; -1: none has. The last that begins before, where steps overlap."""
    order = np.argsort(rows.start, kind="stable")
    place = np.searchsorted(rows.start[order], times, side="right") - 1
    step = np.where(place >= 0, order[np.maximum(place, 0)] if len(order) else -1, -1)
    is_in = (step >= 0) & (times < rows.stop[np.maximum(step, 0)]) if len(order) else np.zeros(len(times), np.bool_)
    return np.where(is_in, step, -1)


def _label(name: str) -> str:
    """The name of a reduce that all steps have: `Reduce_7_0` is "Reduce 0"."""
    match = _NUMBERED_REDUCE.fullmatch(name)
    return f"Reduce {match[1]}" if match else name


def _in_order(rows: StepRows, parts: Sequence[tuple[Events, Ints]]) -> Reduces:
    events = join([no_events(0), *(part for part, _ in parts)])
    track = np.concatenate([np.zeros(0, np.int64), *(np.full(len(part), part.track) for part, _ in parts)])
    label = np.concatenate([np.zeros(0, np.int64), *(labels for _, labels in parts)])
    order = np.argsort(events.start, kind="stable")
    events, track, label = events.take(order), track[order], label[order]
    stop = events.start + events.duration
    return Reduces(step_of(rows, events.start), label, events.start, stop, track, events.ordinal)
