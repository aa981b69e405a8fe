"""Lines of the framework above the operations of a TPU core, where a trace has none: operations, and their name scopes.

An operation of the framework goes on from the first to the last of the instructions that follow one another and come
from it, within a run of a program; of instructions that lie in others the innermost counts. A scope goes on as long as
the operations that follow one another are in it. Instructions that say no operation are in no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import FRAMEWORK_LINES, MODULE_LINES, STEP_LINES, is_one_of
from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.operations.framework import framework_op_name
from tilescope.tiler.facts.operations.tpu_source import tpu_cores
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]
Line = Literal["operations", "scopes"]

MAX_ROWS: Final = 64

_AT_ONCE: Final = 1 << 14
_NO_PATH: Final = ""


@dataclass(frozen=True, slots=True)
class FrameworkLine:
    """All slices of a line, by start and row; columns of shape (n,), ticks. Names are indices into `names`."""

    names: Sequence[str]
    start: Ints
    stop: Ints
    row: Ints
    name: Ints

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, int, int, str]]) -> FrameworkLine:
        """The line of slices with start, stop, row and name each."""
        names: dict[str, int] = {}
        ordered = sorted(rows, key=lambda row: (row[0], row[2]))
        columns = [(start, stop, row, names.setdefault(name, len(names))) for start, stop, row, name in ordered]
        return cls(list(names), *np.array(columns, np.int64).reshape(-1, 4).T)

    def bins(self, borders: Ints) -> SliceBins:
        """Bins between borders, shape (n + 1,), ticks."""
        width = int(np.diff(borders).max(initial=1))
        first_tick, end = int(borders[0]), int(borders[-1])
        seen = (self.start < end) & (self.stop > first_tick)
        is_wide = self.stop - self.start >= width
        wide, short = np.flatnonzero(seen & is_wide), np.flatnonzero(seen & ~is_wide)
        keys, counts, ticks = [], [], []
        begin = np.searchsorted(borders, self.start[short], side="right") - 1
        # A slice that is shorter than the widest bin has ticks in two of them at most, or in three of unequal length.
        for step in range(3):
            bin_ = begin + step
            inside = (bin_ >= 0) & (bin_ < len(borders) - 1)
            slices, bin_ = short[inside], bin_[inside]
            busy = np.minimum(self.stop[slices], borders[bin_ + 1]) - np.maximum(self.start[slices], borders[bin_])
            has_ticks = busy > 0
            slices = slices[has_ticks]
            keys.append(np.stack([bin_[has_ticks], self.row[slices], self.name[slices]]))
            counts.append(np.full(len(slices), int(step == 0)))
            ticks.append(busy[has_ticks])
        used, place = np.unique(np.concatenate(keys, axis=1), axis=1, return_inverse=True)
        count, busy = np.zeros((2, used.shape[1]), np.int64)
        np.add.at(count, place.ravel(), np.concatenate(counts))
        np.add.at(busy, place.ravel(), np.concatenate(ticks))
        starts, stops = np.maximum(self.start[wide], first_tick), np.minimum(self.stop[wide], end)
        bin_, row, name = used
        return SliceBins(self.names, starts, stops, self.row[wide], self.name[wide], bin_, row, name, count, busy)

    def slices(self, start: int, stop: int) -> LaneSlices:
        """The slices that have a tick in [start, stop)."""
        seen = (self.start < stop) & (self.stop > start)
        columns = (self.start, self.stop, self.row, self.name)
        return LaneSlices(stop, self.names, *(column[seen] for column in columns))


@dataclass(frozen=True, slots=True)
class FrameworkLines:
    """The lines that a TPU core lacks: from the paths of its operations; `depth`: that of its deepest scope."""

    track: int
    depth: int


def framework_lines(reader: QueryReader) -> Interruptible[list[FrameworkLines]]:
    """Tracks of operations whose device has no lines of the framework, though its operations say their paths."""
    lines = []
    for core in tpu_cores(reader):
        group_tracks = (record.name for record in reader.tree.tracks if record.group == core.group)
        if any(is_one_of(name, FRAMEWORK_LINES) for name in group_tracks):
            continue
        for track in core.operations:
            paths = yield from kind_paths(reader, track)
            if any(paths):
                depth = max(len(scopes_of(path)) for path in set(paths))
                lines.append(FrameworkLines(track, min(depth, MAX_ROWS)))
    return lines


def scopes_of(path: str) -> list[str]:
    """Scopes of an operation, from the outside in: "jit(f)/layer/add" has jit(f) and layer."""
    return path.split("/")[:-1]


def kind_paths(reader: QueryReader, track: int) -> Interruptible[list[str]]:
    """Operations of the framework that the kinds of a track's operations come from, "" where they say none."""
    kinds = track_kinds(reader, track)
    if kinds is None:
        return []
    instructions = instruction_places(reader)
    places = yield from instructions.places(track, kinds)
    if places is None:
        return []
    texts, text = instructions.stat_texts("tf_op", places)
    names = [framework_op_name(path) if path else _NO_PATH for path in texts]
    return [names[place] for place in text.tolist()]


def framework_line(reader: QueryReader, track: int, line: Line) -> Interruptible[FrameworkLine]:
    """A line above a track of operations. Raises DamagedStore, NotBuilt."""
    kept = _LINES.get(reader, (track, line))
    if kept is None:
        runs: list[OperationRun] = []
        for run in operation_runs((yield from _sections(reader, track))):
            if run is not None:
                runs.append(run)
            else:
                yield
        rows = [(run.start, run.stop, 0, run.path) for run in runs] if line == "operations" else scope_rows(runs)
        kept = _LINES.keep(reader, (track, line), FrameworkLine.from_rows(rows))
    return kept


_LINES: Final = KeyedRunCache[tuple[int, Line], FrameworkLine]("framework_lines", "Lines of the framework of devices")


@dataclass(slots=True)
class OperationRun:
    """Time of an operation of the framework in a run of a program, which `step` counts."""

    start: int
    stop: int
    path: str
    step: int


Section = tuple[int, int, str, int]  # start, stop, path and step of an event


def _sections(reader: QueryReader, track: int) -> Interruptible[list[Section]]:
    """The events of a track with their paths, in canonical order."""
    paths = yield from kind_paths(reader, track)
    kinds = track_kinds(reader, track)
    if kinds is None:
        return []
    records = OperationRecords(reader, track, kinds)
    kinds_of_records = [records.operations(number).kind for number in records.met(EVERYTHING)]
    kind = np.concatenate([np.zeros(0, np.int64), *kinds_of_records])
    steps = yield from _begins(reader, track)
    sections: list[Section] = []
    plan = reader.plan(track, EVERYTHING)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        columns = (events.start, events.start + events.duration, kind[events.ordinal])
        step = np.searchsorted(steps, events.start, side="right")
        order = np.argsort(events.ordinal, kind="stable")
        rows = zip(*(column[order].tolist() for column in (*columns, step)), strict=True)
        sections += [(start, stop, paths[of_kind], number) for start, stop, of_kind, number in rows]
        yield
    sections.sort(key=lambda section: (section[0], -section[1]))
    return sections


def _begins(reader: QueryReader, track: int) -> Interruptible[Ints]:
    """Starts of the steps and runs of programs on a track's device."""
    tracks = reader.tree.tracks
    group = tracks[track].group
    starts = [np.zeros(0, np.int64)]
    for other in tracks:
        if other.group != group or not is_one_of(other.name, STEP_LINES | MODULE_LINES):
            continue
        plan = reader.plan(other.id, EVERYTHING)
        for events in Reading(reader).events(plan, plan.leaf_runs):
            starts.append(events.start)
            yield
    return np.unique(np.concatenate(starts))


def operation_runs(sections: Sequence[Section]) -> Iterator[OperationRun | None]:
    """Operations in the order of time; None where one may stop."""
    run: OperationRun | None = None
    for number, (start, stop, path, step) in enumerate(_innermost(sections)):
        if number % _AT_ONCE == 0:
            yield None
        if run is not None and run.path == path and run.step == step:
            run.stop = stop
            continue
        if run is not None:
            yield run
        run = OperationRun(start, stop, path, step)
    if run is not None:
        yield run


def _innermost(sections: Sequence[Section]) -> Iterator[Section]:
    """The parts of events in which no other one lies, those that say a path."""
    begun: list[Section] = []
    time = 0

    def until(stop: int, section: Section) -> Iterator[Section]:
        nonlocal time
        if stop > time:
            if section[2] != _NO_PATH:
                yield time, stop, section[2], section[3]
            time = stop

    for section in sections:
        while begun and begun[-1][1] <= section[0]:
            ended = begun.pop()
            yield from until(ended[1], ended)
        if begun:
            yield from until(section[0], begun[-1])
        time = max(time, section[0])
        begun.append(section)
    while begun:
        ended = begun.pop()
        yield from until(ended[1], ended)


def scope_rows(runs: Sequence[OperationRun]) -> list[tuple[int, int, int, str]]:
    """Scopes that these are in: start, stop, row and name of each."""
    rows: list[tuple[int, int, int, str]] = []
    begun: list[tuple[str, int]] = []  # scopes that go on, from the outside in, and since when
    stop, step = 0, -1
    for run in runs:
        scopes = scopes_of(run.path)[:MAX_ROWS]
        common = 0
        if run.step == step:
            while common < min(len(begun), len(scopes)) and begun[common][0] == scopes[common]:
                common += 1
        rows += [(start, stop, row, name) for row, (name, start) in enumerate(begun) if row >= common]
        begun = [*begun[:common], *((name, run.start) for name in scopes[common:])]
        stop, step = run.stop, run.step
    return rows + [(start, stop, row, name) for row, (name, start) in enumerate(begun)]
