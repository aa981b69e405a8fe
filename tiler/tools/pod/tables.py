"""Tables of the pod: cores with the means of their steps, those that stand out, and steps on cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.core_places import CorePlace
from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass, StepPart, StepTimes
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.host_nouns import host_noun
from tilescope.tiler.tools.input_pipeline.device_tables import CLASS_TITLES, PART_TITLES
from tilescope.tiler.tools.pod.stragglers import Straggler
from tilescope.tiler.tools.step_times import AskedSteps

Ints = NDArray[np.int64]

# Time by which others wait longer in collectives than a core itself: what it keeps them waiting.
KEEPS_WAITING: Final = "keeps_waiting"
KEEPS_WAITING_TITLE: Final = "Keeps others waiting"

# What ids of the categories of TPUs begin with: some are those of classes, too.
TPU: Final = "tpu_"


def has_recorded(core_times: StepTimes) -> bool:
    """True if it was recorded what some of the steps are made of."""
    return bool(core_times.is_recorded.any())


def tells_waits(steps: AskedSteps) -> bool:
    """True if parts of steps were recorded of each core: else nobody knows for which of them others wait."""
    return all(map(has_recorded, steps.times))


def cores_table(
    steps: AskedSteps, standing_out: Sequence[Straggler], places: Sequence[CorePlace | None]
) -> Interruptible[Table]:
    """Each core with the means of its steps."""
    times = steps.times
    causes: dict[int, list[str]] = {}
    for straggler in standing_out:
        causes.setdefault(straggler.place, []).append(CLASS_TITLES[straggler.cause])
    straggles = [", ".join(causes.get(place, [])) or None for place in range(len(times))]

    # A core without recorded steps has means of all: what was not recorded is a part of its own.
    shown_rows = [
        recorded if recorded.any() else rows
        for recorded, rows in zip(steps.recorded_rows, steps.mean_rows, strict=True)
    ]

    def means(columns: Sequence[Ints], masks: Sequence[NDArray[np.bool_]] = shown_rows) -> list[Value]:
        counted = [ps[rows] for ps, rows in zip(columns, masks, strict=True)]
        return [nearest_mean(int(ps.sum()), len(ps) * steps.tick_ps) if len(ps) else None for ps in counted]

    are_recorded = [has_recorded(core_times) for core_times in times]
    are_whole = [bool(core_times.is_recorded.all()) for core_times in times]
    durations = means([core_times.duration for core_times in times], steps.mean_rows)
    recorded_durations = means([core_times.duration for core_times in times])
    of_classes: dict[StepClass, list[Value]] = {}
    for step_class in StepClass:
        yield
        row = means([core_times.classes[step_class] for core_times in times])
        # Steps that were not recorded enter no mean beside others that were: it is not 0 of them.
        are_told = are_whole if step_class is StepClass.NOT_RECORDED else are_recorded
        of_classes[step_class] = [
            mean if mean or is_told else None for mean, is_told in zip(row, are_told, strict=True)
        ]
    of_parts: dict[StepPart, list[Value]] = {}
    for part in TPU_PARTS:
        yield
        is_told = all(part in core_times.parts for core_times in times)
        of_parts[part] = means([core_times.parts[part] for core_times in times]) if is_told else [None] * len(times)

    columns = [
        Column("core", "Core", "name", list(steps.names)),
        Column("straggles", "Takes longer for", "text", straggles),
        Column("steps", "Steps", "count", [len(core_times) for core_times in times]),
        Column("duration", "Mean step", "ticks", durations, total="none"),
        Column("recorded", "Recorded steps", "count", [int(rows.sum()) for rows in shown_rows]),
        Column("recorded_duration", "Mean recorded step", "ticks", recorded_durations, total="none"),
        *(
            Column(step_class.value, CLASS_TITLES[step_class], "ticks", of_classes[step_class], total="none")
            for step_class in StepClass
        ),
        *(Column(f"{TPU}{part.value}", PART_TITLES[part], "ticks", of_parts[part], total="none") for part in TPU_PARTS),
        Column(
            KEEPS_WAITING,
            KEEPS_WAITING_TITLE,
            "ticks",
            means(keeps_waiting(steps)) if tells_waits(steps) else [None] * len(times),
            total="none",
        ),
        Column("host", f"On {host_noun(steps.hosts)}", "text", [host or None for host in steps.hosts]),
        Column("chip", "Chip", "id", [None if place is None else place.chip for place in places]),
        Column("core_number", "Core of chip", "id", [None if place is None else place.core for place in places]),
        Column("x", "X", "id", [None if place is None else place.x for place in places]),
        Column("y", "Y", "id", [None if place is None else place.y for place in places]),
        Column("start", "Start", "time", [int(core_times.start.min()) for core_times in times]),
        Column("end", "End", "time", [int(core_times.stop.max()) for core_times in times]),
        Column(
            "track",
            "Track",
            "track",
            [int(core_times.track[0]) if core_times.track[0] >= 0 else None for core_times in times],
        ),
    ]
    return Table("cores", "Cores, mean of their steps", columns)


def stragglers_table(steps: AskedSteps, standing_out: Sequence[Straggler]) -> Table:
    """A row for each cause for which a core stands out, the greatest loss first."""
    rows = [(straggler, steps.times[straggler.place]) for straggler in standing_out]
    extra = [straggler.extra_ps // steps.tick_ps for straggler in standing_out]
    columns = [
        Column("core", "Core", "name", [steps.names[straggler.place] for straggler, _ in rows]),
        Column("cause", "Takes longer for", "text", [CLASS_TITLES[straggler.cause] for straggler, _ in rows]),
        Column("extra", "Longer by, per step", "ticks", extra, total="none"),
        Column("share", "Share of step time", "fraction", [straggler.share for straggler, _ in rows], total="none"),
        Column("median", "Usual share", "fraction", [straggler.median for straggler, _ in rows], total="none"),
        Column("score", "Score", "number", [straggler.score for straggler, _ in rows], "modified z", total="none"),
        Column(
            "step",
            "Worst step",
            "count",
            [int(core_times.number[straggler.worst]) for straggler, core_times in rows],
            total="none",
        ),
        Column("event", "Event", "event", [steps.event(straggler.place, straggler.worst) for straggler, _ in rows]),
    ]
    return Table("stragglers", "Stragglers", columns)


def cells_table(steps: AskedSteps, limit: int) -> Table:
    """Each step on each core."""
    step, place = np.nonzero(steps.aligned.rows[:limit] >= 0)
    step_of, core_of = step[:limit].tolist(), place[:limit].tolist()
    cells = list(zip(core_of, steps.aligned.rows[step_of, core_of].tolist(), strict=True))
    rows = [(steps.times[core], row) for core, row in cells]

    def part(core_times: StepTimes, step_part: StepPart, row: int) -> int | None:
        return int(core_times.parts[step_part][row]) // steps.tick_ps if step_part in core_times.parts else None

    columns = [
        Column("step", "Step", "count", [int(steps.aligned.number[k]) for k in step_of], total="none"),
        Column("core", "Core", "name", [steps.names[core] for core, _ in cells]),
        Column(
            "duration",
            "Duration",
            "ticks",
            [int(core_times.duration[row]) // steps.tick_ps for core_times, row in rows],
        ),
        Column(
            "bottleneck", "Bottleneck", "text", [CLASS_TITLES[core_times.bottlenecks[row]] for core_times, row in rows]
        ),
        *(
            Column(
                step_class.value,
                CLASS_TITLES[step_class],
                "ticks",
                [steps.class_ticks(core, row, step_class) for core, row in cells],
            )
            for step_class in StepClass
        ),
        *(
            Column(
                f"{TPU}{step_part.value}",
                PART_TITLES[step_part],
                "ticks",
                [part(core_times, step_part, row) for core_times, row in rows],
            )
            for step_part in TPU_PARTS
        ),
        Column("pass", "Pass", "count", [int(steps.aligned.pass_[k]) + 1 for k in step_of], total="none"),
        Column("start", "Start", "time", [int(core_times.start[row]) for core_times, row in rows]),
        Column("end", "End", "time", [int(core_times.stop[row]) for core_times, row in rows]),
        Column("event", "Event", "event", [steps.event(core, row) for core, row in cells]),
    ]
    return Table("cells", "Steps on cores", columns)


def keeps_waiting(steps: AskedSteps) -> list[Ints]:
    """Time that the core which waits longest in collectives waits beyond each core, ps, for each of its steps."""
    rows = steps.aligned.rows
    waits = np.full(rows.shape, -1)
    for core, core_times in enumerate(steps.times):
        has_step = rows[:, core] >= 0
        waits[has_step, core] = core_times.classes[StepClass.DEVICE_COLLECTIVES][rows[has_step, core]]
    longest = waits.max(axis=1, initial=0)
    beyond = []
    for core, core_times in enumerate(steps.times):
        has_step = rows[:, core] >= 0
        ticks = np.zeros(len(core_times), np.int64)
        ticks[rows[has_step, core]] = (longest - waits[:, core])[has_step]
        beyond.append(ticks)
    return beyond
