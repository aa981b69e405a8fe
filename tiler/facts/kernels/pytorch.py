"""Kernels of PyTorch traces: events of category kernel, whose arguments say how they were launched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.facts.kernels.launch import LAUNCH_ARGUMENTS, launch_of_values
from tilescope.tiler.facts.kernels.sums import KernelSums
from tilescope.tiler.facts.launches.launching_operators import LaunchingOperators
from tilescope.tiler.query import ArgumentReader, Events, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.uint8]

_CATEGORY: Final = "kernel"  # upper or lower case by age
_IN_OBJECTS: Final = (ValueKind.TEXT, ValueKind.OTHER)
# Sums of ticks of an argument chunk's events fit into 64 bits below.
_LONG: Final = 1 << 40

_KERNEL_NAMES: Final = RunCache[Mask]("kernel_names", "Names of kernels in PyTorch traces")


def pytorch_kernels(reader: QueryReader) -> Interruptible[Mask]:
    """Mask of names of kernels, that of events without one first."""
    is_kernel = _KERNEL_NAMES.get(reader)
    return _KERNEL_NAMES.keep(reader, (yield from reader.names.numbers(_is_kernel))) if is_kernel is None else is_kernel


def _is_kernel(name: Name) -> int:
    return int(name.category.lower() == _CATEGORY)


def kernels_of_track(
    reader: QueryReader, track: int, windows: Windows, sums: KernelSums, within: str | None
) -> Interruptible[None]:
    """Adds the kernels of a track; with `within` those that an operator of this name, or one in it, launches.

    Raises DamagedStore.
    """
    is_kernel = yield from pytorch_kernels(reader)
    tick_ps = reader.tick_ps
    plan = reader.plan(track, windows)
    arguments = ArgumentReader(reader.store)
    operators = LaunchingOperators(reader, track, within)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        events = events.take(is_kernel[events.name + 1] != 0)
        events = events.take(np.argsort(events.ordinal, kind="stable"))
        operation, is_within = yield from operators.behind(events.ordinal)
        if within is not None:
            events, operation = events.take(is_within), operation[is_within]
        is_empty = events.duration == 0
        sums.empty += int(np.count_nonzero(is_empty))
        events, operation = events.take(~is_empty), operation[~is_empty]
        for batch in arguments.values(track, events.ordinal, LAUNCH_ARGUMENTS):
            _add(
                reader,
                events.take(batch.which),
                batch.values,
                (operation[batch.which], operators.texts),
                windows,
                tick_ps,
                sums,
            )
            yield
        yield


def _add(
    reader: QueryReader,
    events: Events,
    launch: Sequence[Values],
    operations: tuple[Ints, Sequence[str]],  # places in the texts
    windows: Windows,
    tick_ps: int,
    sums: KernelSums,
) -> None:
    operation, texts = operations
    starts = windows.hold(events.start)
    parts = windows.ticks_before(events.start + events.duration) - windows.ticks_before(events.start)
    alike = np.stack([events.name, operation, *map(_numbered, launch)])
    _, first, group = np.unique(alike, axis=1, return_index=True, return_inverse=True)
    group = group.ravel()
    names = reader.names.by_id(np.unique(events.name).tolist())
    for number, row in enumerate(first.tolist()):
        name = names[int(events.name[row])]
        group_rows = np.flatnonzero(group == number)
        launch_text, occupancy = launch_of_values([values.value(row) for values in launch])
        begun = group_rows[starts[group_rows]]
        durations = events.duration[begun]
        longest = None
        if len(begun):
            place = int(begun[np.argmax(durations)])
            longest = int(events.duration[place]) * tick_ps, events.track, int(events.ordinal[place])
        sums.add(
            (name.text, launch_text, texts[int(operation[row])], name.category),
            occupancy,
            len(begun),
            _sum(parts[group_rows]) * tick_ps,
            int(durations.min(initial=np.iinfo(np.int64).max)) * tick_ps,
            longest,
        )


def _numbered(values: Values) -> Ints:
    """Equal numbers for equal values."""
    numbers_of_values = values.bits.copy()
    for kind in _IN_OBJECTS:
        object_rows = values.where(kind)
        number_of_text: dict[str, int] = {}
        texts = (repr(values.value(row)) for row in object_rows.tolist())
        numbers_of_values[object_rows] = np.fromiter(
            (number_of_text.setdefault(text, len(number_of_text)) for text in texts), np.int64, len(object_rows)
        )
    _, numbers = np.unique(numbers_of_values, return_inverse=True)
    return numbers.ravel() * 16 + values.kind


def _sum(ticks: Ints) -> int:
    return int(ticks.sum()) if int(ticks.max(initial=0)) < _LONG else sum(ticks.tolist())
