"""Sums of the work of devices by the operators of PyTorch around its launch, and by its own name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.host_operations import (
    OperatorKey,
    OperatorSplit,
    RunOperations,
    operator_shapes,
    place_of,
)
from tilescope.tiler.facts.host_operations.naming import launching_operator, launching_place
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.operations.exact_columns import Ints
from tilescope.tiler.facts.operations.operation import Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import LaunchedWork
from tilescope.tiler.facts.operations.program_instructions import KERNEL
from tilescope.tiler.facts.stacks.chains import Chain, FrameChains
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS
from tilescope.tiler.facts.tensor_cores import uses_tensor_cores
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Events, Interruptible, QueryReader, Reading
from tilescope.tiler.records.span_sums import LEFT_OUT
from tilescope.tiler.windows import Windows

# Sums of ticks of the events that are read together fit into 64 bits below.
_LONG: Final = 1 << 40

_NO_OPERATOR: Final = -1  # in chains: a frame that other files have as an operator


class LaunchedSums:
    """Sums of work by chain of operators and name; `split`: what else tells operators apart. For one question."""

    def __init__(self, reader: QueryReader, split: OperatorSplit = "operator") -> None:
        self._reader = reader
        self._split: OperatorSplit = split
        self._chains = FrameChains()
        self._shapes = operator_shapes(reader) if split == "shapes" else None
        self._rows: dict[tuple[int, int, int], Operation] = {}  # by number of operators, place, and name id of the work
        self.count = 0  # that start in the windows
        self.unknown = 0  # of these without an operator

    def add(self, work_track: WorkTrack, windows: Windows) -> Interruptible[None]:
        """Adds the work of a track: that which starts in the windows counts, and its time in them."""
        numbers = None if self._shapes is None else partial(_shaped, self._reader, self._shapes)
        operators = StreamFrames(self._reader, work_track.track, self._chains, OPERATORS, numbers)
        plan = self._reader.plan(work_track.track, windows)
        for events in Reading(self._reader).events(plan, plan.leaf_runs):
            events = events.take(work_track.kinds[events.name + 1] != Work.NONE)
            if len(events):
                starts = windows.hold(events.start)
                ticks = windows.ticks_before(events.start + events.duration) - windows.ticks_before(events.start)
                chain, thread = yield from operators.threads_behind(events.ordinal)
                self._add(work_track.track, chain, self._places(thread), events.name, starts.astype(np.int64), ticks)
            yield

    def _places(self, threads: Ints) -> Ints:
        """The place at which the work that these threads launch counts."""
        tracks, rows = np.unique(threads, return_inverse=True)
        places = [place_of(self._reader, track, self._split) if track >= 0 else -1 for track in tracks.tolist()]
        return np.array(places, np.int64)[rows]

    def _add(self, track: int, chain: Ints, place: Ints, name: Ints, starts: Ints, ticks: Ints) -> None:
        self.count += int(starts.sum())
        self.unknown += int(starts[chain == 0].sum())
        order = np.lexsort((name, place, chain))
        keys = [column[order] for column in (chain, place, name)]
        is_first = np.any([np.diff(column, prepend=-2) != 0 for column in keys], axis=0)
        first = np.flatnonzero(is_first)
        if int(ticks.max()) >= _LONG:
            ticks = ticks.astype(object)
        sums = (np.add.reduceat(column[order], first) for column in (starts, ticks))
        columns = (*(column[first] for column in keys), *sums)
        for number, where, name_id, count, total in zip(*(column.tolist() for column in columns), strict=True):
            if count or total:
                key = number, where, name_id
                row = self._rows.setdefault(key, Operation(_metadata("", ""), track=track))
                row.count += count
                row.total += total * self._reader.tick_ps

    def operations(self) -> list[Operation]:
        """An operation for each operator, and for each name of work without one; it is called as most of its work."""
        by_title: dict[str, list[tuple[str, str, Operation]]] = defaultdict(list)
        for operators, name, row in self._named_rows():
            framework = launching_operator([key.name for key in operators])
            by_title[framework or name].append((framework, name, row))
        operations = []
        for rows in by_title.values():
            framework, name, longest = max(rows, key=lambda row: (row[2].total, row[1]))
            operation = Operation(_metadata(name, framework), track=longest.track)
            for _, _, row in rows:
                operation.count += row.count
                operation.total += row.total
                operation.own += row.total
            operations.append(operation)
        return operations

    def launched(self) -> dict[OperatorKey, LaunchedWork]:
        """Work that each operator launches, with all operators in it."""
        sums: dict[OperatorKey, LaunchedWork] = defaultdict(LaunchedWork)
        for operators, name, row in self._named_rows():
            for operator, event_name in operators.items():
                work = sums[operator]
                work.name = event_name
                work.count += row.count
                work.total += row.total
                work.tensor += row.total if uses_tensor_cores(name) else 0
            if operators:
                listed = list(operators)
                sums[listed[launching_place([key.name for key in listed])]].own += row.total
        return dict(sums)

    def _named_rows(self) -> Iterator[tuple[Mapping[OperatorKey, int], str, Operation]]:
        """Operators, the innermost last, with names of their events; the name of their work, and its sums."""
        chains: list[Chain] = self._chains.listed()
        numbers = {number for chain in chains for number in chain}
        event_names = self._event_names(numbers)
        names = self._reader.names.by_id({*event_names.values(), *(name for _, _, name in self._rows)})
        for (number, place, name), row in self._rows.items():
            operators: dict[OperatorKey, int] = {}
            for operator in chains[number]:
                if operator not in event_names:
                    continue
                event_name = event_names[operator]
                shapes = "" if self._shapes is None else self._shapes.ops.ops[operator].shapes
                key = OperatorKey(names[event_name].text, shapes, place)
                operators.pop(key, None)  # of an operator in itself the inner one counts
                operators[key] = event_name
            yield operators, names[name].text, row

    def _event_names(self, numbers: set[int]) -> Mapping[int, int]:
        """Ids of the names of events, by what stands for operators in chains."""
        if self._shapes is None:
            return {number: number for number in numbers}
        names = self._shapes.ops.names
        return {number: names[number] for number in numbers if number != _NO_OPERATOR}


def _shaped(reader: QueryReader, shapes: RunOperations, frames: Events) -> Interruptible[Ints]:
    """Numbers of operators with the shapes of their inputs."""
    yield from shapes.learn(reader.file_of(frames.track))
    codes = shapes.ops.of_events(frames.track, frames.name, frames.ordinal)
    return np.where(codes == LEFT_OUT, _NO_OPERATOR, codes).astype(np.int64)


def _metadata(name: str, framework: str) -> OperationMetadata:
    return OperationMetadata("", 0, name, "", KERNEL, framework, None, None, None, (), "", "", "", "")
