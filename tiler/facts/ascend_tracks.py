"""Tracks on which Ascend devices work, and what the tasks on their streams are.

A task says its type, which is its category here. Of tasks of the type `Other` the rows of the file itself decide that
its profiler calls `Overlap Analysis`, and else their names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import STEP_TRACE, STEP_TRACE_PARTS, STEP_TRACE_STEPS, is_ascend_device, is_stream
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.work import OTHER_TASKS, Origin, Work, classifier, origins_of, works_of
from tilescope.tiler.facts.work.kinds import code_of
from tilescope.tiler.query import EVERYTHING, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.windows import Windows, everywhere

Codes = NDArray[np.uint8]

_COMMUNICATION: Final = re.compile(r"(HCCL|Communication)\b")
_KERNELS: Final = re.compile(r"Communication Kernel$|Group .* Communication$|Stream [0-9]+$")
_STEP_TRACE: Final = re.compile(f"{STEP_TRACE}$")
_NO_REDUCTIONS: Final = frozenset({STEP_TRACE_STEPS, STEP_TRACE_PARTS})
_ANALYSIS: Final = re.compile(r"Overlap(?: Analysis)?\b")
_AI_CPU: Final = re.compile(r"AI CPU\b")  # a process beside `Device N`, with operators of the device
_NOTICE: Final = re.compile(r"(?i)NOTIFY_")

# Rows of the analysis, in lower case, and the work that they say.
_ANALYSIS_ROWS: Final = {"computing": Work.COMPUTATION, "communication": Work.COMMUNICATION}

# Tasks of a stream that are compared with the analysis: they come again in each step. Some 10 ms.
_COMPARED: Final = 1 << 18


def is_ascend_run(reader: QueryReader) -> bool:
    """True if some process is an Ascend device or its step trace."""
    return any(group.name == STEP_TRACE or is_ascend_device(group.name) for group in reader.tree.groups)


class AscendTracks:
    """The tracks of slices of a run by their processes, as Ascend devices have them."""

    def __init__(
        self,
        reader: QueryReader,
        processes: Mapping[int, Sequence[int]],
        codes_of: Callable[[Callable[[Name], int]], Interruptible[Codes]],
    ) -> None:
        self._reader, self._processes, self._codes_of = reader, processes, codes_of
        self._tree = reader.tree

    def streams(self, group: int) -> list[int]:
        """The streams of a device, and the threads of its AI CPUs where they are a process of their own."""
        streams = [track for track in self._processes[group] if is_stream(self._name(track))]
        return [*streams, *self._beside(group, _AI_CPU)] if streams else []

    def communication(self, group: int) -> list[int]:
        """Tracks of the communication kernels of a device; else those of reductions of its step trace."""
        kernels = [track for track in self._beside(group, _COMMUNICATION) if _KERNELS.match(self._name(track))]
        if kernels:
            return kernels
        return [track for track in self._beside(group, _STEP_TRACE) if self._name(track) not in _NO_REDUCTIONS]

    def task_codes(self, streams: Sequence[int]) -> Interruptible[list[tuple[int, Codes]]]:
        """Codes of work of the names on each stream, that of tasks without one first. Raises DamagedStore."""
        rules = classifier(self._reader.work_rules)
        codes = yield from self._codes_of(rules.ascend_stream)
        notices = yield from self._codes_of(_is_notice)
        others = yield from self._codes_of(_is_other)
        undecided = others.astype(np.bool_) & (origins_of(codes) == Origin.DEFAULT)
        work = []
        for track in streams:
            track_codes = codes
            if undecided.any():
                track_codes = yield from self._compared(track, codes, undecided)
            if (yield from self._has_any(track, notices)):
                is_copy = (works_of(codes) == Work.COPY) & (origins_of(codes) != Origin.USER)
                track_codes = np.where(is_copy, code_of(Work.NONE, Origin.TABLE), track_codes).astype(np.uint8)
            work.append((track, track_codes))
        return work

    def _beside(self, group: int, pattern: re.Pattern[str]) -> list[int]:
        """Tracks of processes of such names in the file of a device, or on its host where that has no other device."""
        host, file = self._tree.groups[group].parent, self._reader.file_of(self._processes[group][0])
        is_alone = sum(self._is_device(other, host) for other in self._processes) == 1
        return [
            track
            for other, tracks in self._processes.items()
            if pattern.match(self._tree.groups[other].name) and self._tree.groups[other].parent == host
            for track in tracks
            if is_alone or self._reader.file_of(track) == file
        ]

    def _is_device(self, group: int, host: int | None) -> bool:
        entry = self._tree.groups[group]
        streams = any(is_stream(self._name(track)) for track in self._processes[group])
        return entry.parent == host and is_ascend_device(entry.name) and streams

    def _has_any(self, track: int, numbers: Codes) -> Interruptible[bool]:
        """True if a track has an event of a name with a number."""
        try:
            for part in Reading(self._reader).histogram_parts([track], everywhere(EVERYTHING)):
                if bool(numbers[np.maximum(part.name, -1) + 1].any()):
                    return True
                yield
        except NotBuilt:
            pass
        return False

    def _compared(self, track: int, codes: Codes, undecided: NDArray[np.bool_]) -> Interruptible[Codes]:
        """The codes of a stream with those that its file decides, by the first tasks of the stream."""
        rows = {
            work: [row for row in _analysis_rows(self._reader, track) if self._name(row).lower() == name]
            for name, work in _ANALYSIS_ROWS.items()
        }
        if not any(rows.values()):
            return codes
        codes, left = codes.copy(), _COMPARED
        is_not = {work: np.zeros(len(codes), np.bool_) for work in rows}
        met = np.zeros(len(codes), np.bool_)
        try:
            plan = self._reader.plan(track, EVERYTHING)
            for events in Reading(self._reader).events_and_outliers(plan, plan.leaf_runs):
                left -= len(events)
                events = events.take(undecided[events.name + 1])
                met[events.name + 1] = True
                for work, tracks in rows.items():
                    windows = yield from self._within(tracks, events)
                    outside = ~windows.cover(events.start, events.start + events.duration)
                    is_not[work][events.name[outside] + 1] = True
                if left <= 0:
                    break
                yield
        except NotBuilt:
            return codes
        codes[met] = code_of(Work.NONE, Origin.TABLE)
        for work, excluded in is_not.items():
            codes[met & ~excluded] = code_of(work, Origin.TABLE)
        return codes

    def _within(self, tracks: Sequence[int], events: Events) -> Interruptible[Windows]:
        """Windows of some rows of the analysis around events."""
        starts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for track in tracks if len(events) else ():
            first, last = int(events.start.min()), int((events.start + events.duration).max())
            plan = self._reader.plan(track, Windows.single(first, last + 1))
            for rows in Reading(self._reader).events_and_outliers(plan, plan.leaf_runs):
                starts.append(rows.start)
                stops.append(rows.start + rows.duration)
                yield
        return Windows.from_spans(np.concatenate(starts), np.concatenate(stops))

    def _name(self, track: int) -> str:
        return self._tree.tracks[track].name


def overlap_rows(reader: QueryReader, track: int) -> frozenset[str]:
    """Names of the rows that the profiler wrote beside a track of a device, in lower case."""
    return frozenset(reader.tree.tracks[row].name.lower() for row in _analysis_rows(reader, track))


def rows_beside_devices(reader: QueryReader) -> frozenset[int]:
    """Tracks that a profiler writes beside Ascend devices: communication, its analysis, steps. None is a thread."""
    if not is_ascend_run(reader):
        return frozenset()
    are_beside = [
        any(pattern.match(group.name) for pattern in (_COMMUNICATION, _ANALYSIS, _STEP_TRACE))
        for group in reader.tree.groups
    ]
    return frozenset(track.id for track in reader.tree.tracks if are_beside[track.group])


# By file and host.
_AnalysisRows = Mapping[tuple[int, int | None], Sequence[int]]
_ANALYSIS_TRACKS: Final = RunCache[_AnalysisRows]("analysis_rows", "Rows of the analyses of Ascend profilers")


def _analysis_rows(reader: QueryReader, track: int) -> Sequence[int]:
    """Rows of the analysis in the file of a track, and on its host: an export has files of several hosts in one."""
    rows = _ANALYSIS_TRACKS.get(reader)
    if rows is None:
        rows = _ANALYSIS_TRACKS.keep(reader, _find_analyses(reader))
    return rows.get((reader.file_of(track), reader.tree.groups[reader.tree.tracks[track].group].parent), ())


def _find_analyses(reader: QueryReader) -> _AnalysisRows:
    groups = reader.tree.groups
    rows: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for row in reader.tree.tracks:
        if row.kind in SLICE_KINDS and _ANALYSIS.match(groups[row.group].name):
            rows[reader.file_of(row.id), groups[row.group].parent].append(row.id)
    return rows


def _is_notice(name: Name) -> int:
    return _NOTICE.match(name.category or name.text) is not None


def _is_other(name: Name) -> int:
    return name.category == OTHER_TASKS
