"""Steps of devices by the launches of their work: the windows that choose its events, and the time of each step.

They differ. The windows of a stream hold the work of a step and no work of another one. The time of a step goes from
the end of the step before to its own end on that device, so that idle time between steps is in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_stream
from tilescope.tiler.facts.devices import Device, devices_of
from tilescope.tiler.facts.launches.device_launches import device_launches, has_launches
from tilescope.tiler.facts.launches.device_times import device_times, joined_times
from tilescope.tiler.facts.launches.step_work import NO_STEP, StepWork, WorkSteps, step_work
from tilescope.tiler.facts.launches.unlaunched_work import is_unlaunched, unlaunched_work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.run_steps import RunSteps, StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StreamRuns:
    """Work of a stream in which no other step has any in between, columns of shape (n,), by time."""

    number: Ints
    start: Ints
    stop: Ints

    def windows(self, first: int, last: int) -> Windows:
        """The windows of the steps of these numbers."""
        is_between = (self.number >= first) & (self.number <= last)
        return Windows.from_spans(self.start[is_between], self.stop[is_between])


@dataclass(frozen=True, slots=True)
class LaunchedSteps:
    """Steps of the devices whose hosts mark them."""

    runs: Mapping[int, StreamRuns]  # by track
    times: Mapping[int, StepRows]  # by process of the device: the time of each step
    series: Mapping[int, StepSeries]  # by file: those of its host, with their times over all of its devices
    work: Mapping[int, WorkSteps]  # by track, as far as there is room: who needs others reads the work again


_MOST_KEPT_BYTES: Final = 32 << 20  # steps of some 30 million slices

_HOST_MARKS: Final = frozenset({StepSource.PROFILER_STEP, StepSource.ANNOTATION})

NO_LAUNCHED_STEPS: Final = LaunchedSteps({}, {}, {}, {})

_STEPS: Final = RunCache[LaunchedSteps]("launched_steps", "Steps of devices by launches")


def launched_steps(reader: QueryReader, steps: RunSteps) -> Interruptible[LaunchedSteps]:
    """The steps of devices by launches; of a run that is still being indexed none. Raises DamagedStore.

    Of devices whose hosts mark steps with `ProfilerStep#N`, and of GPUs of an XSpace whose hosts mark them with
    annotations, where launches were recorded.
    """
    if steps is not reader.steps or not reader.is_whole:
        return NO_LAUNCHED_STEPS
    launched = _STEPS.get(reader)
    return _STEPS.keep(reader, (yield from _find(reader, steps))) if launched is None else launched


def _find(reader: QueryReader, steps: RunSteps) -> Interruptible[LaunchedSteps]:
    runs: dict[int, StreamRuns] = {}
    kept: dict[int, WorkSteps] = {}
    room = _MOST_KEPT_BYTES
    times: dict[int, StepRows] = {}
    marks: dict[int, StepSeries] = {}
    of_file: dict[int, list[StepRows]] = defaultdict(list)
    if not any(series.source in _HOST_MARKS for series in steps.series):
        return NO_LAUNCHED_STEPS
    for device in (yield from devices_of(reader)):
        series = steps.of_device(device.tracks[0].track)
        if series is None or series.source not in _HOST_MARKS or steps.is_on_device(series):
            continue
        if series.source is StepSource.ANNOTATION and not _follows_annotations(reader, device):
            continue
        tracks = (*device.tracks, *device.beside)
        works = []
        first_launches: list[int] = []
        is_short = series.source is StepSource.PROFILER_STEP and all(
            steps.of_device(work_track.track) is series for work_track in tracks
        )
        if is_short and is_unlaunched(reader, tracks, series.rows):
            works = yield from unlaunched_work(reader, tracks, series.rows)
            runs |= {work_track.track: _runs(work) for work_track, work in zip(tracks, works, strict=True)}
            tracks = ()
        for work_track in tracks:
            work = yield from step_work(reader, steps, work_track)
            works.append(work)
            runs[work_track.track] = _runs(work)
            if room > 0:
                kept[work_track.track] = WorkSteps.from_work(work, reader.tree.tracks[work_track.track].events)
                room -= kept[work_track.track].place.nbytes
            first_launches += yield from _first_launch(reader, work_track.track, work)
        rows = times[device.group] = device_times(works, first_launches, series.rows)
        if len(rows):
            file = reader.file_of(series.tracks[0])
            marks[file] = series
            of_file[file].append(rows)
    joined = {file: replace(marks[file], rows=joined_times(parts)) for file, parts in of_file.items()}
    return LaunchedSteps(runs, times, joined, kept)


def _follows_annotations(reader: QueryReader, device: Device) -> bool:
    """True of a GPU if any launch of its work is known. TPUs work on lines of operations, not on streams.

    Readers mark annotations in an XSpace alone.
    """
    if not all(is_stream(reader.tree.tracks[work_track.track].name) for work_track in device.tracks):
        return False
    return any(has_launches(reader, work_track.track) for work_track in (*device.tracks, *device.beside))


def _runs(work: StepWork) -> StreamRuns:
    """Work put together as long as none of another step, or of no step, starts in between.

    What starts at one tick on a stream goes with the last of it.
    """
    order = np.argsort(work.start, kind="stable")
    number, start, stop = work.number[order], work.start[order], work.stop[order]
    first = np.flatnonzero(np.diff(number, prepend=NO_STEP - 1) != 0)
    if not len(first):
        return StreamRuns(number, start, stop)
    end = np.maximum.reduceat(np.maximum(stop, start + 1), first)  # events that take no time are in it
    end[:-1] = np.minimum(end[:-1], start[first[1:]])
    is_step = number[first] != NO_STEP
    return StreamRuns(number[first][is_step], start[first][is_step], end[is_step])


def _first_launch(reader: QueryReader, track: int, work: StepWork) -> Interruptible[list[int]]:
    """The start of the first launch for any step of a track; nothing where no launch was recorded."""
    is_step = work.is_launched & (work.number != NO_STEP)
    if not is_step.any():
        return []
    launches = yield from device_launches(reader, track)
    return [int(launches.start[launches.rows(work.ordinal[is_step])].min())]
