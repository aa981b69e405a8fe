"""Communication from a timeline alone: the tasks on its `Plane` rows say ranks, transport and size.

Tasks count where they begin, so that parts of a span add up. Times of planes are added, though they run side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.communication.exact_figures import SCALE, from_ticks
from tilescope.tiler.facts.ascend.communication.transfers import (
    ChosenPart,
    Communication,
    CommunicationSource,
    LinkTransfer,
    OperatorCost,
    RankStep,
)
from tilescope.tiler.query import EVERYTHING, SLICE_KINDS, ArgumentReader, Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import EventPlan, Events, LeafRun, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import StepRows
from tilescope.tiler.ticks import exact_sum
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

NO_RANK: Final = 0xFFFFFFFF  # as `dst rank` has it
_ABSENT: Final = -1
_MOST_SUM: Final = (1 << 63) - 1
_MOST_BYTES: Final = 1 << 50  # of a task: beyond is no size

# Of a piece of a plane that is kept: a tenth of a run reads little beside its own, and a whole run has few pieces.
_PIECE_EVENTS: Final = 2048

_PROCESS: Final = re.compile(r"(HCCL|Communication)\b")
_PLANE: Final = re.compile(r"Plane \d+")
_OPERATORS: Final = re.compile(r"Communication Kernel$|Group .* Communication$")
_ARGUMENTS: Final = ("src rank", "dst rank", "size(Byte)", "transport type")
_WAIT: Final = "notify_wait"

_BAD: Final = "tasks of planes without ranks, or with sizes beyond those of memories"


@dataclass(frozen=True, slots=True)
class _Tasks:
    """Tasks of a plane; columns of shape (n,)."""

    events: Events
    is_good: NDArray[np.bool_]  # the others count as problems alone
    source: Ints
    destination: Ints  # -1: none
    size: Ints
    transport: Ints  # places in `transports`
    transports: Sequence[str]

    def take(self, which: NDArray[np.bool_]) -> _Tasks:
        """Some of them."""
        return _Tasks(
            self.events.take(which),
            self.is_good[which],
            self.source[which],
            self.destination[which],
            self.size[which],
            self.transport[which],
            self.transports,
        )


class Planes(CommunicationSource):
    """`Plane` rows of the process `HCCL`, or `Communication`."""

    title = "tasks on the planes of the timeline"
    by_step = False
    remark = "times of planes are added, though they run side by side; tasks count where they begin"

    def is_in(self, reader: QueryReader) -> bool:
        return next(_planes(reader), None) is not None

    def read(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        return self._read(reader, chosen, with_operators=True)

    def read_links(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        return self._read(reader, chosen, with_operators=False)

    def _read(self, reader: QueryReader, chosen: ChosenPart, *, with_operators: bool) -> Interruptible[Communication]:
        sums, arguments = _TaskSums(reader), ArgumentReader(reader.store)
        for plane, operators in _planes(reader):
            windows = chosen.on_track(plane)
            covering = None
            if operators is not None and with_operators:
                covering = yield from _slices(reader, operators, windows)
            series = reader.steps.of_track(plane)
            for tasks in _tasks_of_plane(reader, arguments, plane, windows):
                sums.add(tasks, None if series is None else series.rows, covering)
                yield
        return sums.communication_of_all()


class _TaskSums:
    """Sums of tasks by rank and step, by operator and by link; in ticks until all are there."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self.communication = Communication()
        self._steps: dict[tuple[int, int], list[int]] = {}
        self._operators: dict[tuple[int, int, int], list[int]] = {}
        self._links: dict[tuple[int, int, int, str, int], list[int]] = {}
        self._events: dict[tuple[int, int, int, str, int], tuple[int, int]] = {}
        self._names: dict[int, str] = {}

    def add(self, tasks: _Tasks, steps: StepRows | None, operators: Events | None) -> None:
        """Adds tasks of one plane: `steps` of its device, and `operators` of which the tasks are parts."""
        bad = len(tasks.is_good) - int(np.count_nonzero(tasks.is_good))
        if bad:
            self.communication.problems[_BAD] += bad
            tasks = tasks.take(tasks.is_good)
        events = tasks.events
        names = self._reader.names.by_id(np.unique(events.name[events.name >= 0]).tolist())
        self._names |= {name: text.text for name, text in names.items()}
        waits = [name for name, text in self._names.items() if text.lower() == _WAIT]
        is_wait = np.isin(events.name, np.array(waits, np.int64))
        step = _number_at(steps, events.start)
        operator = _cover(operators, events.start)
        keys = np.stack([tasks.source, step, operator, tasks.destination, tasks.transport, events.name], axis=1)
        is_counted = is_wait | (tasks.size > 0)
        groups = _groups(keys, np.flatnonzero(is_counted))
        times, sizes = (_sums(values, groups) for values in (events.duration, np.maximum(tasks.size, 0)))
        for rows, time, size in zip(groups, times, sizes, strict=True):
            source, number, operator_name, destination, transport, name = keys[rows[0]].tolist()
            column = 1 if is_wait[rows[0]] else 0
            self._steps.setdefault((source, number), [0, 0])[column] += time
            if operators is not None and operator_name >= 0:
                sums = self._operators.setdefault((source, number, operator_name), [0, 0, 0])
                sums[column] += time
                sums[2] += size
            if column == 0:
                link = (source, number, destination, tasks.transports[transport], name)
                self._add_link(link, events, rows, time, size)

    def _add_link(self, link: tuple[int, int, int, str, int], events: Events, rows: Ints, time: int, size: int) -> None:
        sums = self._links.setdefault(link, [0, 0, 0, -1])
        sums[0] += time
        sums[1] += size
        sums[2] += len(rows)
        longest = rows[int(events.duration[rows].argmax())]
        if int(events.duration[longest]) > sums[3]:
            sums[3] = int(events.duration[longest])
            self._events[link] = events.track, int(events.ordinal[longest])

    def communication_of_all(self) -> Communication:
        """All of it, with scaled times."""
        tick_ps, result = self._reader.tick_ps, self.communication
        names = self._reader.names.by_id(
            [operator for _, _, operator in self._operators] + [link[4] for link in self._links if link[4] >= 0]
        )
        for (rank, step), (transfer, wait) in self._steps.items():
            times = from_ticks(transfer, tick_ps), from_ticks(wait, tick_ps)
            result.steps.append(RankStep(rank, _optional(step), *times))
        for (rank, step, operator), (transfer, wait, size) in self._operators.items():
            times = from_ticks(transfer, tick_ps), from_ticks(wait, tick_ps)
            result.add_operator(OperatorCost(rank, _optional(step), names[operator].text, *times, size * SCALE))
        for link, (time, size, count, longest) in self._links.items():
            rank, step, destination, transport, name = link
            result.add_link(
                LinkTransfer(
                    rank=rank,
                    step=_optional(step),
                    source=rank,
                    destination=_optional(destination),
                    transport=transport,
                    time=from_ticks(time, tick_ps),
                    size=size * SCALE,
                    task=names[name].text if name >= 0 else "",
                    count=count,
                    event=self._events[link],
                    longest=from_ticks(longest, tick_ps),
                )
            )
        return result


def _planes(reader: QueryReader) -> Iterator[tuple[int, int | None]]:
    """Each plane, and the row of operators that stands above it; None: none does."""
    operators: dict[int, int] = {}
    for track in reader.tree.tracks:
        if (
            track.kind not in SLICE_KINDS
            or not track.events
            or not _PROCESS.match(reader.tree.groups[track.group].name)
        ):
            continue
        if _OPERATORS.match(track.name):
            operators[track.group] = track.id
        elif _PLANE.match(track.name):
            yield track.id, operators.get(track.group)


def _slices(reader: QueryReader, track: int, windows: Windows) -> Interruptible[Events]:
    plan = reader.plan(track, windows)
    parts = [no_events(track)]
    for events in Reading(reader).events(plan, plan.leaf_runs):
        parts.append(events)
        yield
    return join(parts)


def _tasks_of_plane(reader: QueryReader, arguments: ArgumentReader, plane: int, windows: Windows) -> Iterator[_Tasks]:
    """Tasks of a plane that start in some windows; those that lie beside them are kept for the next question.

    Pieces of a track are the same ones whatever the windows, and each is named by its first leaf: as leaves of several
    levels take turns in time, a page may have leaves of many pieces.
    """
    plan = reader.plan(plane, EVERYTHING)
    for run in _pieces(plan, windows):
        key = plane, int(run.tiles[0])
        parts = _TASKS.get(reader, key)
        if parts is None:
            (events,) = Reading(reader).events(plan, [run])
            parts = _tasks(arguments, events)
            _TASKS.keep(reader, key, parts)
        for tasks in parts:
            held = windows.hold(tasks.events.start)
            yield tasks if held.all() else tasks.take(held)


def _pieces(plan: EventPlan, windows: Windows) -> Iterator[LeafRun]:
    """Parts of the runs of leaves of a plan, of about so many events each, that have a tick in some windows."""
    shape = plan.tiles.shape
    for run in plan.leaf_runs:
        shift = 2 * shape.level[run.tiles] + 8
        first, stop = shape.index[run.tiles] << shift, (shape.index[run.tiles] + 1) << shift
        is_in = windows.meet(first, stop)
        if not is_in.any():
            continue
        piece = np.cumsum(shape.events[run.tiles]) // _PIECE_EVENTS
        borders = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(piece)]
        for begin, end in pairwise(borders):
            if is_in[begin:end].any():
                yield LeafRun(run.page, run.first_of_page, run.tiles[begin:end], run.after[begin:end])


def _tasks(arguments: ArgumentReader, events: Events) -> list[_Tasks]:
    """Tasks with what their arguments say; all have the same transports."""
    transports: dict[str, int] = {}
    parts: list[tuple[Events, NDArray[np.bool_], Ints, Ints, Ints, Ints]] = []
    for part in arguments.values(events.track, events.ordinal, _ARGUMENTS):
        source, destination, size = (_integers(values) for values in part.values[:3])
        is_good = (source >= 0) & (source < NO_RANK) & (size <= _MOST_BYTES)
        destination[(destination >= NO_RANK) | (destination < 0)] = _ABSENT
        codes = _codes(part.values[3], transports)
        parts.append((events.take(part.which), is_good, source, destination, size, codes))
    texts = list(transports)
    return [_Tasks(*columns, texts) for columns in parts]


def _integers(values: Values) -> Ints:
    """Integers; -1 for anything else."""
    return np.where(values.kind == ValueKind.INTEGER, values.bits, _ABSENT)


def _codes(values: Values, words: dict[str, int]) -> Ints:
    """Places of texts in `words`, which grows; of other values that of an empty one."""
    codes = np.full(len(values), words.setdefault("", len(words)), np.int64)
    rows = values.where(ValueKind.TEXT)
    places = values.bits[rows]
    numbers = {place: words.setdefault(str(values.objects[place]), len(words)) for place in np.unique(places).tolist()}
    codes[rows] = [numbers[place] for place in places.tolist()]
    return codes


def _number_at(steps: StepRows | None, times: Ints) -> Ints:
    """The number of the step in which each tick lies; -1: in none. The last that begins before, where they overlap."""
    if steps is None or not len(steps):
        return np.full(len(times), _ABSENT, np.int64)
    order = np.argsort(steps.start, kind="stable")
    place = np.searchsorted(steps.start[order], times, side="right") - 1
    row = order[np.maximum(place, 0)]
    return np.where((place >= 0) & (times < steps.stop[row]), steps.number[row], _ABSENT)


def _cover(operators: Events | None, times: Ints) -> Ints:
    """The name of the operator in which each tick lies; -1: in none."""
    if operators is None or not len(operators):
        return np.full(len(times), _ABSENT, np.int64)
    place = np.searchsorted(operators.start, times, side="right") - 1
    row = np.maximum(place, 0)
    is_in = (place >= 0) & (times < operators.start[row] + operators.duration[row])
    return np.where(is_in, operators.name[row], _ABSENT)


def _groups(keys: Ints, rows: Ints) -> list[Ints]:
    """Some rows, by equal keys, which ascend."""
    if not len(rows):
        return []
    group = np.zeros(len(rows), np.int64)
    for column in keys[rows].T:
        used, codes = distinct(column)
        _, group = distinct(group * len(used) + codes)
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(group[order])) + 1)


def _sums(values: Ints, groups: Sequence[Ints]) -> list[int]:
    """The exact sum of each group; values are not negative."""
    if not groups:
        return []
    rows = np.concatenate(groups)
    if int(values[rows].max()) * len(rows) > _MOST_SUM:
        return [exact_sum(values[group]) for group in groups]
    ends = np.cumsum([len(group) for group in groups])
    sums: list[int] = np.add.reduceat(values[rows], np.append(0, ends[:-1])).tolist()
    return sums


def _optional(number: int) -> int | None:
    return None if number < 0 else number


def _tasks_bytes(parts: Sequence[_Tasks]) -> int:
    texts = sum(_TEXT_BYTES + 4 * len(text) for tasks in parts[:1] for text in tasks.transports)
    return texts + sum(_TASK_BYTES * len(tasks.source) for tasks in parts)


_TASK_BYTES: Final = 7 * 8 + 4 * 8 + 1  # an event, and its columns here
_TEXT_BYTES: Final = 64  # of a text beside its characters, each of which takes 4 bytes at most
_TASKS: Final = KeyedRunCache[tuple[int, int], list[_Tasks]](
    "plane_tasks", "Tasks on planes of Ascend devices", _tasks_bytes
)
