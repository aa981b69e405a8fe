"""A step beside others: what takes longer in it, by name and process, the greatest effect first.

Own time of slices is compared, so that what lies in them is not counted twice: it adds up to the busy time of tracks.
Own time of the slices that mark steps is what no name explains, and comes behind the names. Slices around steps, as a
profiler's own, begin in none of them: they are not listed, and their time is in the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.launches import LaunchedSteps
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.compare.changes import Changes, SideSums
from tilescope.tiler.tools.compare.side import STEP_MARK, step_marks
from tilescope.tiler.tools.compare.sums import Grouping, Ints, Key, Numbering, SummedTracks, row_sums
from tilescope.tiler.tools.question_windows import StepWindows
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_range import StepRange

# In place of the number of a step.
ALL_OTHERS: Final = "others"


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
    track_list = scope.reader.tree.tracks
    parts = [  # a name in each process by itself is a row
        SummedTracks((str(track),), [track], (str(track_list[track].group),)) for track in tracks if track not in lines
    ]
    marks = step_marks(steps, [number for part in (mine, *others) for number in _numbers(steps, part)])

    def keys(names: Ints) -> list[Key]:
        by_id = scope.reader.names.by_id(names.tolist())
        texts = [by_id[name].text for name in names.tolist()]
        return [(STEP_MARK if text in marks else text,) for text in texts]

    row_keys, places, count = Numbering(), Numbering(), max(sum(len(_numbers(steps, part)) for part in others), 1)
    sides = []
    for step_ranges, divisor in (([mine], 1), (others, count)):
        windows = [StepWindows(steps, step_range, span, span, launched).on_track for step_range in step_ranges]
        sums = yield from row_sums(scope.reader, parts, windows, Grouping(keys), row_keys, places)
        sides.append(SideSums(sums, divisor, 1))  # in ticks, not picoseconds
    changes = Changes(sides[0], sides[1:], row_keys.keys(), places.keys())
    taken, usual = (changes.rounded(changes.numerators("self_busy", new=new)) for new in (True, False))
    counts, usual_counts = (changes.counts(new=new) for new in (True, False))
    is_mark = np.array([name == STEP_MARK for _, name in changes.keys], np.bool_)
    order = np.argsort(-np.abs(taken - usual), kind="stable")  # of Python's integers, too
    order = order[np.argsort(is_mark[order], kind="stable")]
    order = order[(counts + usual_counts)[order] > 0][:limit]
    listed = [changes.keys[row] for row in order.tolist()]
    groups = scope.reader.tree.groups
    columns = [
        Column("name", "Name", "name", [name for _, name in listed]),
        Column("process", "In", "name", [groups[int(process)].name for process, _ in listed]),
        Column("difference", "Difference", "ticks", (taken - usual)[order]),
        Column("step", f"Step {step}", "ticks", taken[order]),
        Column("usual", "Others, mean" if count > 1 else f"Step {others[0].first}", "ticks", usual[order]),
        Column("count", f"Count in {step}", "count", counts[order]),
        Column(
            "usual_count",
            "Count, mean" if count > 1 else f"Count in {others[0].first}",
            "number",
            [events / count for events in usual_counts[order].tolist()],
            total="none",
        ),
        Column("track", "Track", "track", [int(place) for (place,) in changes.places(order)]),
    ]
    by_id = {"difference": taken - usual, "step": taken, "usual": usual}
    totals: dict[str, Value] = {name: int(values.sum()) for name, values in by_id.items()}
    rest: dict[str, Value] | None = None
    if len(listed) < len(changes):
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
