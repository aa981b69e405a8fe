"""A step beside others: what takes longer in it, by name and process, the greatest effect first.

Own time of slices is compared, so that what lies in them is not counted twice: it adds up to the busy time of tracks.
Own time of the slices that mark steps is what no name explains, and comes behind the names. Slices around steps, as a
profiler's own, begin in none of them: they are not listed, and their time is in the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilescope.tiler.facts.launches import LaunchedSteps
from tilescope.tiler.query import Interruptible, Reading
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.question_windows import StepWindows
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_range import StepRange

# In place of the number of a step.
ALL_OTHERS: Final = "others"

# Name of the slices that mark steps: they have another one in each.
_MARK: Final = "(the step itself)"


@dataclass(slots=True)
class _Row:
    """Sums of a name in a process: in the step, and in all others together. `track`: one on which it occurs."""

    track: int
    ticks: list[int] = field(default_factory=lambda: [0, 0])
    count: list[int] = field(default_factory=lambda: [0, 0])


class _Sums:
    """Own time and number of slices, by process and name."""

    def __init__(self, scope: Scope, marks: frozenset[str]) -> None:
        self._scope = scope
        self._marks = marks
        self.rows: dict[tuple[int, str], _Row] = {}

    def add(self, tracks: Sequence[int], windows: StepWindows, side: int) -> Interruptible[None]:
        """Adds what lies in the windows of some tracks to one side. Raises DamagedStore."""
        reader = self._scope.reader
        for track in tracks:
            if not len(windows.on_track(track)):
                continue
            process = reader.tree.tracks[track].group
            for part in Reading(reader).histogram_parts([track], windows.on_track):
                columns = part.name.tolist(), part.self_busy.tolist(), part.count.tolist()
                for name, ticks, count in zip(*columns, strict=True):
                    text = reader.names[name].text
                    row = self.rows.setdefault((process, _MARK if text in self._marks else text), _Row(track))
                    row.ticks[side] += int(ticks)
                    row.count[side] += int(count)
            yield


def differences_table(
    scope: Scope,
    steps: RunSteps,
    launched: LaunchedSteps,
    tracks: Sequence[int],
    span: TickRange,
    step: int,
    others: Sequence[StepRange],
    limit: int,
) -> Interruptible[Table]:
    """The names of a step beside the mean of other steps. Raises DamagedStore, UsageError for missing steps."""
    mine = StepRange.from_bounds(step, step)
    lines = {track for series in steps.series for track in series.tracks if series.is_line}
    compared = [track for track in tracks if track not in lines]
    sums = _Sums(scope, _marks(steps, [mine, *others]))
    for side, step_ranges in enumerate(([mine], others)):
        for step_range in step_ranges:
            yield from sums.add(compared, StepWindows(steps, step_range, span, span, launched), side)
    count = max(sum(len(_numbers(steps, part)) for part in others), 1)
    ticks = np.array([row.ticks for row in sums.rows.values()], np.int64).reshape(-1, 2)
    taken, usual = ticks[:, 0], (ticks[:, 1] + count // 2) // count  # to the nearest tick
    entries = list(sums.rows.items())
    is_mark = np.array([name == _MARK for _, name in sums.rows], np.bool_)
    order = np.lexsort((np.arange(len(ticks)), -np.abs(taken - usual), is_mark))
    order = np.array([place for place in order.tolist() if any(entries[place][1].count)][:limit], np.int64)
    listed = [entries[place] for place in order.tolist()]
    groups = scope.reader.tree.groups
    columns = [
        Column("name", "Name", "name", [name for (_, name), _ in listed]),
        Column("process", "In", "name", [groups[process].name for (process, _), _ in listed]),
        Column("difference", "Difference", "ticks", (taken - usual)[order]),
        Column("step", f"Step {step}", "ticks", taken[order]),
        Column("usual", "Others, mean" if count > 1 else f"Step {others[0].first}", "ticks", usual[order]),
        Column("count", f"Count in {step}", "count", [row.count[0] for _, row in listed]),
        Column(
            "usual_count",
            "Count, mean" if count > 1 else f"Count in {others[0].first}",
            "number",
            [row.count[1] / count for _, row in listed],
            total="none",
        ),
        Column("track", "Track", "track", [row.track for _, row in listed]),
    ]
    by_id = {"difference": taken - usual, "step": taken, "usual": usual}
    totals: dict[str, Value] = {name: int(values.sum()) for name, values in by_id.items()}
    rest: dict[str, Value] | None = None
    if len(listed) < len(entries):
        rest = {name: int(values.sum() - values[order].sum()) for name, values in by_id.items()}
    return Table("differences", f"What takes longer in step {step}", columns, totals=totals, rest=rest)


def other_steps(steps: RunSteps, step: int, against: str) -> list[StepRange]:
    """The steps that one is compared with: another one, or all others but the first recorded."""
    if against != ALL_OTHERS:
        return [StepRange.from_bounds(int(against), int(against))]
    numbers = steps.numbers[1:] if len(steps.numbers) > 2 else steps.numbers
    numbers = numbers[numbers != step]
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1)
    return [StepRange.from_bounds(int(part[0]), int(part[-1])) for part in parts if len(part)]


def _numbers(steps: RunSteps, step_range: StepRange) -> list[int]:
    numbers = steps.numbers
    chosen: list[int] = numbers[(numbers >= step_range.first) & (numbers <= step_range.last)].tolist()
    return chosen


def _marks(steps: RunSteps, step_ranges: Sequence[StepRange]) -> frozenset[str]:
    """Names of the slices that mark these steps."""
    numbers = [number for part in step_ranges for number in _numbers(steps, part)]
    return frozenset(steps.name_of(series, number) for series in steps.series for number in numbers)
