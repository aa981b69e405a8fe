"""The windows of a question on each track, whether it names a span or steps: tools need not know which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import Device
from tilescope.tiler.facts.launches import NO_LAUNCHED_STEPS, LaunchedSteps
from tilescope.tiler.facts.step_candidates import StepCandidate
from tilescope.tiler.query.run_steps import RunSteps, StepRows, StepSeries
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.windows import Windows, WindowsOf

_NAMED: Final = 3  # devices or numbers in a note

# What of a device's time counts, in words.
DEVICE_SPAN: Final = "from the first work of each device (of steps, the first launch) to the end of its last"


def recorded_span(*, is_cut: bool) -> str:
    """The same, where operators may have been cut off before the end of the last work."""
    return f"{DEVICE_SPAN}, as far as operators were recorded" if is_cut else DEVICE_SPAN


class QuestionWindows:
    """Windows of each track: `on_track(track)`.

    `within`: the ticks in which the first and last work of a device is searched.
    """

    def __init__(self, on_track: WindowsOf, span: TickRange, within: TickRange, notes: Sequence[Note] = ()) -> None:
        self.on_track = on_track
        self.of = on_track  # as in version 0.2: tools of other packages call it
        self.within = within
        self.notes = notes
        self._span = span

    def span(self, tracks: Iterable[int]) -> TickRange:
        """From the first tick to the last that is looked at on some tracks."""
        return self._span

    def on_device(self, device: Device) -> Windows:
        """The time of a device that is looked at, idle time included."""
        windows = self.device_time(device.group)
        return self.on_track(device.tracks[0].track) if windows is None else windows

    def device_time(self, group: int) -> Windows | None:
        """The same of the device that a process is; None: what is looked at on its tracks."""
        return None

    def first_launch(self, device: Device) -> int | None:
        """The tick from which on a device's time counts before its first work; None: it does not count."""
        return None

    def device_part(self, device: Device, start: int, stop: int) -> Windows:
        """The time of a device between two ticks that is looked at, from its first launch on where that counts."""
        windows, launch = self.on_device(device), self.first_launch(device)
        if launch is not None and len(windows):
            windows = windows.joined(Windows.single(min(launch, windows.start), windows.start))
        return windows.clipped(start, stop)

    def of_rows(self, rows: StepRows) -> Windows | None:
        """The part of the times of steps that is looked at; None: that of their tracks."""
        return None


class StepWindows(QuestionWindows):
    """Steps, on each track those of its device or host; and what of them lies in a span.

    Streams of devices whose hosts mark the steps have the work that was launched in these.
    """

    def __init__(
        self,
        steps: RunSteps,
        wanted: StepRange,
        span: TickRange,
        within: TickRange,
        launched: LaunchedSteps = NO_LAUNCHED_STEPS,
    ) -> None:
        """Raises UsageError when there is none of these steps on any track."""
        super().__init__(self._step_windows, span, within, _range_notes(steps, wanted))
        self._steps = steps
        self._wanted = wanted
        self._launched = launched
        self._windows_by_series: dict[int, Windows] = {}

    def span(self, tracks: Iterable[int]) -> TickRange:
        all_windows = [windows for track in tracks if len(windows := self.on_track(track))]
        start = min((windows.start for windows in all_windows), default=0)
        return TickRange(start, max((windows.stop for windows in all_windows), default=start))

    def device_time(self, group: int) -> Windows | None:
        rows = self._launched.times.get(group)
        return None if rows is None else self.of_rows(rows)

    def first_launch(self, device: Device) -> int | None:
        rows = self._launched.times.get(device.group)
        return int(rows.start[0]) if rows is not None and len(rows) else None

    def of_rows(self, rows: StepRows) -> Windows:
        is_wanted = (rows.number >= self._wanted.first) & (rows.number <= self._wanted.last)
        return rows.windows(is_wanted).clipped(*self._span)

    def _step_windows(self, track: int) -> Windows:
        runs = self._launched.runs.get(track)
        if runs is not None:
            return runs.windows(*self._wanted).clipped(*self._span)
        series = self._steps.of_track(track)
        if series is None:
            return Windows.from_spans([], [])
        if id(series) not in self._windows_by_series:
            windows = series.rows.windows(series.between(*self._wanted))
            self._windows_by_series[id(series)] = windows.clipped(*self._span)
        return self._windows_by_series[id(series)]


_OF_PYTORCH: Final = ": call prof.step() after each, of a torch.profiler.profile with a schedule=; or"


def no_steps(name: str | None, plain: StepCandidate | None = None, *, is_pytorch: bool = False) -> str:
    """Message for a run without steps, or without slices of a name; `plain`: what can hardly be anything else."""
    if name is not None:
        return f"no slice is called {name!r}, with a number or without"
    example = "" if plain is None else f", such as {plain.name!r}"
    how = _OF_PYTORCH if is_pytorch else ":"
    return f"the trace marks no steps{how} say with step_name which slices are steps{example}"


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
        text = f"numbers begin anew on {names_of(steps, again)}: steps of all passes are counted"
        notes.append(Note("warning", text))
    over = [series for series in steps.counted if overlaps(series, wanted)]
    if over:
        notes.append(Note("info", f"steps overlap on {names_of(steps, over)}: an event in several of them counts once"))
    return notes


def names_of(steps: RunSteps, series: Sequence[StepSeries]) -> str:
    """Some devices in words: "/device:TPU:0 of host0, /device:TPU:1 of host0 and 14 more"."""
    several = len({steps.host_name(device_series) for device_series in steps.series}) > 1
    names = [
        f"{steps.process_name(device_series)} of {steps.host_name(device_series)}"
        if several
        else steps.process_name(device_series)
        for device_series in series[:_NAMED]
    ]
    more = f" and {len(series) - _NAMED:,} more" if len(series) > _NAMED else ""
    return ", ".join(names) + more


def overlaps(series: StepSeries, wanted: StepRange | None) -> bool:
    """True if steps of one track overlap."""
    rows = series.rows if wanted is None else series.rows.take(series.between(*wanted))
    for track in np.unique(rows.track).tolist() if len(rows.start) > 1 else ():
        on_track = rows.take(rows.track == track)
        if (np.maximum.accumulate(on_track.stop)[:-1] > on_track.start[1:]).any():
            return True
    return False


def _differ(numbers: NDArray[np.int64]) -> bool:
    return len(numbers) > 1 and bool(numbers.min() != numbers.max())


def _lacks(series: StepSeries, first: int, last: int) -> bool:
    present = series.numbers[(series.numbers >= first) & (series.numbers <= last)]
    return len(present) < last - first + 1


def _text(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"
