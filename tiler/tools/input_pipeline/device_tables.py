"""Parts of steps, as tables and charts: over the cores of TPUs, or on hosts with their GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass, StepPart
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.schema import Severity
from tilescope.tiler.tools.answer import Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.input_pipeline import levels
from tilescope.tiler.tools.input_pipeline.levels import Level
from tilescope.tiler.tools.input_pipeline.tpu_side import TpuSteps, tpu_steps
from tilescope.tiler.tools.step_times import AskedSteps, means_note
from tilescope.tiler.tools.steps.durations import FIRST_STEP, spread

Ints = NDArray[np.int64]

CLASS_TITLES: Final = {
    StepClass.DEVICE_COMPUTE: "Device compute",
    StepClass.DEVICE_TO_DEVICE: "Device to device",
    StepClass.DEVICE_COLLECTIVES: "Collectives",
    StepClass.HOST_COMPUTE: "Host compute",
    StepClass.KERNEL_LAUNCH: "Kernel launch",
    StepClass.INPUT: "Input",
    StepClass.OUTPUT: "Output",
    StepClass.COMPILATION: "Compilation",
    StepClass.OTHERS: "All others",
    StepClass.NOT_RECORDED: "Not recorded",
}
PART_TITLES: Final = {
    StepPart.HIGH_FLOPS: "High-FLOPS compute",
    StepPart.LOW_FLOPS: "Low-FLOPS compute",
    StepPart.INFEED: "Infeed",
    StepPart.SPARSE_INFEED: "Sparse core infeed",
    StepPart.OUTFEED: "Outfeed",
    StepPart.HOST_SEND: "Send to host",
    StepPart.HOST_RECV: "Receive from host",
    StepPart.ALL_REDUCE_COMPUTE: "All-reduce compute",
    StepPart.ALL_REDUCE_SYNC: "All-reduce wait",
    StepPart.ALL_REDUCE_UNSPLIT: "All-reduce, not separable",
    StepPart.COLLECTIVES: "Other collectives",
    StepPart.SEND: "Send",
    StepPart.RECV: "Receive",
    StepPart.MEGACORE: "Megacore fusion",
    StepPart.IDLE: "Idle",
}

# The reason for which nothing is said of what such steps are made of.
NOT_RECORDED: Final = "nothing on these tracks says what devices do in these steps"

_CLASS_LEVELS: Final = {
    StepClass.DEVICE_COLLECTIVES: levels.COLLECTIVES,
    StepClass.KERNEL_LAUNCH: levels.LAUNCH,
    StepClass.INPUT: levels.INPUT,
    StepClass.OUTPUT: levels.OUTPUT,
    StepClass.OTHERS: levels.OTHERS,
}
_WORDS: Final = {"high": "that is much", "moderate": "worth a look"}

# Whose time the parts of TPU steps are. They are of several cores, so they do not add up to a step.
_OF_CORES: Final = {
    "Compute": "that with the least",
    "Infeed": "that with the most, of its own step",
    "Sparse core infeed": "that with the most",
    "Outfeed": "the mean of all",
    "Host transfer": "that with the most",
    "All-reduce compute": "that with the longest all-reduces",
    "All-reduce wait": "that with the longest all-reduces",
    "All-reduce, not separable": "that with the longest all-reduces",
    "Idle": "the rest of the shortest step",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures, tables and charts of steps."""

    durations: Ints  # ps, of each step of the run
    in_means: NDArray[np.bool_]  # steps that enter means and shares
    input_share: float | None  # None: of no step it was recorded what it is made of
    facts: Sequence[Fact]
    tables: Sequence[Table]
    series: Sequence[Series]
    notes: Sequence[Note]
    input_label: str
    input_note: str
    step_note: str


def tpu_steps_of(steps: AskedSteps, limit: int) -> Measured:
    """Figures of steps over TPU cores."""
    summary = tpu_steps(steps.times, steps.aligned)
    every = steps.aligned.complete
    whole = int(summary.of_core[every].sum())
    share = float(summary.waited[every].sum()) / whole if whole else 0.0
    shares = summary.share_max[every]
    facts = [
        Fact("infeed_mean", "Waits, mean share", float(shares.mean()), "fraction", "of the core that waits longest"),
        _share_deviation(shares),
        Fact("infeed_min", "Least", float(shares.min()), "fraction"),
        Fact("infeed_max", "Most", float(shares.max()), "fraction"),
    ]
    rows = [
        ("Compute", summary.compute, None),
        ("Infeed", summary.infeed, levels.INPUT),
        ("Sparse core infeed", summary.sparse_infeed, levels.SPARSE),
        ("Outfeed", summary.outfeed, levels.OUTPUT),
        ("Host transfer", summary.host_transfer, None),
        ("All-reduce compute", summary.reduce_compute, None),
        ("All-reduce wait", summary.reduce_sync, None),
        ("All-reduce, not separable", summary.reduce_unsplit, None),
        ("Idle", summary.idle, levels.IDLE),
    ]
    wholes = {"Infeed": summary.infeed_of}
    tables = [_parts_table(steps, rows, summary.duration, every, wholes, _OF_CORES), _tpu_table(steps, summary, limit)]
    without_infeed = [(title, ps, level) for title, ps, level in rows if title != "Infeed"]
    notes = [*means_note(steps.aligned), *_level_notes(without_infeed, summary.duration, every)]
    reduces = summary.reduce_compute + summary.reduce_sync + summary.reduce_unsplit - summary.infeed
    notes += _level_notes(
        [("All-reduce beyond infeed", np.maximum(reduces, 0), levels.ALL_REDUCE)], summary.duration, every
    )
    return Measured(
        summary.duration,
        every,
        share,
        facts,
        tables,
        [_tpu_chart(steps, summary, limit), _infeed_chart(steps, summary, limit)],
        notes,
        "Waits for input",
        "of the step time of the core that waits longest, step by step",
        "of the core that takes longest, without the time between steps",
    )


def _share_deviation(shares: NDArray[np.float64]) -> Fact:
    """Deviation over steps of the share that waits for input."""
    label = "Deviation of waits"
    if len(shares) < 2:
        return Fact("infeed_deviation", label, None, "fraction", "needs two steps")
    return Fact("infeed_deviation", label, float(shares.std(ddof=1)), "fraction", "standard deviation, step by step")


def _tpu_table(steps: AskedSteps, summary: TpuSteps, limit: int) -> Table:
    rows = slice(limit)
    times, core = [steps.times[number] for number in summary.core[rows].tolist()], summary.core[rows].tolist()
    row = summary.row[rows].tolist()

    def ticks(name: str, title: str, ps: Ints) -> Column:
        return Column(name, title, "ticks", steps.ticks(ps[rows]))

    def shares(name: str, title: str, values: NDArray[np.float64]) -> Column:
        return Column(name, title, "fraction", values[rows], total="none")

    columns = [
        Column("step", "Step", "count", steps.aligned.number[rows], total="none"),
        ticks("duration", "Longest", summary.duration),
        ticks("compute", "Compute", summary.compute),
        ticks("infeed", "Infeed", summary.infeed),
        shares("infeed_mean", "Infeed, mean", summary.share_mean),
        shares("infeed_min", "Least", summary.share_min),
        shares("infeed_max", "Most", summary.share_max),
        Column("core", "Waits most", "name", [steps.names[number] for number in core]),
        ticks("sparse_infeed", "Sparse core infeed", summary.sparse_infeed),
        ticks("outfeed", "Outfeed", summary.outfeed),
        ticks("host_transfer", "Host transfer", summary.host_transfer),
        ticks("all_reduce_compute", "All-reduce compute", summary.reduce_compute),
        ticks("all_reduce_sync", "All-reduce wait", summary.reduce_sync),
        ticks("all_reduce_unsplit", "All-reduce, not separable", summary.reduce_unsplit),
        ticks("idle", "Idle", summary.idle),
        Column("pass", "Pass", "count", steps.aligned.pass_[rows] + 1, total="none"),
        Column(
            "start",
            "Start",
            "time",
            [int(core_times.start[position]) for core_times, position in zip(times, row, strict=True)],
        ),
        Column(
            "end",
            "End",
            "time",
            [int(core_times.stop[position]) for core_times, position in zip(times, row, strict=True)],
        ),
        Column(
            "event",
            "Event",
            "event",
            [steps.event(number, position) for number, position in zip(core, row, strict=True)],
        ),
    ]
    return Table("steps", "Steps", columns)


def _tpu_chart(steps: AskedSteps, summary: TpuSteps, limit: int) -> Series:
    """Each step on the core that waits longest for input: its parts add up to it."""
    pairs = list(zip(summary.core[:limit].tolist(), summary.row[:limit].tolist(), strict=True))
    ys = []
    for part in TPU_PARTS:
        ps = np.array([steps.times[core].parts[part][row] for core, row in pairs], np.int64)
        if ps.any() or part in (StepPart.HIGH_FLOPS, StepPart.INFEED, StepPart.IDLE):
            ys.append(Column(part.value, PART_TITLES[part], "ticks", steps.ticks(ps)))
    ys.append(_events(steps, pairs))
    x = Column("step", "Step", "count", steps.aligned.number[:limit])
    return Series("steps", "Steps on the core that waits longest for input", "area", x, ys)


def _infeed_chart(steps: AskedSteps, summary: TpuSteps, limit: int) -> Series:
    """Share of each step for which cores wait for input: at most, on the mean, and at least."""
    pairs = list(zip(summary.core[:limit].tolist(), summary.row[:limit].tolist(), strict=True))
    ys = [
        Column("most", "The core that waits most", "fraction", summary.share_max[:limit], total="none"),
        Column("mean", "Mean of cores", "fraction", summary.share_mean[:limit], total="none"),
        Column("least", "The core that waits least", "fraction", summary.share_min[:limit], total="none"),
        _events(steps, pairs),
    ]
    x = Column("step", "Step", "count", steps.aligned.number[:limit])
    return Series("infeed", "Waiting for input, of the step time", "line", x, ys)


def _events(steps: AskedSteps, pairs: Sequence[tuple[int, int]]) -> Column:
    """The events of steps: where points of a chart lead."""
    return Column("event", "Event", "event", [steps.event(core, row) for core, row in pairs])


def host_steps(steps: AskedSteps, limit: int) -> Measured:
    """Figures of steps of hosts and their GPUs: each host's by itself."""
    order = [(core, int(row)) for step in steps.aligned.rows.tolist() for core, row in enumerate(step) if row >= 0]
    duration = np.array([steps.times[core].duration[row] for core, row in order], np.int64)
    classes = {
        step_class: np.array([steps.times[core].classes[step_class][row] for core, row in order], np.int64)
        for step_class in StepClass
    }
    are_recorded = steps.are_recorded
    counted = steps.recorded_rows if are_recorded else steps.mean_rows
    in_means = np.array([counted[core][row] for core, row in order], np.bool_)
    # Steps of which not all operators were recorded have no least and no most of a part.
    is_counted = np.array([steps.times[core].is_recorded[row] for core, row in order], np.bool_)
    is_first_left_out = not all(core_times.mean_rows.all() for core_times in steps.times)
    whole = int(duration[in_means].sum())
    # The steps that enter means have nothing that was not recorded, or nothing is said of their parts.
    rows = [
        (CLASS_TITLES[step_class], ps, _CLASS_LEVELS.get(step_class))
        for step_class, ps in classes.items()
        if step_class is not StepClass.NOT_RECORDED
    ]
    halves, wholes = (steps.recorded_ps([part]) for part in (StepPart.DEVICE_COMPUTE_16, StepPart.DEVICE_COMPUTE_32))
    facts = []
    if halves + wholes:
        share = halves / (halves + wholes)
        facts.append(Fact("low_precision", "16-bit compute", share, "fraction", "of the compute time of devices"))
    counted_rows = [(title, ps[is_counted], level) for title, ps, level in rows]
    is_timed = in_means & (duration > 0)
    if is_timed.any() and are_recorded:
        facts.append(_share_deviation(classes[StepClass.INPUT][is_timed] / duration[is_timed]))
    noted = [row for row in rows if row[0] not in (CLASS_TITLES[StepClass.INPUT], CLASS_TITLES[StepClass.OTHERS])]
    input_share = int(classes[StepClass.INPUT][in_means].sum()) / whole if whole else 0.0
    input_note = f"in copies to devices, of the time of {f'steps, {FIRST_STEP}' if is_first_left_out else 'all steps'}"
    longest, step_in_means = _longest_hosts(steps)
    step_note = "of the host that takes longest" if len(steps.times) > 1 else ""
    return Measured(
        longest,
        step_in_means,
        input_share if are_recorded else None,
        facts,
        [
            *([_parts_table(steps, counted_rows, duration[is_counted], in_means[is_counted])] if are_recorded else ()),
            _host_table(steps, order[:limit], duration),
        ],
        [_host_chart(steps, order[:limit], classes)],
        [*means_note(steps.aligned), *_level_notes(noted, duration, in_means)],
        "Copies of input",  # what devices wait for their host is not in it
        input_note if are_recorded else NOT_RECORDED,
        ", ".join(filter(None, (step_note, FIRST_STEP if is_first_left_out else ""))),
    )


def _longest_hosts(steps: AskedSteps) -> tuple[Ints, NDArray[np.bool_]]:
    """The duration of each step of the run on the host that takes longest, ps, and which of them enter means."""
    rows = steps.aligned.rows
    longest = np.zeros(len(rows), np.int64)
    for place, host_times in enumerate(steps.times):
        has_step = np.flatnonzero(rows[:, place] >= 0)
        longest[has_step] = np.maximum(longest[has_step], host_times.duration[rows[has_step, place]])
    return longest, steps.aligned.in_means(steps.times)


def _host_table(steps: AskedSteps, order: Sequence[tuple[int, int]], duration: Ints) -> Table:
    times = [(steps.times[core], row) for core, row in order]
    columns = [
        Column("step", "Step", "count", [int(core_times.number[row]) for core_times, row in times], total="none"),
        Column("host", "Host", "name", [steps.hosts[core] or steps.names[core] for core, _ in order]),
        Column("duration", "Duration", "ticks", steps.ticks(duration[: len(order)])),
        *(
            Column(
                step_class.value,
                CLASS_TITLES[step_class],
                "ticks",
                [steps.class_ticks(core, row, step_class) for core, row in order],
            )
            for step_class in StepClass
        ),
        Column("pass", "Pass", "count", [int(core_times.pass_[row]) + 1 for core_times, row in times], total="none"),
        Column("start", "Start", "time", [int(core_times.start[row]) for core_times, row in times]),
        Column("end", "End", "time", [int(core_times.stop[row]) for core_times, row in times]),
        Column("event", "Event", "event", [steps.event(core, row) for core, row in order]),
    ]
    return Table("host_steps", "Steps of hosts", columns)


def _host_chart(steps: AskedSteps, order: Sequence[tuple[int, int]], classes: dict[StepClass, Ints]) -> Series:
    numbers = [int(steps.times[core].number[row]) for core, row in order]
    hosts = [steps.hosts[core] or steps.names[core] for core, _ in order]
    # Steps of one number on several hosts stand side by side.
    x = (
        Column("step", "Step", "count", numbers)
        if len(set(numbers)) == len(numbers)
        else Column("step", "Step", "name", [f"{number} · {host}" for number, host in zip(numbers, hosts, strict=True)])
    )
    ys = [
        Column(step_class.value, CLASS_TITLES[step_class], "ticks", steps.ticks(ps[: len(order)]))
        for step_class, ps in classes.items()
        if ps.any()
    ]
    ys.append(_events(steps, order))
    return Series("steps", "What steps spend their time on", "area", x, ys)


def _parts_table(
    steps: AskedSteps,
    rows: Sequence[tuple[str, Ints, Level | None]],
    duration: Ints,
    in_means: NDArray[np.bool_],
    wholes: Mapping[str, Ints] | None = None,
    whose: Mapping[str, str] | None = None,
) -> Table:
    """Table of the parts of steps, in the mean: parts without time are left out, unless they have a level.

    By title, where parts are of several cores: `wholes`, of which durations their shares are, if not of `duration`; and
    `whose` they are.
    """
    rows = [(title, ps, level) for title, ps, level in rows if level is not None or ps.any()]
    sums = [int((wholes or {}).get(title, duration)[in_means].sum()) for title, _, _ in rows]
    spreads = [spread(steps.ticks(ps), in_means) for _, ps, _ in rows]
    shares: list[Value] = [
        int(ps[in_means].sum()) / whole if whole else None for (_, ps, _), whole in zip(rows, sums, strict=True)
    ]
    words = [
        None if level is None or share is None else level.word(float(share)) or None
        for (_, _, level), share in zip(rows, shares, strict=True)
    ]
    columns = [
        Column("name", "Part", "name", [title for title, _, _ in rows]),
        Column("mean", "Mean", "ticks", [durations.mean for durations in spreads]),
        Column("share", "Of the step", "fraction", shares),
        Column("deviation", "Deviation", "ticks", [durations.deviation for durations in spreads], total="none"),
        Column("min", "Least", "ticks", [durations.least for durations in spreads], total="none"),
        Column("max", "Most", "ticks", [durations.greatest for durations in spreads], total="none"),
        Column("level", "Level", "text", words),
    ]
    if whose is not None:
        columns.append(Column("whose", "Of which core", "text", [whose[title] for title, _, _ in rows]))
    return Table("parts", "What steps spend their time on", columns)


def _level_notes(
    rows: Sequence[tuple[str, Ints, Level | None]], duration: Ints, in_means: NDArray[np.bool_]
) -> list[Note]:
    whole, notes = int(duration[in_means].sum()), []
    for title, ps, level in rows:
        share = int(ps[in_means].sum()) / whole if whole else 0.0
        word = "" if level is None else level.word(share)
        if word:
            severity: Severity = "warning" if word == "high" else "info"
            part = f"{title[0].lower()}{title[1:]}"  # of one or of several words, singular or plural
            notes.append(Note(severity, f"{percent_text(share)} of the steps goes to {part}: {_WORDS[word]}."))
    return notes
