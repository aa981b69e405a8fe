"""Times of the steps of devices, for sums of their operations: before the lines of steps are built."""

from __future__ import annotations

import threading

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.columns import Phase, TrackKind
from tilescope.tiler.device_lines import STEP_LINES, is_one_of
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.records.device.step_sums import MAX_STEPS

Ints = NDArray[np.int64]


class Spans(Struct, frozen=True):
    """Windows [start, stop) that last, ascend and share no time; ticks."""

    start: Ints
    stop: Ints

    def __len__(self) -> int:
        return len(self.start)


class StepLines:
    """Steps of the processes of a run, from any thread: it reads lines of steps, which are short, before their turn."""

    def __init__(self, run: RunFiles, scratch: Scratch) -> None:
        self._run = run
        self._scratch = scratch
        self._spans: dict[tuple[int, int], Spans] = {}
        self._lock = threading.Lock()

    def steps_of(self, file: int, process: int) -> Spans:
        """The steps of a device; none where there are too many."""
        with self._lock:
            key = file, process
            if key not in self._spans:
                self._spans[key] = self._read(file, process)
            return self._spans[key]

    def _read(self, file: int, process: int) -> Spans:
        starts, durations = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for number, track in enumerate(self._run.files[file].summary.tracks):
            if track.process == process and track.kind == TrackKind.SLICE and is_one_of(track.name, STEP_LINES):
                events = self._run.look_at(file, number, self._scratch)
                if events is not None:
                    are_slices = (events.phase == Phase.COMPLETE) | (events.phase == Phase.INSTANT)
                    starts.append(events.start[are_slices])
                    durations.append(np.maximum(events.duration[are_slices], 0))
        start, duration = np.concatenate(starts), np.concatenate(durations)
        if len(start) > MAX_STEPS:
            start = duration = np.zeros(0, np.int64)
        return apart(start, start + duration)


def apart(start: Ints, stop: Ints) -> Spans:
    """Steps that share no time: what lies in two belongs to the one that starts later."""
    order = np.lexsort((start - stop, start))
    start, stop = start[order], stop[order]
    lasting = stop > start
    start, stop = start[lasting], stop[lasting]
    stop[:-1] = np.minimum(stop[:-1], start[1:])
    lasting = stop > start
    return Spans(start[lasting], stop[lasting])
