"""What steps are made of, as tables and charts: over the cores of TPUs, or on hosts with their GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass, StepPart
from tilescope.tiler.schema import Severity
from tilescope.tiler.tools.answer import Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.input_pipeline import levels
from tilescope.tiler.tools.input_pipeline.levels import Level, percent
from tilescope.tiler.tools.input_pipeline.tpu_side import TpuSteps, tpu_steps
from tilescope.tiler.tools.step_times import AskedSteps
from tilescope.tiler.tools.steps.durations import spread

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
    StepPart.COLLECTIVES: "Other collectives",
    StepPart.SEND: "Send",
    StepPart.RECV: "Receive",
    StepPart.MEGACORE: "Megacore fusion",
    StepPart.IDLE: "Idle",
}

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
    "Infeed": "that with the most",
    "Sparse core infeed": "that with the most",
    "Outfeed": "the mean of all",
    "Host transfer": "that with the most",
    "All-reduce compute": "that with the longest all-reduces",
    "All-reduce wait": "that with the longest all-reduces",
    "Idle": "the rest of the shortest step",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What steps come to."""

    durations: Ints  # ps, of each step of the run
    input_share: float
    others_share: float  # of time in which nothing is known to happen
    facts: Sequence[Fact]
    tables: Sequence[Table]
    series: Sequence[Series]
    notes: Sequence[Note]
    input_note: str
    step_note: str


def tpu_steps_of(asked: AskedSteps, limit: int) -> Measured:
    """Of steps over TPU cores."""
    of = tpu_steps(asked.times, asked.aligned)
    whole = int(of.of_core.sum())
    share = float(of.waited.sum()) / whole if whole else 0.0
    shares = of.share_max
    facts = [
        Fact("infeed_mean", "Waits, mean of steps", float(shares.mean()), "fraction", "of the core that waits longest"),
        Fact("infeed_min", "Least", float(shares.min()), "fraction"),
        Fact("infeed_max", "Most", float(shares.max()), "fraction"),
    ]
    rows = [
        ("Compute", of.compute, None),
        ("Infeed", of.infeed, levels.INPUT),
        ("Sparse core infeed", of.sparse_infeed, levels.SPARSE),
        ("Outfeed", of.outfeed, levels.OUTPUT),
        ("Host transfer", of.host_transfer, None),
        ("All-reduce compute", of.reduce_compute, None),
        ("All-reduce wait", of.reduce_sync, None),
        ("Idle", of.idle, levels.IDLE),
    ]
    tables = [_parts_table(asked, rows, of.duration, _OF_CORES), _tpu_table(asked, of, limit)]
    notes = _level_notes([(title, ps, level) for title, ps, level in rows if title != "Infeed"], of.duration)
    reduces = of.reduce_compute + of.reduce_sync - of.infeed
    notes += _level_notes([("All-reduce beyond infeed", np.maximum(reduces, 0), levels.ALL_REDUCE)], of.duration)
    return Measured(
        of.duration,
        share,
        0.0,
        facts,
        tables,
        [_tpu_chart(asked, of, limit), _infeed_chart(asked, of, limit)],
        notes,
        "of the step time of the core that waits longest, step by step",
        "of the core that takes longest",
    )


def _tpu_table(asked: AskedSteps, of: TpuSteps, limit: int) -> Table:
    rows = slice(limit)
    times, core = [asked.times[one] for one in of.core[rows].tolist()], of.core[rows].tolist()
    row = of.row[rows].tolist()

    def ticks(name: str, title: str, ps: Ints) -> Column:
        return Column(name, title, "ticks", asked.ticks(ps[rows]))

    def shares(name: str, title: str, values: NDArray[np.float64]) -> Column:
        return Column(name, title, "fraction", values[rows], total="none")

    columns = [
        Column("step", "Step", "count", asked.aligned.number[rows], total="none"),
        ticks("duration", "Longest", of.duration),
        ticks("compute", "Compute", of.compute),
        ticks("infeed", "Infeed", of.infeed),
        shares("infeed_mean", "Infeed, mean", of.share_mean),
        shares("infeed_min", "Least", of.share_min),
        shares("infeed_max", "Most", of.share_max),
        Column("core", "Waits most", "name", [asked.names[one] for one in core]),
        ticks("sparse_infeed", "Sparse core infeed", of.sparse_infeed),
        ticks("outfeed", "Outfeed", of.outfeed),
        ticks("host_transfer", "Host transfer", of.host_transfer),
        ticks("all_reduce_compute", "All-reduce compute", of.reduce_compute),
        ticks("all_reduce_sync", "All-reduce wait", of.reduce_sync),
        ticks("idle", "Idle", of.idle),
        Column("pass", "Pass", "count", asked.aligned.pass_[rows] + 1, total="none"),
        Column("start", "Start", "time", [int(one.start[at]) for one, at in zip(times, row, strict=True)]),
        Column("end", "End", "time", [int(one.stop[at]) for one, at in zip(times, row, strict=True)]),
        Column("event", "Event", "event", [asked.event(one, at) for one, at in zip(core, row, strict=True)]),
    ]
    return Table("steps", "Steps", columns)


def _tpu_chart(asked: AskedSteps, of: TpuSteps, limit: int) -> Series:
    """Each step on the core that waits longest for input: its parts add up to it."""
    pairs = list(zip(of.core[:limit].tolist(), of.row[:limit].tolist(), strict=True))
    ys = []
    for part in TPU_PARTS:
        ps = np.array([asked.times[core].parts[part][row] for core, row in pairs], np.int64)
        if ps.any() or part in (StepPart.HIGH_FLOPS, StepPart.INFEED, StepPart.IDLE):
            ys.append(Column(part.value, PART_TITLES[part], "ticks", asked.ticks(ps)))
    ys.append(_events(asked, pairs))
    x = Column("step", "Step", "count", asked.aligned.number[:limit])
    return Series("steps", "Steps on the core that waits longest for input", "area", x, ys)


def _infeed_chart(asked: AskedSteps, of: TpuSteps, limit: int) -> Series:
    """How much of each step cores wait for input: at most, on the mean, and at least."""
    pairs = list(zip(of.core[:limit].tolist(), of.row[:limit].tolist(), strict=True))
    ys = [
        Column("most", "The core that waits most", "fraction", of.share_max[:limit], total="none"),
        Column("mean", "Mean of cores", "fraction", of.share_mean[:limit], total="none"),
        Column("least", "The core that waits least", "fraction", of.share_min[:limit], total="none"),
        _events(asked, pairs),
    ]
    x = Column("step", "Step", "count", asked.aligned.number[:limit])
    return Series("infeed", "Waiting for input, of the step time", "line", x, ys)


def _events(asked: AskedSteps, pairs: Sequence[tuple[int, int]]) -> Column:
    """The events of steps: where points of a chart lead."""
    return Column("event", "Event", "event", [asked.event(core, row) for core, row in pairs])


def host_steps(asked: AskedSteps, limit: int) -> Measured:
    """Of steps of hosts and their GPUs: each host's by itself."""
    order = [(core, int(row)) for step in asked.aligned.rows.tolist() for core, row in enumerate(step) if row >= 0]
    duration = np.array([asked.times[core].duration[row] for core, row in order], np.int64)
    classes = {
        one: np.array([asked.times[core].classes[one][row] for core, row in order], np.int64) for one in StepClass
    }
    whole = int(duration.sum())
    rows = [(CLASS_TITLES[one], ps, _CLASS_LEVELS.get(one)) for one, ps in classes.items()]
    halves, wholes = (
        sum(int(of.sum_of([part]).sum()) for of in asked.times)
        for part in (StepPart.DEVICE_COMPUTE_16, StepPart.DEVICE_COMPUTE_32)
    )
    facts = []
    if halves + wholes:
        share = halves / (halves + wholes)
        facts.append(Fact("low_precision", "16-bit compute", share, "fraction", "of the compute time of devices"))
    noted = [row for row in rows if row[0] not in (CLASS_TITLES[StepClass.INPUT], CLASS_TITLES[StepClass.OTHERS])]
    return Measured(
        duration,
        int(classes[StepClass.INPUT].sum()) / whole if whole else 0.0,
        int(classes[StepClass.OTHERS].sum()) / whole if whole else 0.0,
        facts,
        [_parts_table(asked, rows, duration), _host_table(asked, order[:limit], duration, classes)],
        [_host_chart(asked, order[:limit], classes)],
        _level_notes(noted, duration),
        "of the time of all steps",
        "",
    )


def _host_table(
    asked: AskedSteps, order: Sequence[tuple[int, int]], duration: Ints, classes: dict[StepClass, Ints]
) -> Table:
    times = [(asked.times[core], row) for core, row in order]
    columns = [
        Column("step", "Step", "count", [int(of.number[row]) for of, row in times], total="none"),
        Column("host", "Host", "name", [asked.hosts[core] or asked.names[core] for core, _ in order]),
        Column("duration", "Duration", "ticks", asked.ticks(duration[: len(order)])),
        *(Column(one.value, CLASS_TITLES[one], "ticks", asked.ticks(ps[: len(order)])) for one, ps in classes.items()),
        Column("pass", "Pass", "count", [int(of.pass_[row]) + 1 for of, row in times], total="none"),
        Column("start", "Start", "time", [int(of.start[row]) for of, row in times]),
        Column("end", "End", "time", [int(of.stop[row]) for of, row in times]),
        Column("event", "Event", "event", [asked.event(core, row) for core, row in order]),
    ]
    return Table("host_steps", "Steps of hosts", columns)


def _host_chart(asked: AskedSteps, order: Sequence[tuple[int, int]], classes: dict[StepClass, Ints]) -> Series:
    numbers = [int(asked.times[core].number[row]) for core, row in order]
    hosts = [asked.hosts[core] or asked.names[core] for core, _ in order]
    # Steps of one number on several hosts stand side by side.
    x = (
        Column("step", "Step", "count", numbers)
        if len(set(numbers)) == len(numbers)
        else Column("step", "Step", "name", [f"{number} · {host}" for number, host in zip(numbers, hosts, strict=True)])
    )
    ys = [
        Column(one.value, CLASS_TITLES[one], "ticks", asked.ticks(ps[: len(order)]))
        for one, ps in classes.items()
        if ps.any()
    ]
    ys.append(_events(asked, order))
    return Series("steps", "What steps spend their time on", "area", x, ys)


def _parts_table(
    asked: AskedSteps,
    rows: Sequence[tuple[str, Ints, Level | None]],
    duration: Ints,
    whose: Mapping[str, str] | None = None,
) -> Table:
    """What steps spend their time on, in the mean: what takes none is left out, unless one looks for it.

    `whose` by title, where parts are of several cores.
    """
    rows = [(title, ps, level) for title, ps, level in rows if level is not None or ps.any()]
    whole = int(duration.sum())
    spreads = [spread(asked.ticks(ps)) for _, ps, _ in rows]
    shares: list[Value] = [int(ps.sum()) / whole if whole else None for _, ps, _ in rows]
    words = [
        None if level is None or share is None else level.word(float(share)) or None
        for (_, _, level), share in zip(rows, shares, strict=True)
    ]
    columns = [
        Column("name", "Part", "name", [title for title, _, _ in rows]),
        Column("mean", "Mean", "ticks", [of.mean for of in spreads]),
        Column("share", "Of the step", "fraction", shares),
        Column("deviation", "Deviation", "ticks", [of.deviation for of in spreads], total="none"),
        Column("min", "Least", "ticks", [of.least for of in spreads], total="none"),
        Column("max", "Most", "ticks", [of.greatest for of in spreads], total="none"),
        Column("level", "Level", "text", words),
    ]
    if whose is not None:
        columns.append(Column("whose", "Of which core", "text", [whose[title] for title, _, _ in rows]))
    return Table("parts", "What steps spend their time on", columns)


def _level_notes(rows: Sequence[tuple[str, Ints, Level | None]], duration: Ints) -> list[Note]:
    whole, notes = int(duration.sum()), []
    for title, ps, level in rows:
        share = int(ps.sum()) / whole if whole else 0.0
        word = "" if level is None else level.word(share)
        if word:
            severity: Severity = "warning" if word == "high" else "info"
            notes.append(Note(severity, f"{title} takes {percent(share)} of the steps: {_WORDS[word]}."))
    return notes
