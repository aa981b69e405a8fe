"""The steps of hosts and their GPUs, and what they are made of: when what happens is found once for each run.

At every instant of a step the part counts that comes last in `HOST_PARTS`, of all that happens for this step then.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.event_parts import HOST_PARTS
from tilescope.tiler.facts.step_times.host_tracks import HostTracks, host_tracks
from tilescope.tiler.facts.step_times.markers import marked_steps
from tilescope.tiler.facts.step_times.part_spans import part_spans
from tilescope.tiler.facts.step_times.spans import Cuts, StepSpans
from tilescope.tiler.facts.step_times.times import StepTimes, step_times_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Spans:
    """When something happens, and how many ticks of it have gone before each of these spans."""

    windows: Windows
    gone: Ints

    @classmethod
    def of(cls, windows: Windows) -> _Spans:
        return cls(windows, np.append(0, np.cumsum(windows.stops - windows.starts)))

    def before(self, times: Ints) -> Ints:
        """How many ticks of it lie before each of these times."""
        at = np.searchsorted(self.windows.starts, times, side="right")
        found: Ints = self.gone[at] - np.maximum(np.append(0, self.windows.stops)[at] - times, 0)
        return found


@dataclass(frozen=True, slots=True)
class _HostSteps:
    """Of one file, whatever the windows."""

    tracks: HostTracks
    spans: StepSpans
    parts: Sequence[_Spans]  # by code; no two share a tick


_HOST_STEPS: Final = KeyedRunCache[HostTracks, _HostSteps]("host_steps", "Steps of hosts, and what they are made of")


def host_step_times(
    reader: QueryReader, steps: RunSteps, tracks: Set[int], windows_of: WindowsOf
) -> Interruptible[list[StepTimes]]:
    """Those of the files that have steps and some of these tracks, of what these say. Raises DamagedStore, NotBuilt."""
    is_kept = steps is reader.steps
    tick_ps = reader.tick_ps
    times = []
    for host in host_tracks(reader, steps, tracks):
        host_steps = _HOST_STEPS.get(reader, host) if is_kept else None
        if host_steps is None:
            spans = marked_steps(host)
            parts = yield from part_spans(reader, host, spans)
            host_steps = _HostSteps(host, spans, [_Spans.of(windows) for windows in parts])
            if is_kept:
                _HOST_STEPS.keep(reader, host, host_steps)
        times.append(_times(host_steps, windows_of((*host.threads, *host.streams)[0]), tick_ps))
        yield
    return [time for time in times if len(time)]


def _times(host_steps: _HostSteps, windows: Windows, tick_ps: int) -> StepTimes:
    spans, cuts = host_steps.spans, Cuts.of(host_steps.spans, windows)
    rows = np.flatnonzero(cuts.whole)
    start, stop = (
        np.concatenate([one[rows], cut]) for one, cut in ((spans.start, cuts.start), (spans.stop, cuts.stop))
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
