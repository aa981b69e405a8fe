"""Operators of PyTorch behind the work of a device: the innermost around the launch of each slice.

Threads of hosts record them as slices of categories of their own, called by namespace and name: `aten::mm`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.host_operations.naming import pytorch_type
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.query import EVERYTHING, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache, RunCache

Ints = NDArray[np.int64]

NO_OPERATOR: Final = -1

_CATEGORIES: Final = frozenset({"cpu_op", "operator"})  # by age of the profiler

_NAMES: Final = RunCache[NDArray[np.uint8]]("operator_names", "Names of operators of PyTorch")
_OPERATORS: Final = KeyedRunCache[int, Ints](
    "launching_operators", "Operators that launch the slices of devices", lambda operators: operators.nbytes
)


def operator_names(reader: QueryReader) -> Interruptible[NDArray[np.uint8]]:
    """Mask of names of operators, that of events without one first. Raises DamagedStore."""
    names = _NAMES.get(reader)
    return _NAMES.keep(reader, (yield from reader.names.numbers(_is_operator))) if names is None else names


def _is_operator(name: Name) -> int:
    return int(name.category.lower() in _CATEGORIES and pytorch_type(name.text) != "")


def launching_operators(reader: QueryReader, track: int) -> Interruptible[Ints]:
    """The id of the name of the operator behind each slice of a device's track, by ordinal; NO_OPERATOR: none.

    Raises DamagedStore, NotBuilt, StoredLast.
    """
    operators = _OPERATORS.get(reader, track)
    if operators is None:
        operators = _OPERATORS.keep(reader, track, (yield from _operators(reader, track)))
    return operators


def _operators(reader: QueryReader, track: int) -> Interruptible[Ints]:
    is_operator = yield from operator_names(reader)
    launches = yield from device_launches(reader, track)
    operators = np.full(reader.tree.tracks[track].events, NO_OPERATOR)
    if len(launches) and int(launches.ordinal[-1]) >= len(operators):
        raise DamagedStore(f"track {track} lacks slices that were launched")
    for host_track in np.unique(launches.track).tolist():
        rows = np.flatnonzero(launches.track == host_track)
        wanted, place = np.unique(launches.launch[rows], return_inverse=True)
        slices = yield from _launches_and_operators(reader, host_track, wanted, is_operator)
        operators[launches.ordinal[rows]] = _innermost(slices, wanted, is_operator)[place]
        yield
    return operators


def _launches_and_operators(
    reader: QueryReader, track: int, launches: Ints, is_operator: NDArray[np.uint8]
) -> Interruptible[Events]:
    parts = [no_events(track)]
    plan = reader.plan(track, EVERYTHING)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        row = np.minimum(np.searchsorted(launches, events.ordinal), len(launches) - 1)
        parts.append(events.take((is_operator[events.name + 1] != 0) | (launches[row] == events.ordinal)))
        yield
    return join(parts)


def _innermost(slices: Events, launches: Ints, is_operator: NDArray[np.uint8]) -> Ints:
    """The name of the innermost operator that is a launch or around it, of each of these ordinals, each once."""
    launch = slices.take(np.isin(slices.ordinal, launches))
    launch = launch.take(np.argsort(launch.ordinal, kind="stable"))
    if len(launch) != len(launches):
        raise DamagedStore(f"track {slices.track} lacks slices that are launches")
    operator = slices.take(is_operator[slices.name + 1] != 0)
    names = np.full(len(launches), NO_OPERATOR)
    for depth in np.unique(operator.row).tolist():
        around = operator.take(operator.row == depth)
        around = around.take(np.argsort(around.start, kind="stable"))
        last = np.searchsorted(around.start, launch.start, side="right") - 1
        is_in = (last >= 0) & (launch.row > depth) & ((around.start + around.duration)[last] > launch.start)
        is_in |= (last >= 0) & (launch.row == depth) & (around.ordinal[last] == launch.ordinal)
        names[is_in] = around.name[last[is_in]]
    return names
