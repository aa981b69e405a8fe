"""Finds the steps of a run among the slices of its tracks, each track when it is built.

Nothing is kept of a track but how many steps it has and their numbers; the steps themselves are written with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventFlag, TrackKind
from tilescope.tiler.device_lines import STEP_LINES, is_one_of
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.decoding_tables import DecodingTables
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.indexing.tracks.step_counts import StepCounts
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.steps import STEPS, StepSource, TrackSteps, join_steps
from tilescope.tiler.step_names import PREFIXES, named_step, trailing_number
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]

# A real capture has some hundred steps on some thousand tracks at most. What a question reads of them fits into memory.
MAX_STEPS: Final = 1 << 22  # of a run
MAX_TRACK_STEPS: Final = 1 << 20

_NO_ROWS: Final = np.zeros(0, np.int64)
_NO_STEPS: Final = TrackSteps(*[_NO_ROWS] * len(TrackSteps.__struct_fields__))

_STEP_NUM: Final = "step_num"
_SOURCES: Final = {"ProfilerStep#": StepSource.PROFILER_STEP, "Iteration ": StepSource.ITERATION}


class StepFinder:
    """Looks at each track once, from any thread."""

    def __init__(self, run: RunFiles, tables: DecodingTables) -> None:
        self.per_track: dict[int, int] = {}  # how many steps are stored of each track that has any
        self._run = run
        self._tables = tables
        self._named = _NamedSteps(run)
        self._numbers = np.zeros(0, np.int64)  # different ones, ascending
        self._new_numbers: list[Ints] = []
        self._left = MAX_STEPS
        self._is_cut = False
        self._lock = threading.Lock()

    def entries(self, track: PlacedTrack, data: TrackData) -> Iterator[Entry]:
        """The records of a track's steps."""
        if track.kind not in (TrackKind.SLICE, TrackKind.ASYNC):
            return
        found = self._find(track, data)
        if not len(found):
            return
        with self._lock:
            kept = found.take(slice(min(self._left, MAX_TRACK_STEPS)))
            self._left -= len(kept)
            self._is_cut |= len(kept) < len(found)
            if not len(kept):
                return
            self.per_track[track.id] = len(kept)
            self._count(_distinct(kept.number))
        for chunk in kept.chunks():
            yield STEPS.key(track.id, int(chunk.ordinal[0])), compress(chunk.encode(track.id))

    def counts(self) -> StepCounts:
        """Of all tracks that have been looked at."""
        self._merge()
        numbers = self._numbers
        first, last = (int(numbers[0]), int(numbers[-1])) if len(numbers) else (None, None)
        return StepCounts(sum(self.per_track.values()), len(self.per_track), len(numbers), first, last, self._is_cut)

    def _find(self, track: PlacedTrack, data: TrackData) -> TrackSteps:
        summary = self._run.files[track.file].summary
        process = summary.processes[summary.tracks[track.source].process]
        if process.is_device and is_one_of(track.name, STEP_LINES):
            at = np.arange(min(len(data), MAX_TRACK_STEPS + 1))
            number, source = self._numbers_in_names(data.name[at])
            return _steps(data, at, number, np.full(len(at), source))
        by_name = self._named.of(data)
        annotated = self._annotated(track.file, data)
        if annotated is None:
            return by_name
        # No slice is both: names come first.
        fresh = annotated.take(~np.isin(annotated.ordinal, by_name.ordinal))
        order = np.argsort(np.concatenate([by_name.ordinal, fresh.ordinal]), kind="stable")
        return join_steps([by_name, fresh]).take(order)

    def _numbers_in_names(self, name: NDArray[np.int32]) -> tuple[Ints, StepSource]:
        used, which = np.unique(name, return_inverse=True)
        numbers = [trailing_number(self._run.names[int(one)]) if one >= 0 else None for one in used]
        if all(number is not None for number in numbers):
            return np.array(numbers, np.int64)[which], StepSource.STEPS_LINE
        return np.arange(len(name)), StepSource.STEPS_LINE_IN_ORDER

    def _annotated(self, file: int, data: TrackData) -> TrackSteps | None:
        """Slices with an argument `step_num`, which the reader has marked."""
        integers = codec_of(self._run.files[file].summary.format).integers
        if integers is None:
            return None
        at = _marked(data, MAX_TRACK_STEPS + 1)
        if not len(at):
            return None
        number = integers(data.args_end, data.args, at, _STEP_NUM, self._tables.of(file))
        some = number >= 0
        return _steps(data, at[some], number[some], np.full(int(some.sum()), StepSource.ANNOTATION))

    def _count(self, numbers: Ints) -> None:
        self._new_numbers.append(numbers)
        if sum(map(len, self._new_numbers)) > len(self._numbers) + 4096:
            self._merge()

    def _merge(self) -> None:
        self._numbers = _distinct(np.concatenate([self._numbers, *self._new_numbers]))
        self._new_numbers = []


def _distinct(numbers: Ints) -> Ints:
    """Each once, ascending. (The first use of `np.unique` imports numpy.ma, which takes 6 ms.)"""
    numbers = np.sort(numbers)
    is_first = np.ones(len(numbers), np.bool_)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return numbers[is_first]


class _NamedSteps:
    """Which names are those of steps, by their ids in the run."""

    def __init__(self, run: RunFiles) -> None:
        alike = [(name, text) for name, text in enumerate(run.names) if text.startswith(PREFIXES)]
        found = [(name, step) for name, text in alike if (step := named_step(text)) is not None]
        self._any = bool(found)
        # The last place is that of -1, no name.
        self._source = np.zeros(len(run.names) + 1 if found else 0, np.uint8)
        self._number = np.zeros(len(self._source), np.int64)
        for name, step in found:
            self._source[name] = _SOURCES[step.prefix]
            self._number[name] = step.number

    def of(self, data: TrackData) -> TrackSteps:
        """The steps among a track's slices."""
        if not self._any:
            return _NO_STEPS
        at = [part.start + np.flatnonzero(self._source[data.name[part]]) for part in parts(len(data))]
        rows = np.concatenate([_NO_ROWS, *at])[: MAX_TRACK_STEPS + 1]
        name = data.name[rows]
        return _steps(data, rows, self._number[name], self._source[name].astype(np.int64))


def _marked(data: TrackData, limit: int) -> Ints:
    """The first rows that the reader has marked as step annotations."""
    found: list[Ints] = [np.zeros(0, np.int64)]
    for part in parts(len(data)):
        flags = data.flags[part]
        if int(flags.max(initial=0)) >= EventFlag.STEP:  # the highest bit there is
            found.append(part.start + np.flatnonzero(flags & EventFlag.STEP))
            if sum(map(len, found)) >= limit:
                break
    return np.concatenate(found)[:limit]


def _steps(data: TrackData, at: Ints, number: Ints, source: Ints) -> TrackSteps:
    is_open = (data.flags[at] & int(EventFlag.OPEN)) != 0
    return TrackSteps(
        at,
        data.start[at],
        data.duration[at],
        data.name[at].astype(np.int64),
        number,
        source.astype(np.int64),
        is_open.astype(np.int64),
    )
