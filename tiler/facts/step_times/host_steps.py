"""The steps of hosts and their GPUs, and what they are made of: when what happens is found once for each run.

At every instant of a step the part counts that comes last in `HOST_PARTS`, of all that happens for this step then.
Steps of PyTorch have the times of their GPUs by launches (`facts.launches`), where these have work of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import LaunchedSteps, WorkSteps, launched_steps, step_work
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.facts.step_times.event_parts import HOST_PARTS
from tilescope.tiler.facts.step_times.host_tracks import HostTracks, host_tracks
from tilescope.tiler.facts.step_times.markers import marked_steps
from tilescope.tiler.facts.step_times.part_spans import part_spans
from tilescope.tiler.facts.step_times.part_ticks import part_ticks
from tilescope.tiler.facts.step_times.spans import Cuts, StepSpans
from tilescope.tiler.facts.step_times.times import StepTimes, step_times_of
from tilescope.tiler.facts.step_traces import is_first_cut
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import RunSteps, StepRows
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]
RowWindows = Callable[[StepRows], Windows | None]


@dataclass(frozen=True, slots=True)
class _Spans:
    """Windows of a part, and ticks of it before each of them."""

    windows: Windows
    gone: Ints

    @classmethod
    def from_windows(cls, windows: Windows) -> _Spans:
        return cls(windows, np.append(0, np.cumsum(windows.stops - windows.starts)))

    def before(self, times: Ints) -> Ints:
        """Ticks of it before each of these times."""
        position = np.searchsorted(self.windows.starts, times, side="right")
        ticks: Ints = self.gone[position] - np.maximum(np.append(0, self.windows.stops)[position] - times, 0)
        return ticks


@dataclass(frozen=True, slots=True)
class _HostSteps:
    """Steps of one file, whatever the windows."""

    tracks: HostTracks
    spans: StepSpans
    parts: Sequence[_Spans] | None  # by code; no two share a tick. None: they are read where they are asked for
    rows: StepRows | None  # times by launches; None: those of the host's marks
    read: Ints  # ticks of each part in whole steps, shape (steps, parts); -1: not read


_HOST_STEPS: Final = KeyedRunCache[HostTracks, _HostSteps]("host_steps", "Steps of hosts, and what they are made of")


def host_step_times(
    reader: QueryReader,
    steps: RunSteps,
    tracks: Set[int],
    windows_of: WindowsOf,
    row_windows: RowWindows | None = None,
) -> Interruptible[list[StepTimes]]:
    """Step times of files that have steps and some of these tracks, by these.

    `row_windows` gives the windows of steps with times by launches; None: those of `windows_of`. Raises DamagedStore,
    NotBuilt.
    """
    launched = yield from launched_steps(reader, steps)
    is_kept = steps is reader.steps
    times = []
    devices = yield from devices_of(reader)
    for host in host_tracks(reader, steps, tracks, devices):
        host_steps = _HOST_STEPS.get(reader, host) if is_kept else None
        if host_steps is None:
            series = launched.series.get(reader.file_of((*host.threads, *host.streams)[0]))
            rows = None if series is None else series.rows
            if rows is None:
                spans = marked_steps(host, is_first_cut=(yield from _is_first_cut(reader, host)))
            else:
                spans = StepSpans.from_launched(rows)
            parts = None
            if host.hands_on:
                work_steps = {} if rows is None else (yield from _work_steps(reader, steps, launched, host, spans))
                windows_of_parts = yield from part_spans(reader, host, spans, work_steps)
                parts = [_Spans.from_windows(windows) for windows in windows_of_parts]
            host_steps = _HostSteps(host, spans, parts, rows, np.full((len(spans), len(HOST_PARTS)), -1))
            if is_kept:
                _HOST_STEPS.keep(reader, host, host_steps)
        windows = None if host_steps.rows is None or row_windows is None else row_windows(host_steps.rows)
        if windows is None:
            windows = windows_of((*host.threads, *host.streams)[0])
        ends = []
        place = reader.tree.groups[host.process].parent
        for device in devices:
            if not device.track_ids.isdisjoint(host.streams) or (place is not None and device.host == place):
                ends.append((yield from operators_end(reader, device)))
        end = 0 if host.marks_alone else min(ends, default=TICK_LIMIT)
        host_times = yield from _times(reader, host_steps, windows)
        times.append(replace(host_times, operators_end=end))
        yield
    return [time for time in times if len(time)]


def _is_first_cut(reader: QueryReader, host: HostTracks) -> Interruptible[bool]:
    for series in host.series:
        if (yield from is_first_cut(reader, series)):
            return True
    return False


def _work_steps(
    reader: QueryReader, steps: RunSteps, launched: LaunchedSteps, host: HostTracks, spans: StepSpans
) -> Interruptible[dict[int, Ints]]:
    """Rows of the steps of the work on each stream, by ordinal, as launches have it; -1 none."""
    row_of_step = {key: row for row, key in enumerate(zip(spans.pass_.tolist(), spans.number.tolist(), strict=True))}
    by_track: dict[int, Ints] = {}
    for device in (yield from devices_of(reader)):
        for work_track in (*device.tracks, *device.beside):
            if work_track.track in host.streams:
                track = work_track.track
                work_steps = launched.work.get(track)
                if work_steps is None:
                    work = yield from step_work(reader, steps, work_track)
                    work_steps = WorkSteps.from_work(work, reader.tree.tracks[track].events)
                by_track[track] = work_steps.rows(row_of_step)
    return by_track


def _times(reader: QueryReader, host_steps: _HostSteps, windows: Windows) -> Interruptible[StepTimes]:
    spans, cuts = host_steps.spans, Cuts.from_windows(host_steps.spans, windows)
    rows = np.flatnonzero(cuts.whole)
    start, stop = (
        np.concatenate([column[rows], cut]) for column, cut in ((spans.start, cuts.start), (spans.stop, cuts.stop))
    )
    parts = (yield from _ticks(reader, host_steps, rows, start, stop)) * reader.tick_ps
    duration = (stop - start) * reader.tick_ps
    parts[:, 0] = duration - parts.sum(axis=1)  # the first is what is left
    is_whole = np.arange(len(start)) < len(rows)
    return step_times_of(
        host_steps.tracks.process,
        spans,
        np.concatenate([rows, cuts.row]),
        start,
        stop,
        is_whole,
        duration,
        parts,
        HOST_PARTS,
    )


def _ticks(reader: QueryReader, host_steps: _HostSteps, rows: Ints, start: Ints, stop: Ints) -> Interruptible[Ints]:
    """Ticks of each part in some steps and, behind these `rows`, in parts of steps: shape (n, parts)."""
    if host_steps.parts is not None:
        return np.stack([part.before(stop) - part.before(start) for part in host_steps.parts], axis=1)
    ticks = np.full((len(start), len(HOST_PARTS)), -1)
    ticks[: len(rows)] = host_steps.read[rows]
    lacking = np.flatnonzero((ticks < 0).any(axis=1))  # another thread may be writing a row
    ticks[lacking] = yield from part_ticks(reader, host_steps.tracks, start[lacking], stop[lacking])
    host_steps.read[rows] = ticks[: len(rows)]
    return ticks
