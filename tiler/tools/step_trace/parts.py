"""The parts of one step, or of the mean of several, as rows of a picture: the step itself, and its reduces below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import reduce_stream
from tilescope.tiler.facts.step_traces import StepTrace
from tilescope.tiler.ticks import exact_sum, nearest_mean
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.step_trace.step_rows import TracedSteps

STEP_ROW: Final = "Step"
TAIL_ROW: Final = "Tail"


@dataclass(frozen=True, slots=True)
class TracePart:
    """A bar of the picture, in ticks from the start of the step."""

    row: str
    name: str
    start: int
    duration: int
    steps: int  # that have it


@dataclass(frozen=True, slots=True)
class Means:
    """Means over `count` marked steps, in ticks; None: no step is marked."""

    count: int
    step: int | None
    interval: int | None
    forward_backward: int | None
    tail: int | None
    update: int | None  # of parameters, behind the last reduce: of the steps in which it can be told
    reduces: int  # different ones of a step
    parts: Sequence[TracePart]


def mean_parts(traces: Sequence[StepTrace], chosen: Sequence[TracedSteps]) -> Means:
    """The means of the chosen steps of all devices, as far as they enter means."""
    in_mean = TracedSteps.join(chosen).in_mean
    bounds = np.cumsum([0, *map(len, chosen)]).tolist()
    marked = [rows.take(in_mean[first:last]) for rows, (first, last) in zip(chosen, pairwise(bounds), strict=True)]
    count = sum(map(len, marked))
    if not count:
        return Means(0, None, None, None, None, None, 0, ())
    steps = TracedSteps.join(marked)
    # Borders are rounded, not lengths, so that the parts add up to the step.
    borders = [
        0,
        *(
            nearest_mean(exact_sum(border - steps.start), count)
            for border in (steps.forward, steps.backward, steps.stop)
        ),
    ]
    names = ("Interval", "Forward and backward", "Tail")
    parts = [
        TracePart(STEP_ROW, name, borders[place], borders[place + 1] - borders[place], count)
        for place, name in enumerate(names)
    ]
    reduces = _reduce_parts(traces, marked)
    lengths = [part.duration for part in parts]
    tail = _tail_parts(steps.take(steps.update >= 0))
    update = tail[1].duration if tail else None
    interval, both, behind = lengths
    return Means(count, borders[3], interval, both, behind, update, len(reduces), [*parts, *tail, *reduces])


def _tail_parts(steps: TracedSteps) -> list[TracePart]:
    """The tail of steps in which the update of parameters can be told, as two parts."""
    count = len(steps)
    if not count:
        return []
    borders = [
        nearest_mean(exact_sum(border - steps.start), count) for border in (steps.backward, steps.update, steps.stop)
    ]
    names = ("Rest of the reduces", "Update of parameters")
    return [
        TracePart(TAIL_ROW, name, start, stop - start, count)
        for name, (start, stop) in zip(names, pairwise(borders), strict=True)
    ]


def _reduce_parts(traces: Sequence[StepTrace], marked: Sequence[TracedSteps]) -> list[TracePart]:
    """Reduces of the same name are one; each has the mean of the steps that have it."""
    sums: dict[str, list[int]] = {}
    for trace, rows in zip(traces, marked, strict=True):
        reduces = trace.reduces
        is_in = np.isin(reduces.step, rows.row)
        name, step = reduces.name[is_in], reduces.step[is_in]
        begin = reduces.start[is_in] - trace.rows.start[step]
        length = (reduces.stop - reduces.start)[is_in]
        for number in np.unique(name).tolist():
            has_name = name == number
            three = sums.setdefault(trace.reduce_names[number], [0, 0, 0])
            three[0] += exact_sum(begin[has_name])
            three[1] += exact_sum(length[has_name])
            three[2] += int(np.count_nonzero(has_name))
    parts = [
        TracePart(_row_of(name), name, nearest_mean(begin, steps), nearest_mean(length, steps), steps)
        for name, (begin, length, steps) in sums.items()
    ]
    return sorted(parts, key=lambda part: (part.row, part.start, part.name))


def _row_of(reduce: str) -> str:
    """The stream of a reduce, whose reduces share a row; of names without one, what is before a number at the end."""
    stem, _, number = reduce.rpartition("_")
    return reduce_stream(reduce) or (stem if number.isdecimal() and stem else reduce)


def parts_table(means: Means) -> Table:
    """All parts, with their shares of the step."""
    whole = means.step or 0
    columns = [
        Column("row", "Row", "text", [part.row for part in means.parts]),
        Column("part", "Part", "name", [part.name for part in means.parts]),
        Column("start", "From", "ticks", [part.start for part in means.parts], total="min"),
        Column("duration", "Duration", "ticks", [part.duration for part in means.parts]),
        Column(
            "share", "Share of the step", "fraction", [part.duration / whole if whole else None for part in means.parts]
        ),
        Column("count", "Steps", "count", [part.steps for part in means.parts]),
    ]
    return Table("parts", "One step" if means.count == 1 else f"Mean of {means.count:,} steps", columns)
