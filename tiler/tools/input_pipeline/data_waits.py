"""Waits of Ascend devices for data, as their step traces have them: between steps, or before forward begins in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.step_traces import has_step_traces, step_traces
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import exact_sum, nearest_mean
from tilescope.tiler.tools.answer import Fact
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_trace.step_rows import TracedSteps

_BETWEEN: Final = "from the end of a step to the start of forward in the next"
_SHARE: Final = "of the time from one step to the next"
_WITHIN: Final = "from the start of a step to that of forward"


@dataclass(frozen=True, slots=True)
class DataWaits:
    """Waits of steps: their mean, ticks, their share of the time from step to step, and from when on they are."""

    mean: int
    share: float
    extent: str

    def sentence(self, tick_ps: int) -> str:
        """The waits in words."""
        mean, share = duration_text(self.mean, tick_ps), percent_text(self.share)
        return f"Devices wait {mean} for the data of each step, {share} of the time from one step to the next."

    def facts(self) -> list[Fact]:
        """The mean and the share."""
        return [
            Fact("step_wait", "Wait before forward", self.mean, "ticks", f"mean, by the step trace: {self.extent}"),
            Fact("step_wait_share", "Of a step, that is", self.share, "fraction", _SHARE),
        ]


def data_waits(scope: Scope, question: SpanQuestion) -> Interruptible[DataWaits | None]:
    """Waits for data of the steps that a question is about; None where no step trace has any. Raises DamagedStore."""
    if not scope.reader.is_whole or not has_step_traces(scope.reader):
        return None
    steps = yield from scope.steps(question.step_name)
    wanted = None if question.tracks is None else frozenset(scope.leaves(question.tracks))
    series = [rows for rows in steps.series if wanted is None or wanted & set(rows.tracks)]
    traces = yield from step_traces(scope.reader, series)
    span = scope.span(question)
    chosen = [TracedSteps.from_trace(number, trace, question.steps, span) for number, trace in enumerate(traces)]
    if not chosen:
        return None
    rows = TracedSteps.join(chosen)
    rows = rows.take(rows.is_marked & ~rows.is_cut)
    are_between = bool((rows.wait >= 0).any())
    if are_between:
        rows = rows.take(rows.wait >= 0)
    if not len(rows):
        return None
    waits = rows.wait if are_between else rows.forward - rows.start
    whole = exact_sum(waits) + exact_sum(rows.stop - rows.forward)
    share = exact_sum(waits) / whole if whole else 0.0
    return DataWaits(nearest_mean(exact_sum(waits), len(rows)), share, _BETWEEN if are_between else _WITHIN)
