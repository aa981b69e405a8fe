"""Steps with their marks, of several devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_traces import StepTrace
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import exact_sum, nearest_mean
from tilescope.tiler.tools.step_range import StepRange

Ints = NDArray[np.int64]

# The types of columns that are no integers of 64 bits.
_TYPES: Final[Mapping[str, type[np.generic]]] = {"is_marked": np.bool_, "is_cut": np.bool_, "reduce": np.object_}


@dataclass(frozen=True, slots=True)
class TracedSteps:
    """Columns of shape (n,); `forward` and `backward` mean nothing where a step is not marked."""

    trace: Ints  # a number for the device
    row: Ints  # of its steps
    number: Ints
    start: Ints
    stop: Ints
    forward: Ints
    backward: Ints
    update: Ints  # the start of the update of parameters; -1: cannot be told
    wait: Ints  # for data, before the step; -1: not recorded, as before the first
    is_marked: NDArray[np.bool_]
    is_cut: NDArray[np.bool_]  # what was before it is not recorded
    reduce: NDArray[np.object_]  # ticks of all reduces of the step, each counted: integers that may be beyond 64 bits
    track: Ints
    ordinal: Ints

    def __len__(self) -> int:
        return len(self.number)

    @property
    def in_mean(self) -> NDArray[np.bool_]:
        """True for the steps that enter means: marked ones, not cut unless there is no other."""
        whole: NDArray[np.bool_] = self.is_marked & ~self.is_cut
        return whole if whole.any() else self.is_marked

    @property
    def mean_wait(self) -> int | None:
        """The mean of the waits that are recorded, ticks; None: none is."""
        waits = self.wait[self.wait >= 0]
        return nearest_mean(exact_sum(waits), len(waits)) if len(waits) else None

    @classmethod
    def from_trace(cls, number: int, trace: StepTrace, wanted: StepRange | None, span: TickRange) -> Self:
        """Steps of a range that have a tick in a span."""
        rows = trace.rows
        is_asked = (rows.start < span.stop) & ((rows.stop > span.start) | (rows.start >= span.start))
        if wanted is not None:
            is_asked &= trace.series.between(wanted.first, wanted.last)
        which = np.flatnonzero(is_asked)
        reduces = trace.reduces
        reduce = np.zeros(len(rows), np.object_)
        np.add.at(reduce, reduces.step, (reduces.stop - reduces.start).astype(np.object_))
        return cls(
            trace=np.full(len(which), number),
            row=which,
            number=rows.number[which],
            start=rows.start[which],
            stop=rows.stop[which],
            forward=trace.forward[which],
            backward=trace.backward[which],
            update=trace.update[which],
            wait=trace.wait[which],
            is_marked=trace.is_marked[which],
            is_cut=trace.is_cut[which],
            reduce=reduce[which],
            track=rows.track[which],
            ordinal=rows.ordinal[which],
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, one part after the other."""
        if not parts:
            return cls(*(np.zeros(0, _TYPES.get(field.name, np.int64)) for field in fields(cls)))
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Self:
        """Some of them."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))

    def first(self, count: int) -> Self:
        """At most so many."""
        return self.take(slice(count))

    def in_order(self) -> Self:
        """By number, then by device."""
        return self.take(np.lexsort((self.trace, self.number)))
