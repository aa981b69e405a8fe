"""One side of a comparison: the part of a run that is looked at, and in how many steps it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.windows import WindowsOf

# Name of the slices that mark steps: they have another one in each.
STEP_MARK = "(the step itself)"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """Windows of tracks of a run. `steps`: the numbers of steps that they are in; None: they are of no steps."""

    scope: Scope
    tracks: Sequence[int]
    windows: Sequence[WindowsOf]
    span: TickRange
    steps: Sequence[int] | None = None
    marks: frozenset[str] = frozenset()  # names of the slices that mark these

    @property
    def divisor(self) -> int:
        """The number that sums are divided by: of steps, else 1."""
        return 1 if self.steps is None else max(len(self.steps), 1)


def has_steps(scope: Scope, question: SpanQuestion) -> bool:
    """True if steps can be told apart: the trace marks some, or the question names slices that are."""
    return question.step_name is not None or len(scope.reader.steps.numbers) > 0


def span_side(scope: Scope, question: SpanQuestion, tracks: Sequence[int]) -> Interruptible[ComparedSide]:
    """A side whose sums are totals, of a span or of some steps together. Raises UsageError for missing steps."""
    question_windows = yield from scope.windows(question)
    return ComparedSide(scope, tracks, [question_windows.on_track], question_windows.span(tracks))


def step_side(scope: Scope, question: SpanQuestion, tracks: Sequence[int]) -> Interruptible[ComparedSide]:
    """A side whose sums are means per step: of the steps that are asked for, else of all, as far as they lie in a span.

    Raises UsageError where the run has none of them.
    """
    steps = yield from scope.steps(question.step_name)
    numbers = steps.numbers
    wanted = question.steps or StepRange.from_bounds(int(numbers[0]), int(numbers[-1]))
    windows = yield from scope.step_windows(question, wanted)
    chosen = _numbers_in(steps, wanted, scope.span(question))
    return ComparedSide(scope, tracks, [windows.on_track], windows.span(tracks), chosen, step_marks(steps, chosen))


def step_marks(steps: RunSteps, numbers: Sequence[int]) -> frozenset[str]:
    """Names of the slices that mark these steps."""
    alike = {(series.source, series.label): series for series in steps.series}  # these have the same names
    return frozenset(steps.name_of(series, number) for series in alike.values() for number in numbers)


def _numbers_in(steps: RunSteps, wanted: StepRange, span: TickRange) -> list[int]:
    """The numbers of steps of a range of which something lies in a span, ascending."""
    parts = [np.zeros(0, np.int64)]
    for series in steps.series:
        rows = series.rows
        is_in = series.between(*wanted) & (rows.stop > span.start) & (rows.start < span.stop)
        parts.append(rows.number[is_in])
    numbers: list[int] = np.unique(np.concatenate(parts)).tolist()
    return numbers
