"""Parts of the time of each step of each core, in any windows: exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.parts import CLASS_OF, StepClass, StepPart
from tilescope.tiler.facts.step_times.reduce_participants import Participants
from tilescope.tiler.facts.step_times.spans import StepSpans
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class StepTimes:
    """The steps of one core or host: columns of shape (n,), by pass and number. `parts` add up to `duration`; ps.

    Times in ticks are those of the timeline; of a step that windows cut, of what they leave.
    """

    group: int  # the process
    number: Ints
    pass_: Ints  # from 0 on
    start: Ints
    stop: Ints
    is_whole: NDArray[np.bool_]
    track: Ints  # and ordinal: of a slice that is the step, -1 none
    ordinal: Ints
    duration: Ints
    parts: Mapping[StepPart, Ints]  # only those that such a device can have
    overlap: bool  # steps overlapped: what lay in two belongs to the later one
    counted: bool  # the trace has no numbers: steps are counted from 0 on, wherever the capture began
    first_cut: NDArray[np.bool_] | None = None  # the first recorded step, where its begin was not recorded
    participants: Participants | None = None  # of the all-reduces of TPU cores
    operators_end: int = TICK_LIMIT  # up to where operators of its devices were recorded; 0: nothing but the marks was

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def classes(self) -> Mapping[StepClass, Ints]:
        """All of them, ps: they add up to the duration, too."""
        sums = {step_class: np.zeros(len(self), np.int64) for step_class in StepClass}
        for part, ps in self.parts.items():
            sums[CLASS_OF[part]] = sums[CLASS_OF[part]] + ps
        sums[StepClass.NOT_RECORDED] = np.where(self.is_recorded, 0, sums[StepClass.OTHERS])
        sums[StepClass.OTHERS] = sums[StepClass.OTHERS] - sums[StepClass.NOT_RECORDED]
        return sums

    @cached_property
    def in_means(self) -> NDArray[np.bool_]:
        """Mask of the steps that enter means: not the first recorded one, where its begin was not recorded."""
        return np.ones(len(self), np.bool_) if self.first_cut is None else ~self.first_cut

    @cached_property
    def is_recorded(self) -> NDArray[np.bool_]:
        """Mask of the steps of whose devices all operators were recorded."""
        mask: NDArray[np.bool_] = self.stop <= self.operators_end
        return mask

    @cached_property
    def mean_rows(self) -> NDArray[np.bool_]:
        """The same; all steps where none of them enters means."""
        return self.in_means if self.in_means.any() else np.ones(len(self), np.bool_)

    def class_ps(self, step_class: StepClass, row: int) -> int | None:
        """Time of a class in a step, ps; None: nothing of it was recorded, in a step that lacks operators."""
        ps = int(self.classes[step_class][row])
        is_told = ps or step_class is StepClass.NOT_RECORDED or bool(self.is_recorded[row])
        return ps if is_told else None

    def sum_of(self, parts: Iterable[StepPart]) -> Ints:
        """Time of these parts in each step, ps."""
        return sum((self.parts[part] for part in parts if part in self.parts), np.zeros(len(self), np.int64))

    @cached_property
    def bottlenecks(self) -> Sequence[StepClass]:
        """The class that takes longest, for each step."""
        order = list(StepClass)
        if not len(self):
            return []
        return [
            order[index]
            for index in np.argmax(np.stack([self.classes[step_class] for step_class in order]), axis=0).tolist()
        ]


def step_times_of(
    group: int,
    spans: StepSpans,
    rows: Ints,
    start: Ints,
    stop: Ints,
    is_whole: NDArray[np.bool_],
    duration: Ints,
    parts: Ints,
    names: Sequence[StepPart],
    participants: Participants | None = None,
) -> StepTimes:
    """Pieces of steps as steps: those of the same pass and number together. `participants` of all rows of `spans`."""
    order = np.lexsort((start, spans.number[rows], spans.pass_[rows]))
    rows, start, stop, duration, parts = (column[order] for column in (rows, start, stop, duration, parts))
    is_whole = is_whole[order]
    number, pass_ = spans.number[rows], spans.pass_[rows]
    first = np.flatnonzero((np.diff(number, prepend=-1) != 0) | (np.diff(pass_, prepend=-1) != 0))

    def of_first(column: Ints) -> Ints:
        return column[rows[first]]

    if len(first):
        stop = np.maximum.reduceat(stop, first)
        is_whole = np.logical_and.reduceat(is_whole, first)
        duration = np.add.reduceat(duration, first)
        parts = np.add.reduceat(parts, first, axis=0)
    return StepTimes(
        group,
        number[first],
        pass_[first],
        start[first],
        stop,
        is_whole,
        of_first(spans.track),
        of_first(spans.ordinal),
        duration,
        {part: parts[:, place] for place, part in enumerate(names)},
        spans.overlap,
        spans.counted,
        rows[first] == 0 if spans.is_first_cut else None,
        None if participants is None else participants.take(rows[first]),
    )
