"""The steps of a run: which windows of time they are, on each device and each host.

Devices and hosts have clocks and paces of their own, so a step is a window on each of them, and never one of the whole
run. A process (a device, or the threads of a host) has the steps that its own tracks mark. One that marks none has
those of its file; one whose file has none, those of its host. The step trace of an Ascend device is a process of its
own, often in another file than its operators: its steps are those of the device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import STEP_TRACE, is_device_process
from tilescope.tiler.query.names import Names
from tilescope.tiler.query.tracks import TrackTree
from tilescope.tiler.records.steps import StepSource, TrackSteps, join_steps
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_FAMILY = {StepSource.STEPS_LINE_IN_ORDER: StepSource.STEPS_LINE}
_WORDS = {
    StepSource.STEPS_LINE: "line {track}",
    StepSource.PROFILER_STEP: "slices ProfilerStep#N of {track}",
    StepSource.ITERATION: "slices Iteration N of {track}",
    StepSource.ANNOTATION: "step annotations {label!r} of {track}",
    StepSource.NAMED: "slices {label!r} of {track}, as asked",
}
_NAMES = {
    StepSource.STEPS_LINE: "",
    StepSource.STEPS_LINE_IN_ORDER: "",
    StepSource.PROFILER_STEP: "ProfilerStep#",
    StepSource.ITERATION: "Iteration ",
    StepSource.ANNOTATION: "{label} ",
    StepSource.NAMED: "{label} ",
}


@dataclass(frozen=True, slots=True)
class StepRows:
    """Steps, columns of shape (n,), in the order of their starts. Where numbering begins anew, a pass ends."""

    number: Ints
    pass_: Ints  # from 0 on
    start: Ints
    stop: Ints
    track: Ints  # with the slice that is the step; -1 of steps that are put together from those of several devices
    ordinal: Ints
    is_open: Ints

    def __len__(self) -> int:
        return len(self.number)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> StepRows:
        """Some of them."""
        return StepRows(*(getattr(self, column)[which] for column in self.__slots__))

    def windows(self, which: NDArray[np.bool_] | slice = slice(None)) -> Windows:
        """The ticks of some of them."""
        return Windows.from_spans(self.start[which], self.stop[which])


@dataclass(frozen=True)
class StepSeries:
    """The steps of one process, from all of its tracks that mark some."""

    process: int  # group
    source: StepSource
    label: str
    tracks: tuple[int, ...]
    rows: StepRows

    @cached_property
    def numbers(self) -> Ints:
        """The different ones, ascending."""
        return np.unique(self.rows.number)

    @cached_property
    def total_ticks(self) -> int:
        """Sum of their durations."""
        return int((self.rows.stop - self.rows.start).sum())

    @property
    def is_line(self) -> bool:
        """True of steps that a device's line of steps marks."""
        return self.source <= StepSource.STEPS_LINE_IN_ORDER

    def between(self, first: int, last: int) -> NDArray[np.bool_]:
        """Mask of rows that have these numbers."""
        is_between: NDArray[np.bool_] = (self.rows.number >= first) & (self.rows.number <= last)
        return is_between

    def source_text(self, tree: TrackTree) -> str:
        """The source of the steps, in words."""
        track = tree.tracks[self.tracks[0]].name if self.tracks else ""
        text = _WORDS[_FAMILY.get(self.source, self.source)].format(track=track, label=self.label)
        if self.source is StepSource.STEPS_LINE_IN_ORDER:
            text += " (numbered in their order: their names have no numbers)"
        return text if len(self.tracks) < 2 else f"{text} and {len(self.tracks) - 1:,} more"


class RunSteps:
    """All steps of a run, or those that somebody has named."""

    def __init__(
        self,
        tree: TrackTree,
        names: Names,
        file_of_tracks: Sequence[int],
        steps: Iterable[tuple[int, TrackSteps]],
        label: str = "",
    ) -> None:
        """`label`: what they are called if somebody has named them."""
        self._tree = tree
        by_process = _candidates(tree, names, steps, label)
        own = self._of_devices({process: _best(candidates) for process, candidates in sorted(by_process.items())})
        self.series = [series for process, series in own.items() if series.process == process]
        self.unused = [
            series for candidates in by_process.values() for series in candidates if series is not _best(candidates)
        ]
        self._file_of = {t.group: file_of_tracks[t.id] for t in tree.tracks if t.kind != "rollup"}
        of_file, of_host = defaultdict[int, list[StepSeries]](list), defaultdict[int | None, list[StepSeries]](list)
        for series in self.series:
            of_file[self._file_of[series.process]].append(series)
            of_host[self._host(series.process)].append(series)
        by_file = {file: _stand_in(file_series) for file, file_series in of_file.items()}
        by_host = {host: _stand_in(host_series) for host, host_series in of_host.items()}
        self._of_process: Mapping[int, StepSeries | None] = {
            process: own.get(process) or by_file.get(file) or by_host.get(self._host(process))
            for process, file in self._file_of.items()
        }

    @cached_property
    def counted(self) -> list[StepSeries]:
        """The series that time a step of the run: of devices with a line of steps, else one of each file.

        Where somebody has named slices that devices have, all these devices do.
        """
        lines = [series for series in self.series if series.source <= StepSource.STEPS_LINE_IN_ORDER]
        if lines:
            return lines
        named = [series for series in self.series if series.source is StepSource.NAMED and self.is_on_device(series)]
        if named:
            return named
        longest: dict[int, StepSeries] = {}
        for series in self.series:
            best = longest.setdefault(self._file_of[series.process], series)
            if series.total_ticks > best.total_ticks:
                longest[self._file_of[series.process]] = series
        return list(longest.values())

    @cached_property
    def numbers(self) -> Ints:
        """All different ones, ascending."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(series.numbers for series in self.series)]))

    def of_track(self, track: int) -> StepSeries | None:
        """The steps of a track that holds events; None: nothing on its host marks any."""
        return self._of_process[self._tree.tracks[track].group]

    def of_device(self, track: int) -> StepSeries | None:
        """The steps of a device's track where nothing is known of launches: of its line, else of its file's threads.

        Annotations that a profiler copies to a device span only some of its kernels: they count where threads mark no
        steps.
        """
        series = self.of_track(track)
        if series is None or series.is_line:
            return series
        file = self._file_of[self._tree.tracks[track].group]
        threads = [
            thread_series
            for thread_series in self.series
            if not thread_series.is_line
            and self._file_of[thread_series.process] == file
            and not self.is_on_device(thread_series)
        ]
        return max(threads, key=lambda thread_series: thread_series.total_ticks, default=series)

    def is_on_device(self, series: StepSeries) -> bool:
        """True of steps that a device marks."""
        group = self._tree.groups[series.process]
        return is_device_process(group.name, group.detail)

    def device_count(self, counted: Sequence[StepSeries]) -> int:
        """The devices that series are of: a step trace that is a process of its own is of the only one of its host."""
        by_host = self._iterations(counted)
        others = sum(series.source is not StepSource.ITERATION for series in counted)
        return others + sum(1 if _are_of_one(on_device) else len(on_device) for on_device in by_host.values())

    def in_two_series(self, counted: Iterable[StepSeries]) -> list[str]:
        """Hosts with a device whose step trace has other times of steps than the rows beside its operators."""
        by_host = self._iterations(counted)
        return [
            self._tree.groups[host].name
            for host, on_device in by_host.items()
            if host is not None and len(on_device) > 1 and _are_of_one(on_device)
        ]

    def _of_devices(self, own: Mapping[int, StepSeries]) -> Mapping[int, StepSeries]:
        """The series of each process, that of a step trace put into that of its device, the only one of its host."""
        merged = dict(own)
        by_host: dict[int | None, list[int]] = defaultdict(list)
        for process, series in own.items():
            if series.source is StepSource.ITERATION:
                by_host[self._host(process)].append(process)
        for host, processes in by_host.items():
            devices = [process for process in processes if self.is_on_device(own[process])]
            if host is None or len(devices) != 1:
                continue
            traces = []
            for process in processes:
                if self._tree.groups[process].name.lower() == STEP_TRACE.lower():
                    joined = _with_trace(merged[devices[0]], own[process])
                    if joined is not None:
                        merged[devices[0]] = joined
                        traces.append(process)
            merged |= dict.fromkeys(traces, merged[devices[0]])
        return merged

    def _iterations(self, counted: Iterable[StepSeries]) -> dict[int | None, list[bool]]:
        """By host, for each of its series of iterations: is it beside the operators of a device?"""
        by_host: dict[int | None, list[bool]] = defaultdict(list)
        for series in counted:
            if series.source is StepSource.ITERATION:
                by_host[self._host(series.process)].append(self.is_on_device(series))
        return by_host

    def name_of(self, series: StepSeries, number: int) -> str:
        """The name of a step, as far as its number gives it."""
        return f"{_NAMES[series.source].format(label=series.label)}{number}"

    def source_text(self, series: StepSeries) -> str:
        """The source of its steps, in words."""
        return series.source_text(self._tree)

    def process_name(self, series: StepSeries) -> str:
        """Name of the device or host process."""
        return self._tree.groups[series.process].name

    def host_name(self, series: StepSeries) -> str:
        """Name of the host that it is on."""
        host = self._host(series.process)
        return "" if host is None else self._tree.groups[host].name

    def _host(self, process: int) -> int | None:
        host: int | None = self._tree.groups[process].parent
        return host


def _are_of_one(on_device: Sequence[bool]) -> bool:
    """True for series of a host's only device: a step trace that is a process of its own says no other."""
    return sum(on_device) == 1


def _with_trace(own: StepSeries, trace: StepSeries) -> StepSeries | None:
    """The steps of a device with those that its step trace alone has; None: steps of one number are apart in it."""
    place = {key: row for row, key in enumerate(zip(own.rows.pass_.tolist(), own.rows.number.tolist(), strict=True))}
    keys = zip(trace.rows.pass_.tolist(), trace.rows.number.tolist(), strict=True)
    same = np.array([place.get(key, -1) for key in keys], np.int64)
    both = np.flatnonzero(same >= 0)
    starts = np.maximum(own.rows.start[same[both]], trace.rows.start[both])
    if (starts >= np.minimum(own.rows.stop[same[both]], trace.rows.stop[both])).any():
        return None
    rows = _joined([own.rows, trace.rows.take(same < 0)])
    return replace(own, tracks=(*own.tracks, *trace.tracks), rows=rows)


def _candidates(
    tree: TrackTree, names: Names, steps: Iterable[tuple[int, TrackSteps]], named: str
) -> dict[int, list[StepSeries]]:
    """By process: each sort of steps that its tracks mark."""
    lanes: dict[tuple[int, StepSource, str], list[tuple[int, StepSource, StepRows]]] = defaultdict(list)
    for track, of_track in _by_track(steps):
        process = tree.tracks[track].group
        family = np.where(of_track.source == StepSource.STEPS_LINE_IN_ORDER, StepSource.STEPS_LINE, of_track.source)
        sources = np.unique(family).tolist()
        for source in sources:
            sort = of_track if len(sources) == 1 else of_track.take(family == source)
            if source == StepSource.ANNOTATION:
                parts = [(names[name].text, sort.take(sort.name == name)) for name in np.unique(sort.name).tolist()]
            else:
                parts = [(named, sort)]
            for label, part in parts:
                rows = _rows(track, part)
                lanes[process, StepSource(source), label].append((track, StepSource(int(part.source[0])), rows))
    candidates: dict[int, list[StepSeries]] = defaultdict(list)
    for (process, _, label), track_steps in lanes.items():
        tracks = tuple(track for track, _, _ in track_steps)
        candidates[process].append(
            StepSeries(process, track_steps[0][1], label, tracks, _joined([rows for _, _, rows in track_steps]))
        )
    return candidates


def _by_track(steps: Iterable[tuple[int, TrackSteps]]) -> Iterable[tuple[int, TrackSteps]]:
    """Records of one track put together."""
    parts: dict[int, list[TrackSteps]] = defaultdict(list)
    for track, part in steps:
        parts[track].append(part)
    for track, records in parts.items():
        yield track, records[0] if len(records) == 1 else join_steps(records)


def _rows(track: int, steps: TrackSteps) -> StepRows:
    # Of steps that begin at one tick, a longer one comes first, whatever its number: numbers start again in time alone.
    order = np.lexsort((steps.number, steps.start))
    pass_ = np.empty(len(order), np.int64)
    pass_[order] = np.cumsum(np.diff(steps.number[order], prepend=steps.number[order[:1]]) < 0)
    track_column = np.full(len(steps), track)
    stop = steps.start + steps.duration
    return StepRows(steps.number, pass_, steps.start, stop, track_column, steps.ordinal, steps.is_open)


def _joined(parts: Sequence[StepRows]) -> StepRows:
    if len(parts) == 1:
        return parts[0]
    rows = StepRows(*(np.concatenate([getattr(part, column) for part in parts]) for column in StepRows.__slots__))
    return rows.take(np.argsort(rows.start, kind="stable"))


def _best(candidates: Sequence[StepSeries]) -> StepSeries:
    """The series that a process takes: the surest source; of several annotations those that cover the most time."""
    return min(candidates, key=lambda series: (series.source, -series.total_ticks, series.tracks))


def _stand_in(candidates: Sequence[StepSeries]) -> StepSeries:
    """Steps for a process without any: of threads, or each step from the first device's start to the last's end."""
    threads = [series for series in candidates if series.source > StepSource.STEPS_LINE_IN_ORDER]
    if threads:
        return max(threads, key=lambda series: series.total_ticks)
    if len(candidates) == 1:
        return candidates[0]
    rows = _joined([series.rows for series in candidates])
    order = np.lexsort((rows.number, rows.pass_))
    rows = rows.take(order)
    change = (np.diff(rows.number, prepend=-1) != 0) | (np.diff(rows.pass_, prepend=-1) != 0)
    first = np.flatnonzero(change)
    none = np.full(len(first), -1)
    stop, is_open = np.maximum.reduceat(rows.stop, first), np.maximum.reduceat(rows.is_open, first)
    hulls = StepRows(
        rows.number[first], rows.pass_[first], np.minimum.reduceat(rows.start, first), stop, none, none, is_open
    )
    hulls = hulls.take(np.argsort(hulls.start, kind="stable"))
    return StepSeries(candidates[0].process, candidates[0].source, candidates[0].label, (), hulls)
