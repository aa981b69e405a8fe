"""The steps of TPU cores and what they are made of: sums over operations are made once for each run."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.kind_sums import clipped
from tilescope.tiler.facts.step_times.alignment import step_shifts
from tilescope.tiler.facts.step_times.core_sums import CoreSums, ReduceSums, core_sums
from tilescope.tiler.facts.step_times.device_clock import device_durations, has_device_clock, idle_ticks
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart
from tilescope.tiler.facts.step_times.reduce_groups import UNREAD, group_numbers
from tilescope.tiler.facts.step_times.reduce_participants import Participants, expected_participants
from tilescope.tiler.facts.step_times.spans import Cuts, StepSpans
from tilescope.tiler.facts.step_times.times import StepTimes, step_times_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

_COMPUTE, _SYNC = TPU_PARTS.index(StepPart.ALL_REDUCE_COMPUTE), TPU_PARTS.index(StepPart.ALL_REDUCE_SYNC)
_UNSPLIT = TPU_PARTS.index(StepPart.ALL_REDUCE_UNSPLIT)
_IDLE = TPU_PARTS.index(StepPart.IDLE)


@dataclass(frozen=True, slots=True)
class _WholeSteps:
    """Steps of a core, whatever the windows: `parts` as `CoreSums` has them, and what is left of each step."""

    core: TpuCore
    spans: StepSpans
    device: Ints  # how long the slice takes on the device, ps; -1 not known
    sums: CoreSums
    least: Ints  # of each row of `sums.reduces`: the least that this all-reduce takes in this step in its group
    participants: Participants
    by_timeline: bool  # the slices have no time of the device's clock, which may differ from that of the timeline


_WHOLE_STEPS: Final = RunCache[list[_WholeSteps]]("tpu_steps", "Steps of TPU cores, and what they are made of")


def tpu_step_times(
    reader: QueryReader, steps: RunSteps, cores: Sequence[TpuCore], wanted: Set[int], windows_of: WindowsOf
) -> Interruptible[list[StepTimes]]:
    """Step times of the wanted processes of all cores of a run, in their windows. Raises DamagedStore, NotBuilt.

    How long an all-reduce computes is the least that it takes on any core of its group; on the others it waited for
    that. In steps that not all cores have which take part, or whose groups are not understood, the one is not told from
    the other.
    """
    whole = _WHOLE_STEPS.get(reader) if steps is reader.steps else None
    if whole is None:
        whole = []
        for core in cores:
            series = steps.of_track(core.operations[0])
            if series is not None and len(series.rows):
                whole.append((yield from _whole_steps(reader, core, StepSpans.from_series(series))))
        expected = (yield from expected_participants(reader, cores)) or len(whole)
        groups = yield from group_numbers(reader, {core_steps.core: core_steps.sums.reduces.id for core_steps in whole})
        whole = _compared(whole, groups, expected)
        if steps is reader.steps:
            _WHOLE_STEPS.keep(reader, whole)
    times_of_cores = []
    for core_steps in whole:
        if core_steps.core.group in wanted:
            times = yield from _times(reader, core_steps, windows_of(core_steps.core.operations[0]))
            if len(times):
                times_of_cores.append(times)
    return times_of_cores


def _whole_steps(reader: QueryReader, core: TpuCore, spans: StepSpans) -> Interruptible[_WholeSteps]:
    by_timeline = any(has_device_clock(reader, track) for track in core.operations) and not any(
        has_device_clock(reader, track) for track in np.unique(spans.track).tolist()
    )
    sums = yield from _sums(reader, core, spans.start, spans.stop, by_timeline=by_timeline)
    device = yield from device_durations(reader, spans.track, spans.ordinal)
    alone = Participants(np.ones(len(spans), np.int64), 1, np.ones(len(spans), np.bool_))
    return _WholeSteps(core, spans, device, sums, sums.reduces.ps, alone, by_timeline)


def _sums(
    reader: QueryReader, core: TpuCore, starts: Ints, stops: Ints, *, by_timeline: bool, has_whole: bool = True
) -> Interruptible[CoreSums]:
    """As `core_sums`; `by_timeline`: in times of the timeline, not of the device's clock."""
    sums = yield from core_sums(reader, core.operations, starts, stops, has_whole=has_whole)
    if not by_timeline:
        return sums
    idle = yield from idle_ticks(reader, core, starts, stops)
    return sums.scaled((np.maximum(stops - starts, 0) - idle) * reader.tick_ps)


def _durations(reader: QueryReader, core_steps: _WholeSteps, starts: Ints, stops: Ints, rows: Ints) -> Ints:
    """Durations of pieces of steps by the device's clock, where that is known."""
    spans, device = core_steps.spans, core_steps.device[rows]
    durations = (stops - starts) * reader.tick_ps
    start, end = spans.start[rows], spans.end[rows]
    is_whole = (starts == start) & (stops == end) & (end > start)
    durations = np.where(is_whole & (device >= 0), device, durations)
    for row in np.flatnonzero(~is_whole & (device >= 0)).tolist():
        first, last = int(starts[row]), int(stops[row])
        whole = int(start[row]), int(end[row]), int(device[row])
        durations[row] = clipped(Windows.single(first, last), *whole) if last > first else 0
    return durations


def _compared(whole: list[_WholeSteps], groups: Sequence[Ints], expected: int) -> list[_WholeSteps]:
    """With what each all-reduce takes at least, by step, id and group; and how many cores have each step."""
    steps, recorded = _common_steps([core_steps.spans for core_steps in whole])
    reduces = [core_steps.sums.reduces for core_steps in whole]
    columns = [
        (step[sums.window], sums.id, group, sums.ps) for step, group, sums in zip(steps, groups, reduces, strict=True)
    ]
    is_grouped = np.ones(len(recorded), np.bool_)
    for step_of_row, _, group, _ in columns:
        is_grouped[step_of_row[group == UNREAD]] = False
    least = [sums.ps for sums in reduces]
    if any(map(len, least)):
        step, ids, group, ps = (np.concatenate(column) for column in zip(*columns, strict=True))
        order = np.lexsort((group, ids, step))
        is_next = np.append(True, np.logical_or.reduce([np.diff(column[order]) != 0 for column in (step, ids, group)]))
        first = np.flatnonzero(is_next)
        of_all = np.empty(len(order), np.int64)
        of_all[order] = np.repeat(np.minimum.reduceat(ps[order], first), np.diff(first, append=len(order)))
        least = np.split(of_all, np.cumsum([len(sums.ps) for sums in reduces])[:-1])
    return [
        replace(core_steps, least=of_core, participants=Participants(recorded[step], expected, is_grouped[step]))
        for core_steps, of_core, step in zip(whole, least, steps, strict=True)
    ]


def _common_steps(cores: Sequence[StepSpans]) -> tuple[list[Ints], Ints]:
    """A number for each step of each core, which cores share that have it; and how many cores do, by this number."""
    if not cores:
        return [], np.zeros(0, np.int64)
    rows = [len(spans) for spans in cores]
    pass_ = np.concatenate([spans.pass_ for spans in cores])
    number = np.concatenate([spans.number + shift for spans, shift in zip(cores, step_shifts(cores), strict=True)])
    core = np.repeat(np.arange(len(cores)), rows)
    order = np.lexsort((core, number, pass_))
    is_next = (np.diff(number[order], prepend=-1) != 0) | (np.diff(pass_[order], prepend=-1) != 0)
    step = np.empty(len(order), np.int64)
    step[order] = np.cumsum(is_next) - 1
    is_other = is_next | (np.diff(core[order], prepend=-1) != 0)
    return np.split(step, np.cumsum(rows)[:-1]), np.bincount(step[order[is_other]])


def _times(reader: QueryReader, core_steps: _WholeSteps, windows: Windows) -> Interruptible[StepTimes]:
    spans, cuts = core_steps.spans, Cuts.from_windows(core_steps.spans, windows)
    rows = np.flatnonzero(cuts.whole)
    whole = _split(core_steps, core_steps.sums, np.arange(len(spans)))
    parts = whole[rows]
    if len(cuts.row):
        # What lies in a piece is what a step has until its end, less what it has until its start.
        until = yield from _until(
            reader, core_steps, whole, np.tile(cuts.row, 2), np.concatenate([cuts.stop, cuts.start])
        )
        parts = np.concatenate([parts, until[: len(cuts.row)] - until[len(cuts.row) :]])
    row = np.concatenate([rows, cuts.row])
    start, stop = (
        np.concatenate([column[rows], cut]) for column, cut in ((spans.start, cuts.start), (spans.stop, cuts.stop))
    )
    duration = _durations(reader, core_steps, start, stop, row)
    parts[:, _IDLE] = duration - parts.sum(axis=1)
    is_whole = np.arange(len(start)) < len(rows)
    participants = core_steps.participants
    return step_times_of(
        core_steps.core.group, spans, row, start, stop, is_whole, duration, parts, TPU_PARTS, participants
    )


def _until(reader: QueryReader, core_steps: _WholeSteps, whole: Ints, rows: Ints, times: Ints) -> Interruptible[Ints]:
    """Time of steps between their start and some time, by part. Rows may come several times.

    `whole` is what they have until their end.
    """
    spans = core_steps.spans
    until = np.zeros((len(rows), len(TPU_PARTS)), np.int64)
    ended = times >= spans.stop[rows]
    until[ended] = whole[rows[ended]]
    left = np.flatnonzero(~ended & (times > spans.start[rows]))
    while len(left):  # once, unless several windows cut a step: those that are added up together share no time
        left = left[np.argsort(rows[left], kind="stable")]
        is_first = np.diff(rows[left], prepend=-1) != 0
        first_rows, left = left[is_first], left[~is_first]
        window = spans.start[rows[first_rows]], times[first_rows]
        by_timeline = core_steps.by_timeline
        sums = yield from _sums(reader, core_steps.core, *window, by_timeline=by_timeline, has_whole=False)
        until[first_rows] = _split(core_steps, sums, rows[first_rows])
    return until


def _split(core_steps: _WholeSteps, sums: CoreSums, rows: Ints) -> Ints:
    """The parts of steps, or of what they have until some time, with what all-reduces wait told from computing.

    One that waits does so first, and computes once all cores have come. If not all were recorded, both are one part.
    """
    parts = sums.parts.copy()
    reduces, whole = sums.reduces, core_steps.sums.reduces
    positions = _find(whole, rows[reduces.window], reduces.id)
    sync = np.zeros(len(parts), np.int64)
    np.add.at(sync, reduces.window, np.minimum(reduces.ps, whole.ps[positions] - core_steps.least[positions]))
    sync = np.minimum(sync, np.maximum(parts[:, _COMPUTE], 0))
    parts[:, _SYNC] = sync
    parts[:, _COMPUTE] -= sync
    unsplit = np.flatnonzero(~core_steps.participants.are_all[rows])
    parts[unsplit, _UNSPLIT] = parts[unsplit, _COMPUTE] + parts[unsplit, _SYNC]
    parts[unsplit, _COMPUTE] = parts[unsplit, _SYNC] = 0
    return parts


def _find(whole: ReduceSums, rows: Ints, ids: Ints) -> Ints:
    """Positions of all-reduces of some steps among all: each of them is there."""
    if not len(ids):
        return np.zeros(0, np.int64)
    names = np.unique(whole.id)
    return np.searchsorted(
        whole.window * len(names) + np.searchsorted(names, whole.id),
        rows * len(names) + np.searchsorted(names, ids),
    )
