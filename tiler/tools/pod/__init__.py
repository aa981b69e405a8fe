"""Steps of each core of a pod, or of each host, and the cores and hosts that keep the others waiting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.core_places import CorePlace, core_places
from tilescope.tiler.facts.imports import SavedPage, saved_page
from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass, StepPart, StepTimes, aligned
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.findings import opening
from tilescope.tiler.tools.host_nouns import host_noun
from tilescope.tiler.tools.input_pipeline.device_tables import CLASS_TITLES, NOT_RECORDED, PART_TITLES
from tilescope.tiler.tools.pod.channels import channels_table
from tilescope.tiler.tools.pod.collectives import collectives_table
from tilescope.tiler.tools.pod.saved import (
    MAX_CELLS,
    MAX_CORES,
    PAGE,
    saved_channels,
    saved_cores,
    saved_facts,
    saved_places,
    step_times_of_core,
)
from tilescope.tiler.tools.pod.stragglers import LEAST, Straggler, stragglers
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_choice import step_choice
from tilescope.tiler.tools.step_times import AskedSteps, asked_steps, means_note
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

# Time by which others wait longer in collectives than a core itself: what it keeps them waiting.
KEEPS_WAITING: Final = "keeps_waiting"
_KEEPS_WAITING_TITLE: Final = "Keeps others waiting"

MAX_LISTED: Final = 65_536
DEFAULT_LISTED: Final = 2000

# Rows of a heat map: one is a few pixels high.
_MOST_DRAWN: Final = 256

# What ids of the categories of TPUs begin with: some are those of classes, too.
_TPU: Final = "tpu_"

_STEPS_AT_ONCE: Final = 20_000  # between two turns

# Columns that lead to where a saved page has nothing.
_OF_TIMELINE: Final = ("start", "end", "track", "event")

NO_STEPS: Final = (
    "the trace marks no steps: mark them (jax.profiler.StepTraceAnnotation, Keras, step of torch.profiler)"
)


class PodQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Steps of some cores and hosts, in a span or by their numbers."""

    colour: Annotated[
        Literal[
            "keeps_waiting",
            "duration",
            "device_compute",
            "device_to_device",
            "device_collectives",
            "host_compute",
            "kernel_launch",
            "input",
            "output",
            "compilation",
            "others",
            "not_recorded",
            "tpu_high_flops",
            "tpu_low_flops",
            "tpu_infeed",
            "tpu_sparse_infeed",
            "tpu_outfeed",
            "tpu_host_send",
            "tpu_host_recv",
            "tpu_all_reduce_compute",
            "tpu_all_reduce_sync",
            "tpu_all_reduce_unsplit",
            "tpu_collectives",
            "tpu_send",
            "tpu_recv",
            "tpu_megacore",
            "tpu_idle",
        ],
        Meta(
            description="What the map of steps and cores shows: how long others wait for a core, how long "
            "steps are, or the share of a class, or of a category of TPUs (tpu_…)."
        ),
    ] = KEEPS_WAITING
    collectives: Annotated[
        bool,
        Meta(description="Whether the all-reduces of steps are listed, with the cores that come first and last."),
    ] = False
    channels: Annotated[
        bool,
        Meta(description="Whether the channels are listed by which cores send to each other, with how fast they are."),
    ] = False
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most steps of cores, all-reduces and channels that are listed.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: PodQuestion) -> Interruptible[Answer]:
    page = None if scope.reader.steps.series else saved_page(scope.reader, PAGE)
    if page is not None:
        return (yield from _of_saved(scope, question, page))
    steps = yield from asked_steps(scope, question)
    standing_out = stragglers(steps.times, steps.part_rows)
    yield
    choice = yield from step_choice(scope, question)
    if not steps.times:
        facts = [Fact("cores", "Cores", None, "count", steps.why)]
        return Answer(facts, choice.tables, notes=[*choice.notes, *steps.notes])
    places_by_group = core_places(scope.reader)
    places = [places_by_group.get(core_times.group) for core_times in steps.times]
    cores = yield from _cores_table(steps, standing_out, places)
    tables = [_stragglers_table(steps, standing_out), cores, _cells_table(steps, question.limit), *choice.tables]
    if question.collectives:
        tables.append((yield from collectives_table(scope, steps, question.limit)))
    cause = yield from opening(scope, question)
    notes = [
        *cause.notes,
        *_notes(steps, standing_out),
        *_place_notes(places),
        *means_note(steps.aligned),
        *steps.notes,
    ]
    if question.channels:
        tables.append((yield from channels_table(scope, steps, places, question.limit, notes)))
    return Answer(_facts(steps, standing_out), tables, [_map(steps, question)], notes, headline=cause.headline)


def _of_saved(scope: Scope, question: PodQuestion, page: SavedPage) -> Interruptible[Answer]:
    """Answer from a page of the Cloud TPU profiler: it has figures of steps, but no events of a timeline."""
    parsed = yield from page.parsed(scope.reader)
    cores, is_cut = yield from saved_cores(parsed, question.steps)
    times, work = [], 0
    for place, core in enumerate(cores):
        work += 1 + len(core.steps)
        if work >= _STEPS_AT_ONCE:
            work = 0
            yield
        times.append(step_times_of_core(core, place))
    places = saved_places(parsed, cores)
    names = [f"{core.host} · core {core.key}" if core.host else f"core {core.key}" for core in cores]
    question_windows = yield from scope.windows(PodQuestion())
    tick_ps = scope.reader.tick_ps
    notes = [Note("info", f"these are the figures of {page.entry.label}: there is no trace to compare them with")]
    if any("crsDurationUs" in core.figure_names for core in cores):
        text = "the file does not tell computing in all-reduces from waiting: both are a part of their own"
        notes.append(Note("info", text))
    if is_cut:
        text = f"the page has more than is compared: {MAX_CORES:,} cores, and {MAX_CELLS:,} of cores times steps"
        notes.append(Note("warning", f"{text}: the first are shown, ask for fewer steps"))
    why = "" if times else "the page has no such steps"
    hosts = [core.host for core in cores]
    yield
    steps = AskedSteps(times, aligned(times), names, hosts, tick_ps, question_windows, notes, why)
    if not times:
        return Answer([Fact("cores", "Cores", None, "count", why)], notes=notes)
    yield
    standing_out = stragglers(times, steps.part_rows)
    tables = [
        _stragglers_table(steps, standing_out),
        (yield from _cores_table(steps, standing_out, places)),
        _cells_table(steps, question.limit),
        (yield from saved_channels(parsed, cores, names, question.steps, tick_ps, question.limit)),
    ]
    tables = [
        replace(table, columns=[column for column in table.columns if column.id not in _OF_TIMELINE])
        for table in tables
    ]
    file_facts = yield from saved_facts(parsed, question.steps)
    straggler_notes = [Note(note.severity, note.text) for note in _notes(steps, standing_out)]
    return Answer(
        [*file_facts, *_facts(steps, standing_out)],
        [table for table in tables if len(table)],
        [_map(steps, question)],
        [*straggler_notes, *notes],
    )


def _facts(steps: AskedSteps, standing_out: Sequence[Straggler]) -> list[Fact]:
    enough = len(steps.times) >= LEAST
    hosts = f"{host_noun(steps.hosts)}s"
    is_recorded = any(map(_has_recorded, steps.times))
    why = "that take longer than usual for something" if enough else f"it takes {LEAST} cores or {hosts} to tell"
    why = why if is_recorded else NOT_RECORDED
    count = len({straggler.place for straggler in standing_out}) if enough and is_recorded else None
    rows_in_means = list(zip(steps.times, steps.part_rows, strict=True))
    bottlenecks = Counter(
        core_times.bottlenecks[row]
        for core_times, rows in rows_in_means
        for row in np.flatnonzero(rows & core_times.is_recorded).tolist()
    )
    greatest = bottlenecks.most_common(1)[0][0] if bottlenecks else None
    why_none = "of most steps" if is_recorded else NOT_RECORDED
    facts = [
        Fact("cores", "Cores" if steps.of_tpus else "Processes that mark steps", len(steps.times), "count"),
        Fact("hosts", hosts.capitalize(), len(set(steps.hosts)), "count"),
        Fact("steps", "Steps", len(steps.aligned), "count"),
        Fact("stragglers", "Stragglers", count, "count", why),
        Fact("bottleneck", "Bottleneck", None if greatest is None else CLASS_TITLES[greatest], "text", why_none),
    ]
    if steps.of_tpus:
        facts += _reduce_facts(steps)
    return facts


def _has_recorded(core_times: StepTimes) -> bool:
    return bool(core_times.is_recorded.any())


def _reduce_facts(steps: AskedSteps) -> list[Fact]:
    """Shares of all-reduces in the steps that enter means."""

    def taken(*parts: StepPart) -> int:
        return sum(
            int(core_times.sum_of(parts)[rows].sum())
            for core_times, rows in zip(steps.times, steps.mean_rows, strict=True)
        )

    whole = sum(
        int(core_times.duration[rows].sum()) for core_times, rows in zip(steps.times, steps.mean_rows, strict=True)
    )
    split, unsplit = (StepPart.ALL_REDUCE_COMPUTE, StepPart.ALL_REDUCE_SYNC), StepPart.ALL_REDUCE_UNSPLIT
    has_parts = any(part in core_times.parts for core_times in steps.times for part in split)
    is_told = has_parts and whole > 0 and (taken(*split) > 0 or not taken(unsplit))
    why = "of the time of their steps" if is_told else steps.why_unsplit if whole else "these steps take no time"
    facts = [
        Fact(part.value, _of_all(part), taken(part) / whole if is_told else None, "fraction", why) for part in split
    ]
    if whole and taken(unsplit):
        share = taken(unsplit) / whole
        facts.append(Fact(unsplit.value, _of_all(unsplit), share, "fraction", steps.why_unsplit))
    return facts


def _of_all(part: StepPart) -> str:
    """The title of a share in the steps of all cores; in other tools it is that of a core."""
    return f"{PART_TITLES[part]}, all cores"


def _cores_table(
    steps: AskedSteps, standing_out: Sequence[Straggler], places: Sequence[CorePlace | None]
) -> Interruptible[Table]:
    """Each core with the means of its steps."""
    times = steps.times
    causes: dict[int, list[str]] = {}
    for straggler in standing_out:
        causes.setdefault(straggler.place, []).append(CLASS_TITLES[straggler.cause])
    straggles = [", ".join(causes.get(place, [])) or None for place in range(len(times))]

    def means(columns: Sequence[Ints], masks: Sequence[NDArray[np.bool_]] = steps.part_rows) -> list[Value]:
        counted = [ps[rows] for ps, rows in zip(columns, masks, strict=True)]
        return [nearest_mean(int(ps.sum()), len(ps) * steps.tick_ps) if len(ps) else None for ps in counted]

    has_recorded = [_has_recorded(core_times) for core_times in times]
    durations = means([core_times.duration for core_times in times], steps.mean_rows)
    of_classes: dict[StepClass, list[Value]] = {}
    for step_class in StepClass:
        yield
        row = means([core_times.classes[step_class] for core_times in times])
        if step_class is not StepClass.NOT_RECORDED:
            row = [mean if mean or has_parts else None for mean, has_parts in zip(row, has_recorded, strict=True)]
        of_classes[step_class] = row
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
        *(
            Column(step_class.value, CLASS_TITLES[step_class], "ticks", of_classes[step_class], total="none")
            for step_class in StepClass
        ),
        *(
            Column(f"{_TPU}{part.value}", PART_TITLES[part], "ticks", of_parts[part], total="none")
            for part in TPU_PARTS
        ),
        Column(
            KEEPS_WAITING,
            _KEEPS_WAITING_TITLE,
            "ticks",
            means(keeps_waiting(steps)) if all(has_recorded) else [None] * len(times),
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


def _stragglers_table(steps: AskedSteps, standing_out: Sequence[Straggler]) -> Table:
    rows = [(straggler, steps.times[straggler.place]) for straggler in standing_out]
    extra = [straggler.extra_ps // steps.tick_ps for straggler in standing_out]
    columns = [
        Column("core", "Core", "name", [steps.names[straggler.place] for straggler, _ in rows]),
        Column("cause", "Takes longer for", "text", [CLASS_TITLES[straggler.cause] for straggler, _ in rows]),
        Column("extra", "Longer by, a step", "ticks", extra, total="none"),
        Column("share", "Of its time", "fraction", [straggler.share for straggler, _ in rows], total="none"),
        Column("median", "Usual", "fraction", [straggler.median for straggler, _ in rows], total="none"),
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


def _cells_table(steps: AskedSteps, limit: int) -> Table:
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
                f"{_TPU}{step_part.value}",
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


def _map(steps: AskedSteps, question: PodQuestion) -> Series:
    """Steps by cores: how long they are, or the share of a class."""
    rows = steps.aligned.rows[: question.limit]
    waited = keeps_waiting(steps)
    is_told = [
        core_times.is_recorded | (question.colour == StepClass.NOT_RECORDED.value)
        for core_times in steps.times[:_MOST_DRAWN]
    ]
    columns = []
    for core, core_times in enumerate(steps.times[:_MOST_DRAWN]):
        core_rows = rows[:, core].tolist()
        if question.colour == "duration":
            values: list[Value] = [
                None if row < 0 else int(core_times.duration[row]) // steps.tick_ps for row in core_rows
            ]
            columns.append(Column(f"core_{core}", steps.names[core], "ticks", values))
            continue
        taken = waited[core] if question.colour == KEEPS_WAITING else _taken(core_times, question.colour)
        shares: list[Value] = [
            None
            if row < 0 or taken is None or not core_times.duration[row] or not is_told[core][row]
            else float(taken[row]) / float(core_times.duration[row])
            for row in core_rows
        ]
        columns.append(Column(f"core_{core}", steps.names[core], "fraction", shares))
    x = Column("step", "Step", "count", steps.aligned.number[: question.limit])
    return Series("map", f"{_title(question.colour)}, by core and step", "heat", x, columns)


def _taken(core_times: StepTimes, colour: str) -> Ints | None:
    """Times of a core's steps for a class, or for a category of TPUs; None: it has no categories."""
    if colour.startswith(_TPU):
        return core_times.parts.get(StepPart(colour.removeprefix(_TPU)))
    return core_times.classes[StepClass(colour)]


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


def _title(colour: str) -> str:
    if colour == KEEPS_WAITING:
        return _KEEPS_WAITING_TITLE
    if colour == "duration":
        return "How long steps are"
    if colour.startswith(_TPU):
        return PART_TITLES[StepPart(colour.removeprefix(_TPU))]
    return CLASS_TITLES[StepClass(colour)]


def _notes(steps: AskedSteps, standing_out: Sequence[Straggler]) -> list[Note]:
    """The answer in words."""
    if not standing_out:
        return []
    notes = []
    for cause in dict.fromkeys(straggler.cause for straggler in standing_out):
        same_cause = [straggler for straggler in standing_out if straggler.cause is cause]
        worst = same_cause[0]
        more = f", and {len(same_cause) - 1:,} more as well" if len(same_cause) > 1 else ""
        text = (
            f"{steps.names[worst.place]} takes longer than others for {CLASS_TITLES[cause].lower()}{more}: "
            f"{percent_text(worst.share)} of its steps, where {percent_text(worst.median)} are usual."
        )
        core_times, row = steps.times[worst.place], worst.worst
        track = int(core_times.track[row])
        start, stop = int(core_times.start[row]), int(core_times.stop[row])
        notes.append(Note("warning", text, start, stop, track if track >= 0 else None))
    return notes


def _place_notes(places: Sequence[CorePlace | None]) -> list[Note]:
    if not any(place is not None and place.x is not None for place in places):
        return []
    text = "the trace numbers chips, and does not record where they are: X and Y lay them out by number, row by row"
    return [Note("info", text)]


def _availability(scope: Scope) -> str:
    reader = scope.reader
    if reader.steps.series or saved_page(reader, PAGE) is not None:
        return ""
    return "" if finish(devices_of(reader)) else NO_STEPS  # slices of devices can be named as steps


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The bound of most steps, where no finding says what costs the time."""
    figures = Figures(answer, tick_ps)
    if not figures.count("steps"):
        return next((fact.note for fact in answer.facts if fact.id == "cores"), "")
    bound = figures.text("bottleneck")
    of_cores = f"{plural(figures.count('steps'), 'step', 'steps')} of {figures.text('cores')}"
    return f"{of_cores} cores or hosts are compared" + (f"; most steps are bound by {bound.lower()}" if bound else "")


TOOL: Final = Tool(
    id="pod",
    title="Pod",
    help="what each core of a pod, or each host, does in each step, and which of them keep the others waiting",
    group="waiting",
    question=PodQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
