"""The windows of a question on each track, whether it names a span or steps: tools need not know which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query.run_steps import RunSteps, StepSeries
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.windows import Windows, WindowsOf

_NAMED: Final = 3  # devices or numbers in a note


class Looked:
    """`of(track)` are the windows of a track; `within`: where the first and last work of a device is looked for."""

    def __init__(self, of: WindowsOf, span: TickRange, within: TickRange, notes: Sequence[Note] = ()) -> None:
        self.of = of
        self.within = within
        self.notes = notes
        self._span = span

    def span(self, tracks: Iterable[int]) -> TickRange:
        """From the first tick to the last that is looked at on some tracks."""
        return self._span


class StepWindows(Looked):
    """Steps, on each track those of its device or host; and what of them lies in a span."""

    def __init__(self, steps: RunSteps, wanted: StepRange, span: TickRange, within: TickRange) -> None:
        """Raises UsageError when there is none of these steps on any track."""
        super().__init__(self._of_track, span, within, _range_notes(steps, wanted))
        self._steps = steps
        self._wanted = wanted
        self._known: dict[int, Windows] = {}  # by series

    def span(self, tracks: Iterable[int]) -> TickRange:
        windows = [found for track in tracks if len(found := self.of(track))]
        start = min((found.start for found in windows), default=0)
        return TickRange(start, max((found.stop for found in windows), default=start))

    def _of_track(self, track: int) -> Windows:
        series = self._steps.of_track(track)
        if series is None:
            return Windows.of([], [])
        if id(series) not in self._known:
            found = series.rows.windows(series.between(*self._wanted))
            self._known[id(series)] = found.clipped(*self._span)
        return self._known[id(series)]


def no_steps(name: str | None) -> str:
    """Message for a run without steps, or without slices of a name."""
    if name is not None:
        return f"no slice is called {name!r}, with a number or without"
    return "the trace marks no steps: say with step_name which slices are steps"


def _range_notes(steps: RunSteps, wanted: StepRange) -> list[Note]:
    """Notes on steps that are missing, overlap or come twice. Raises UsageError if there is none of them."""
    first, last = int(steps.numbers[0]), int(steps.numbers[-1])
    there = _text(first, last)
    if not any(series.between(*wanted).any() for series in steps.series):
        what = "is no step" if wanted.first == wanted.last else "are no steps"
        raise UsageError(f"there {what} {wanted.text()}: the run has {there}")
    notes = []
    if wanted.first < first or wanted.last > last:
        notes.append(Note("warning", f"not all of steps {wanted.text()} are in the trace: it has {there}"))
    lacking = [series for series in steps.counted if _lacks(series, max(wanted.first, first), min(wanted.last, last))]
    if lacking:
        notes.append(Note("warning", f"some of steps {wanted.text()} are missing on {names_of(steps, lacking)}"))
    again = [series for series in steps.counted if _differ(series.rows.pass_[series.between(*wanted)])]
    if again:
        notes.append(Note("warning", f"numbers begin anew on {names_of(steps, again)}: steps of all passes are meant"))
    over = [series for series in steps.counted if overlaps(series, wanted)]
    if over:
        notes.append(Note("info", f"steps overlap on {names_of(steps, over)}: what lies in several counts once"))
    return notes


def names_of(steps: RunSteps, series: Sequence[StepSeries]) -> str:
    """Some devices in words: "/device:TPU:0 of host0, /device:TPU:1 of host0 and 14 more"."""
    several = len({steps.host_name(one) for one in steps.series}) > 1
    names = [
        f"{steps.process_name(one)} of {steps.host_name(one)}" if several else steps.process_name(one)
        for one in series[:_NAMED]
    ]
    more = f" and {len(series) - _NAMED:,} more" if len(series) > _NAMED else ""
    return ", ".join(names) + more


def overlaps(series: StepSeries, wanted: StepRange | None) -> bool:
    """True if steps of one track overlap."""
    rows = series.rows if wanted is None else series.rows.take(series.between(*wanted))
    for track in np.unique(rows.track).tolist() if len(rows.start) > 1 else ():
        of = rows.take(rows.track == track)
        if (np.maximum.accumulate(of.stop)[:-1] > of.start[1:]).any():
            return True
    return False


def _differ(numbers: NDArray[np.int64]) -> bool:
    return len(numbers) > 1 and bool(numbers.min() != numbers.max())


def _lacks(series: StepSeries, first: int, last: int) -> bool:
    found = series.numbers[(series.numbers >= first) & (series.numbers <= last)]
    return len(found) < last - first + 1


def _text(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"
