"""Links of the events of a track to the steps that they belong to: columns by ordinal, of one track at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.arguments import ArgumentReader

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

GROUP: Final = "group_id"
_CORRELATION: Final = "correlation_id"
_PAIRS: Final = ("_pt", "_p", "_ct", "_c")
_SHAPES: Final = ("shape", "tensor_shapes")


@dataclass(slots=True)
class Numbers:
    """An argument of all events: numbers, and which have one."""

    value: Ints
    is_there: Flags

    @classmethod
    def none(cls, count: int) -> Numbers:
        return cls(np.zeros(count, np.int64), np.zeros(count, np.bool_))

    def put(self, which: slice, values: Values) -> None:
        """Takes the values of some events."""
        is_integer = (values.kind == ValueKind.INTEGER) | (values.kind == ValueKind.UNSIGNED)
        self.is_there[which] = is_integer
        self.value[which] = np.where(is_integer, values.bits, 0)


@dataclass(frozen=True, slots=True)
class TrackLinks:
    """Links of the events of one track, by ordinal; times in ticks."""

    start: Ints
    stop: Ints
    group: Numbers
    correlation: Numbers
    makes: tuple[Numbers, Numbers]  # kind and id of what is handed on
    takes: tuple[Numbers, Numbers]
    is_half: Flags  # tensors of 16 bits


def track_links(
    reader: QueryReader, arguments: ArgumentReader, track: int, *, pairs: bool, shapes: bool
) -> Interruptible[TrackLinks]:
    """Links of a track; without `pairs` nothing is handed on. Raises DamagedStore, NotBuilt."""
    count = reader.tree.tracks[track].events
    start, stop = np.zeros(count, np.int64), np.zeros(count, np.int64)
    plan = reader.plan(track, EVERYTHING)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        start[events.ordinal], stop[events.ordinal] = events.start, events.start + events.duration
        yield
    names = [GROUP, _CORRELATION, *(_PAIRS if pairs else ()), *(_SHAPES if shapes else ())]
    numbers = {name: Numbers.none(count) for name in (GROUP, _CORRELATION, *_PAIRS)}
    is_half = np.zeros(count, np.bool_)
    for part in arguments.values(track, np.arange(count), names):
        for name, values in zip(names, part.values, strict=True):
            if name in numbers:
                numbers[name].put(part.which, values)
            else:
                half = np.array([isinstance(text, str) and "half" in text for text in values.objects], np.bool_)
                texts = values.where(ValueKind.TEXT)
                is_half[part.which.start + texts] |= half[values.bits[texts]]
        yield
    group, correlation, *of_pairs = numbers.values()
    return TrackLinks(start, stop, group, correlation, (of_pairs[0], of_pairs[1]), (of_pairs[2], of_pairs[3]), is_half)
