"""The all-reduces of steps: when the first and the last core begin and end each, and how long cores wait in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times import ReduceEvents, group_numbers, reduce_events
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps

Ints = NDArray[np.int64]


def collectives_table(scope: Scope, steps: AskedSteps, limit: int) -> Interruptible[Table]:
    """A row for each all-reduce that begins in a step, the cores of a group together; whole, wherever the span ends.

    One that a step has several times is matched by its turn. It computes for the least time that it takes on any core
    of its group; the others wait for the rest of theirs. Where not all that take part were recorded, or which cores
    reduce together is not understood, neither is known.
    """
    cores = {core.group: core for core in tpu_cores(scope.reader)}
    step_numbers, places, reduces, ids_by_core = [], [], [], {}
    is_split = np.ones(len(steps.aligned), np.bool_)
    for place, core_times in enumerate(steps.times):
        rows = steps.aligned.rows[:limit, place]
        step = np.flatnonzero(rows >= 0)
        step = step[np.argsort(core_times.start[rows[step]], kind="stable")]
        if core_times.group not in cores or not len(step):
            continue
        if core_times.participants is not None:
            is_split[step] &= core_times.participants.are_all[rows[step]]
        events = yield from reduce_events(
            scope.reader, cores[core_times.group], core_times.start[rows[step]], np.asarray(core_times.stop[rows[step]])
        )
        step_numbers.append(step[events.window])
        places.append(np.full(len(events), place))
        reduces.append(events)
        ids_by_core[cores[core_times.group]] = events.id
    group = _joined((yield from group_numbers(scope.reader, ids_by_core)))
    return _table(scope, steps, _joined(step_numbers), _joined(places), group, reduces, is_split, limit)


def _table(
    scope: Scope,
    steps: AskedSteps,
    step: Ints,
    place: Ints,
    group: Ints,
    reduces: Sequence[ReduceEvents],
    is_split: NDArray[np.bool_],
    limit: int,
) -> Table:
    ids, begin, end, ps = (
        _joined([getattr(core_reduces, column) for core_reduces in reduces]) for column in ("id", "begin", "end", "ps")
    )
    turn = _turns(step, place, ids, begin)
    order = np.lexsort((place, begin, turn, group, ids, step))
    first = _changes([column[order] for column in (step, ids, group, turn)])
    last = np.append(first, len(order))[1:] - 1
    if len(first):  # in the order of time
        in_time = np.lexsort((begin[order][first], step[order][first]))[:limit]
        reduced = [np.minimum.reduceat(ps[order], first), np.maximum.reduceat(ps[order], first)]
        reduced += [np.add.reduceat(ps[order], first), np.minimum.reduceat(end[order], first)]
        reduced += [np.maximum.reduceat(end[order], first)]
        least, most, total, first_end, last_end = (column[in_time] for column in reduced)
        first, last = first[in_time], last[in_time]
    else:
        least = most = total = first_end = last_end = first
    counts = last - first + 1
    head, tail = order[first], order[last]
    name, track, ordinal = (
        _joined([getattr(core_reduces, column) for core_reduces in reduces]) for column in ("name", "track", "ordinal")
    )
    names_by_id = scope.reader.names.by_id(np.unique(name[head]).tolist())
    names: list[Value] = [
        names_by_id[name_id].text if name_id in names_by_id else None for name_id in name[head].tolist()
    ]
    events: list[Value] = [
        f"{on}.{number}" for on, number in zip(track[tail].tolist(), ordinal[tail].tolist(), strict=True)
    ]
    separable = is_split[step[head]]

    def split(ps: Ints) -> list[Value]:
        ticks: list[int] = steps.ticks(ps).tolist()
        return [value if is_known else None for value, is_known in zip(ticks, separable.tolist(), strict=True)]

    columns = [
        Column("step", "Step", "count", steps.aligned.number[step[head]], total="none"),
        Column("name", "All-reduce", "name", names),
        Column("cores", "Cores", "count", counts, total="none"),
        Column("last", "Comes last", "text", [steps.names[core] for core in place[tail].tolist()]),
        Column("begins_apart", "Begins apart", "ticks", begin[tail] - begin[head]),
        Column("ends_apart", "Ends apart", "ticks", last_end - first_end),
        Column("compute", "Computes", "ticks", split(least)),
        Column("longest_wait", "Longest wait", "ticks", split(most - least), total="max"),
        Column("waits", "Waits, all cores", "ticks", split(total - counts * least)),
        Column("first", "Comes first", "text", [steps.names[core] for core in place[head].tolist()]),
        Column("start", "Start", "time", begin[head]),
        Column("end", "End", "time", last_end),
        Column("event", "Event of the last", "event", events),
    ]
    return Table("collectives", "All-reduces", columns)


def _turns(step: Ints, place: Ints, ids: Ints, begin: Ints) -> Ints:
    """The how-manieth of its id each is, on its core in its step."""
    order = np.lexsort((begin, ids, place, step))
    first = _changes([column[order] for column in (step, place, ids)])
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return turn


def _changes(columns: Sequence[Ints]) -> Ints:
    """Indexes of rows that differ from the row before."""
    change = np.ones(len(columns[0]), np.bool_)
    change[1:] = np.logical_or.reduce([np.diff(column) != 0 for column in columns])
    return np.flatnonzero(change)


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *columns])
