"""Finds the steps of a run among the slices of its tracks, each track when it is built.

Nothing is kept of a track but how many steps it has and their numbers; the steps themselves are written with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventFlag, TrackKind
from tilescope.tiler.device_lines import STEP_LINES, is_ascend_device, is_one_of
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.findings import Findings, StepCounts
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.record import Record
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


class StepRecorder(RecordMaker):
    """Steps of each track."""

    records: ClassVar[tuple[Record, ...]] = (STEPS,)

    def __init__(self, recording: Recording) -> None:
        self._run = recording.run
        self._tables = recording.tables
        self._by_track: dict[int, int] = {}  # how many steps are stored of each track that has any
        self._named = _NamedSteps(recording.run)
        self._numbers = np.zeros(0, np.int64)  # different ones, ascending
        self._new_numbers: list[Ints] = []
        self._left = MAX_STEPS
        self._is_cut = False
        self._lock = threading.Lock()

    def add(self, track: BuiltTrack) -> Iterator[Entry]:
        """The records of a track's steps."""
        place = track.place
        if place.kind not in (TrackKind.SLICE, TrackKind.ASYNC):
            return
        steps = self._find(place, track.data)
        if not len(steps):
            return
        with self._lock:
            kept = steps.take(slice(min(self._left, MAX_TRACK_STEPS)))
            self._left -= len(kept)
            self._is_cut |= len(kept) < len(steps)
            if not len(kept):
                return
            self._by_track[place.id] = len(kept)
            self._count(_distinct(kept.number))
        for chunk in kept.chunks():
            yield STEPS.key(place.id, int(chunk.ordinal[0])), compress(chunk.encode(place.id))

    def report(self, findings: Findings) -> None:
        """Adds counts of the steps of all tracks."""
        findings.steps, findings.steps_by_track = self._counts(), self._by_track

    def _counts(self) -> StepCounts:
        self._merge()
        numbers = self._numbers
        first, last = (int(numbers[0]), int(numbers[-1])) if len(numbers) else (None, None)
        return StepCounts(sum(self._by_track.values()), len(self._by_track), len(numbers), first, last, self._is_cut)

    def _find(self, track: PlacedTrack, data: TrackData) -> TrackSteps:
        summary = self._run.files[track.file].summary
        process = summary.processes[summary.tracks[track.source].process]
        if (process.is_device or is_ascend_device(process.name)) and is_one_of(track.name, STEP_LINES):
            rows = np.arange(min(len(data), MAX_TRACK_STEPS + 1))
            number, source = self._numbers_in_names(data.name[rows])
            return _steps(data, rows, number, np.full(len(rows), source))
        by_name = self._named.steps_in(data)
        annotated = self._annotated(track.file, data)
        if annotated is None:
            return by_name
        # No slice is both: names come first.
        fresh = annotated.take(~np.isin(annotated.ordinal, by_name.ordinal))
        order = np.argsort(np.concatenate([by_name.ordinal, fresh.ordinal]), kind="stable")
        return join_steps([by_name, fresh]).take(order)

    def _numbers_in_names(self, name: NDArray[np.int32]) -> tuple[Ints, StepSource]:
        used, which = np.unique(name, return_inverse=True)
        numbers = [trailing_number(self._run.names[int(name_id)]) if name_id >= 0 else None for name_id in used]
        if all(number is not None for number in numbers):
            return np.array(numbers, np.int64)[which], StepSource.STEPS_LINE
        return np.arange(len(name)), StepSource.STEPS_LINE_IN_ORDER

    def _annotated(self, file: int, data: TrackData) -> TrackSteps | None:
        """Slices with an argument `step_num`, which the reader has marked."""
        integers = codec_of(self._run.files[file].summary.format).integers
        if integers is None:
            return None
        rows = _marked(data, MAX_TRACK_STEPS + 1)
        if not len(rows):
            return None
        number = integers(data.args_end, data.args, rows, _STEP_NUM, self._tables.tables_of(file))
        numbered = number >= 0
        return _steps(data, rows[numbered], number[numbered], np.full(int(numbered.sum()), StepSource.ANNOTATION))

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
    """Names of steps, by their ids in the run."""

    def __init__(self, run: RunFiles) -> None:
        alike = [(name, text) for name, text in enumerate(run.names) if text.startswith(PREFIXES)]
        steps = [(name, step) for name, text in alike if (step := named_step(text)) is not None]
        self._any = bool(steps)
        # The last place is that of -1, no name.
        self._source = np.zeros(len(run.names) + 1 if steps else 0, np.uint8)
        self._number = np.zeros(len(self._source), np.int64)
        for name, step in steps:
            self._source[name] = _SOURCES[step.prefix]
            self._number[name] = step.number

    def steps_in(self, data: TrackData) -> TrackSteps:
        """The steps among a track's slices."""
        if not self._any:
            return _NO_STEPS
        row_parts = [part.start + np.flatnonzero(self._source[data.name[part]]) for part in parts(len(data))]
        rows = np.concatenate([_NO_ROWS, *row_parts])[: MAX_TRACK_STEPS + 1]
        name = data.name[rows]
        return _steps(data, rows, self._number[name], self._source[name].astype(np.int64))


def _marked(data: TrackData, limit: int) -> Ints:
    """The first rows that the reader has marked as step annotations."""
    row_parts: list[Ints] = [np.zeros(0, np.int64)]
    for part in parts(len(data)):
        flags = data.flags[part]
        if int(flags.max(initial=0)) >= EventFlag.STEP:  # the highest bit there is
            row_parts.append(part.start + np.flatnonzero(flags & EventFlag.STEP))
            if sum(map(len, row_parts)) >= limit:
                break
    return np.concatenate(row_parts)[:limit]


def _steps(data: TrackData, rows: Ints, number: Ints, source: Ints) -> TrackSteps:
    is_open = (data.flags[rows] & int(EventFlag.OPEN)) != 0
    return TrackSteps(
        rows,
        data.start[rows],
        data.duration[rows],
        data.name[rows].astype(np.int64),
        number,
        source.astype(np.int64),
        is_open.astype(np.int64),
    )
