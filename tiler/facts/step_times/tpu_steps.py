"""The steps of TPU cores and what they are made of: sums over operations are made once for each run."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.kind_sums import clipped
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.step_times.core_sums import CoreSums, ReduceSums, core_sums
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart
from tilescope.tiler.facts.step_times.spans import Cuts, StepSpans
from tilescope.tiler.facts.step_times.times import StepTimes, step_times_of
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

_COMPUTE, _SYNC = TPU_PARTS.index(StepPart.ALL_REDUCE_COMPUTE), TPU_PARTS.index(StepPart.ALL_REDUCE_SYNC)
_IDLE = TPU_PARTS.index(StepPart.IDLE)


@dataclass(frozen=True, slots=True)
class _WholeSteps:
    """Of a core, whatever the windows: `parts` as `CoreSums` has them, and what is left of each step."""

    core: TpuCore
    spans: StepSpans
    device: Ints  # how long the slice takes on the device, ps; -1 not known
    sums: CoreSums
    least: Ints  # of each row of `sums.reduces`: the least that this all-reduce takes in this step on any core


_WHOLE_STEPS: Final = RunCache[list[_WholeSteps]]("tpu_steps", "Steps of TPU cores, and what they are made of")


def tpu_step_times(
    reader: QueryReader, steps: RunSteps, cores: Sequence[TpuCore], wanted: Set[int], windows_of: WindowsOf
) -> Steps[list[StepTimes]]:
    """Those of the wanted ones (processes) of all cores of a run, in their windows. Raises DamagedStore, NotBuilt.

    How long an all-reduce computes is the least that it takes on any core; on the others it waited for that.
    """
    whole = _WHOLE_STEPS.get(reader) if steps is reader.steps else None
    if whole is None:
        whole = []
        for core in cores:
            series = steps.of_track(core.operations[0])
            if series is not None and len(series.rows):
                whole.append((yield from _whole_steps(reader, core, StepSpans.of(series))))
        whole = _with_least(whole)
        if steps is reader.steps:
            _WHOLE_STEPS.keep(reader, whole)
    found = []
    for of in whole:
        if of.core.group in wanted:
            times = yield from _times(reader, of, windows_of(of.core.operations[0]))
            if len(times):
                found.append(times)
    return found


def _whole_steps(reader: QueryReader, core: TpuCore, spans: StepSpans) -> Steps[_WholeSteps]:
    sums = yield from core_sums(reader, core.operations, spans.start, spans.stop)
    device = yield from _device_durations(reader, spans)
    return _WholeSteps(core, spans, device, sums, sums.reduces.ps)


def _device_durations(reader: QueryReader, spans: StepSpans) -> Steps[Ints]:
    """How long the slices that are steps take on the device, ps; -1 where that is not known. Raises DamagedStore."""
    found = np.full(len(spans), -1, np.int64)
    for track in np.unique(spans.track).tolist():
        kinds = None if track < 0 else track_kinds(reader, track)
        if kinds is None:
            continue
        records = OperationRecords(reader, track, kinds)
        which = np.flatnonzero(spans.track == track)
        number, place = np.divmod(spans.ordinal[which], CHUNK_OPERATIONS)
        for one in np.unique(number).tolist():
            some = number == one
            found[which[some]] = records.durations(one, place[some])
            yield
    return found


def _durations(reader: QueryReader, of: _WholeSteps, starts: Ints, stops: Ints, rows: Ints) -> Ints:
    """How long pieces of steps are on the device's clock, where that is known."""
    spans, device = of.spans, of.device[rows]
    found = (stops - starts) * int(reader.store.manifest()["tick_ps"])
    start, end = spans.start[rows], spans.end[rows]
    is_whole = (starts == start) & (stops == end) & (end > start)
    found = np.where(is_whole & (device >= 0), device, found)
    for at in np.flatnonzero(~is_whole & (device >= 0)).tolist():
        first, last = int(starts[at]), int(stops[at])
        whole = int(start[at]), int(end[at]), int(device[at])
        found[at] = clipped(Windows.single(first, last), *whole) if last > first else 0
    return found


def _with_least(whole: list[_WholeSteps]) -> list[_WholeSteps]:
    """With what each all-reduce takes at least, by step and id, over all cores."""
    columns = [
        (
            np.full(len(of.sums.reduces.id), place),
            of.spans.pass_[of.sums.reduces.window],
            of.spans.number[of.sums.reduces.window],
            of.sums.reduces.id,
            of.sums.reduces.ps,
        )
        for place, of in enumerate(whole)
    ]
    if not columns:
        return whole
    core, pass_, number, ids, ps = (np.concatenate(column) for column in zip(*columns, strict=True))
    if not len(ps):
        return whole
    order = np.lexsort((ids, number, pass_))
    change = np.zeros(len(order), np.bool_)
    change[0] = True
    for column in (pass_, number, ids):
        change[1:] |= np.diff(column[order]) != 0
    first = np.flatnonzero(change)
    least = np.empty(len(order), np.int64)
    least[order] = np.repeat(np.minimum.reduceat(ps[order], first), np.diff(first, append=len(order)))
    return [replace(of, least=least[core == place]) for place, of in enumerate(whole)]


def _times(reader: QueryReader, of: _WholeSteps, windows: Windows) -> Steps[StepTimes]:
    spans, cuts = of.spans, Cuts.of(of.spans, windows)
    rows = np.flatnonzero(cuts.whole)
    whole = _split(of, of.sums, np.arange(len(spans)))
    parts = whole[rows]
    if len(cuts.row):
        # What lies in a piece is what a step has until its end, less what it has until its start.
        until = yield from _until(reader, of, whole, np.tile(cuts.row, 2), np.concatenate([cuts.stop, cuts.start]))
        parts = np.concatenate([parts, until[: len(cuts.row)] - until[len(cuts.row) :]])
    row = np.concatenate([rows, cuts.row])
    start, stop = (
        np.concatenate([one[rows], cut]) for one, cut in ((spans.start, cuts.start), (spans.stop, cuts.stop))
    )
    duration = _durations(reader, of, start, stop, row)
    parts[:, _IDLE] = duration - parts.sum(axis=1)
    is_whole = np.arange(len(start)) < len(rows)
    return step_times_of(of.core.group, spans, row, start, stop, is_whole, duration, parts, TPU_PARTS)


def _until(reader: QueryReader, of: _WholeSteps, whole: Ints, rows: Ints, times: Ints) -> Steps[Ints]:
    """What steps have between their start and some time, by part. Rows may come several times.

    `whole` is what they have until their end.
    """
    spans = of.spans
    found = np.zeros((len(rows), len(TPU_PARTS)), np.int64)
    ended = times >= spans.stop[rows]
    found[ended] = whole[rows[ended]]
    left = np.flatnonzero(~ended & (times > spans.start[rows]))
    while len(left):  # once, unless several windows cut a step: those that are added up together share no time
        left = left[np.argsort(rows[left], kind="stable")]
        is_first = np.diff(rows[left], prepend=-1) != 0
        some, left = left[is_first], left[~is_first]
        window = spans.start[rows[some]], times[some]
        sums = yield from core_sums(reader, of.core.operations, *window, has_whole=False)
        found[some] = _split(of, sums, rows[some])
    return found


def _split(of: _WholeSteps, sums: CoreSums, rows: Ints) -> Ints:
    """The parts of steps, or of what they have until some time, with what all-reduces wait told from computing.

    One that waits does so first, and computes once all cores have come.
    """
    parts = sums.parts.copy()
    reduces, whole = sums.reduces, of.sums.reduces
    at = _find(whole, rows[reduces.window], reduces.id)
    sync = np.zeros(len(parts), np.int64)
    np.add.at(sync, reduces.window, np.minimum(reduces.ps, whole.ps[at] - of.least[at]))
    sync = np.minimum(sync, np.maximum(parts[:, _COMPUTE], 0))
    parts[:, _SYNC] = sync
    parts[:, _COMPUTE] -= sync
    return parts


def _find(whole: ReduceSums, rows: Ints, ids: Ints) -> Ints:
    """Where all-reduces of some steps are among all: each of them is there."""
    if not len(ids):
        return np.zeros(0, np.int64)
    names = np.unique(whole.id)
    return np.searchsorted(
        whole.window * len(names) + np.searchsorted(names, whole.id),
        rows * len(names) + np.searchsorted(names, ids),
    )
