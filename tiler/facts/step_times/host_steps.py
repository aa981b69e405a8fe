"""The steps of hosts and their GPUs, and what they are made of: when what happens is found once for each run.

At every instant of a step the part counts that comes last in `HOST_PARTS`, of all that happens for this step then.
Steps of PyTorch have the times of their GPUs by launches (`facts.launches`), where each step has work on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.launches import LaunchedSteps, launched_steps
from tilescope.tiler.facts.step_times.event_parts import HOST_PARTS
from tilescope.tiler.facts.step_times.host_tracks import HostTracks, host_tracks
from tilescope.tiler.facts.step_times.markers import marked_steps
from tilescope.tiler.facts.step_times.part_spans import part_spans
from tilescope.tiler.facts.step_times.spans import Cuts, StepSpans
from tilescope.tiler.facts.step_times.times import StepTimes, step_times_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import RunSteps, StepRows
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
    parts: Sequence[_Spans]  # by code; no two share a tick
    rows: StepRows | None  # times by launches; None: those of the host's marks


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
    tick_ps = reader.tick_ps
    times = []
    for host in host_tracks(reader, steps, tracks):
        host_steps = _HOST_STEPS.get(reader, host) if is_kept else None
        if host_steps is None:
            spans = marked_steps(host)
            rows = _launched_rows(reader, launched, host, spans)
            if rows is not None:
                spans = StepSpans.from_rows(rows, counted=False)
            parts = yield from part_spans(reader, host, spans)
            host_steps = _HostSteps(host, spans, [_Spans.from_windows(windows) for windows in parts], rows)
            if is_kept:
                _HOST_STEPS.keep(reader, host, host_steps)
        windows = None if host_steps.rows is None or row_windows is None else row_windows(host_steps.rows)
        if windows is None:
            windows = windows_of((*host.threads, *host.streams)[0])
        times.append(_times(host_steps, windows, tick_ps))
        yield
    return [time for time in times if len(time)]


def _launched_rows(reader: QueryReader, launched: LaunchedSteps, host: HostTracks, marks: StepSpans) -> StepRows | None:
    """Steps of a file by launches, over its GPUs; None where a step has no work on them, or there are no GPUs."""
    groups = {reader.tree.tracks[track].group for track in (*host.threads, *host.streams)}
    devices = [launched.times[group] for group in sorted(groups & launched.times.keys())]
    if not len(marks) or not any(len(rows) for rows in devices):
        return None
    pass_, number, start, stop = (
        np.concatenate([getattr(rows, name) for rows in devices]) for name in ("pass_", "number", "start", "stop")
    )
    order, first = _in_order(pass_, number)
    mark, mark_first = _in_order(marks.pass_, marks.number)
    mark, step = mark[mark_first], order[first]
    is_same = np.array_equal(pass_[step], marks.pass_[mark]) and np.array_equal(number[step], marks.number[mark])
    if not is_same:
        return None
    ends = np.maximum.accumulate(np.maximum.reduceat(stop[order], first))
    begins = np.append(start.min(), ends[:-1])
    is_open = np.zeros(len(first), np.int64)
    return StepRows(number[step], pass_[step], begins, ends, marks.track[mark], marks.ordinal[mark], is_open)


def _in_order(pass_: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Rows by pass and number, and where in them each step begins."""
    order = np.lexsort((number, pass_))
    change = (np.diff(number[order], prepend=-1) != 0) | (np.diff(pass_[order], prepend=-1) != 0)
    return order, np.flatnonzero(change)


def _times(host_steps: _HostSteps, windows: Windows, tick_ps: int) -> StepTimes:
    spans, cuts = host_steps.spans, Cuts.from_windows(host_steps.spans, windows)
    rows = np.flatnonzero(cuts.whole)
    start, stop = (
        np.concatenate([column[rows], cut]) for column, cut in ((spans.start, cuts.start), (spans.stop, cuts.stop))
    )
    parts = np.stack([(part.before(stop) - part.before(start)) * tick_ps for part in host_steps.parts], axis=1)
    duration = (stop - start) * tick_ps
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
