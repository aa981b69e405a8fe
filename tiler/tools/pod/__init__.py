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
from tilescope.tiler.facts.step_times import StepClass, StepPart, StepTimes, aligned
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Value
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
from tilescope.tiler.tools.pod.tables import (
    KEEPS_WAITING,
    KEEPS_WAITING_TITLE,
    TPU,
    cells_table,
    cores_table,
    has_recorded,
    keeps_waiting,
    stragglers_table,
    tells_waits,
)
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_choice import step_choice
from tilescope.tiler.tools.step_times import PROCESSES, AskedSteps, asked_steps, means_note
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

MAX_LISTED: Final = 65_536
DEFAULT_LISTED: Final = 2000

# Rows of a heat map: one is a few pixels high.
_MOST_DRAWN: Final = 256

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
        ]
        | None,
        Meta(
            description="What the map of steps and cores shows: how long others wait for a core, how long "
            "steps are, or the share of a class, or of a category of TPUs (tpu_…). Without it the first of these "
            "that was recorded."
        ),
    ] = None
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
    standing_out = stragglers(steps.times, steps.recorded_rows)
    yield
    choice = yield from step_choice(scope, question)
    if not steps.times:
        facts = [Fact("cores", "Cores", None, "count", steps.why)]
        return Answer(facts, choice.tables, notes=[*choice.notes, *steps.notes])
    places_by_group = core_places(scope.reader)
    places = [places_by_group.get(core_times.group) for core_times in steps.times]
    cores = yield from cores_table(steps, standing_out, places)
    tables = [stragglers_table(steps, standing_out), cores, cells_table(steps, question.limit), *choice.tables]
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
        text = "the file does not separate computing from waiting in all-reduces: both are in one part"
        notes.append(Note("info", text))
    if is_cut:
        text = f"the page has more than is compared: {MAX_CORES:,} cores, and {MAX_CELLS:,} steps of all cores"
        notes.append(Note("warning", f"{text}: only the first are shown; ask for fewer steps"))
    why = "" if times else "the page has no such steps"
    hosts = [core.host for core in cores]
    yield
    steps = AskedSteps(times, aligned(times), names, hosts, tick_ps, question_windows, notes, why)
    if not times:
        return Answer([Fact("cores", "Cores", None, "count", why)], notes=notes)
    yield
    standing_out = stragglers(times, steps.recorded_rows)
    tables = [
        stragglers_table(steps, standing_out),
        (yield from cores_table(steps, standing_out, places)),
        cells_table(steps, question.limit),
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
    recorded = sum(map(has_recorded, steps.times))
    enough, is_recorded = recorded >= LEAST, recorded > 0
    hosts = f"{host_noun(steps.hosts)}s"
    why = "with a part that takes longer than usual" if enough else f"needs {LEAST} cores or {hosts}"
    why = why if is_recorded else NOT_RECORDED
    count = len({straggler.place for straggler in standing_out}) if enough and is_recorded else None
    bottlenecks = Counter(
        core_times.bottlenecks[row]
        for core_times, rows in zip(steps.times, steps.recorded_rows, strict=True)
        for row in np.flatnonzero(rows).tolist()
    )
    greatest = bottlenecks.most_common(1)[0][0] if bottlenecks else None
    why_none = "of more steps than any other" if is_recorded else NOT_RECORDED
    facts = [
        Fact("cores", "Cores" if steps.of_tpus else PROCESSES, len(steps.times), "count"),
        Fact("hosts", hosts.capitalize(), len(set(steps.hosts)), "count"),
        Fact("steps", "Steps", len(steps.aligned), "count"),
        Fact("stragglers", "Stragglers", count, "count", why),
        Fact("bottleneck", "Bottleneck", None if greatest is None else CLASS_TITLES[greatest], "text", why_none),
    ]
    if steps.of_tpus:
        facts += _reduce_facts(steps)
    return facts


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


def _map(steps: AskedSteps, question: PodQuestion) -> Series:
    """Steps by cores: how long they are, or the share of a class."""
    colour = question.colour or (KEEPS_WAITING if tells_waits(steps) else "duration")
    rows = steps.aligned.rows[: question.limit]
    waited = keeps_waiting(steps)
    is_told = [
        core_times.is_recorded | (colour == StepClass.NOT_RECORDED.value) for core_times in steps.times[:_MOST_DRAWN]
    ]
    columns = []
    for core, core_times in enumerate(steps.times[:_MOST_DRAWN]):
        core_rows = rows[:, core].tolist()
        if colour == "duration":
            values: list[Value] = [
                None if row < 0 else int(core_times.duration[row]) // steps.tick_ps for row in core_rows
            ]
            columns.append(Column(f"core_{core}", steps.names[core], "ticks", values))
            continue
        taken = waited[core] if colour == KEEPS_WAITING else _taken(core_times, colour)
        shares: list[Value] = [
            None
            if row < 0 or taken is None or not core_times.duration[row] or not is_told[core][row]
            else float(taken[row]) / float(core_times.duration[row])
            for row in core_rows
        ]
        columns.append(Column(f"core_{core}", steps.names[core], "fraction", shares))
    x = Column("step", "Step", "count", steps.aligned.number[: question.limit])
    return Series("map", f"{_title(colour)}, by core and step", "heat", x, columns)


def _taken(core_times: StepTimes, colour: str) -> Ints | None:
    """Times of a core's steps for a class, or for a category of TPUs; None: it has no categories."""
    if colour.startswith(TPU):
        return core_times.parts.get(StepPart(colour.removeprefix(TPU)))
    return core_times.classes[StepClass(colour)]


def _title(colour: str) -> str:
    if colour == KEEPS_WAITING:
        return KEEPS_WAITING_TITLE
    if colour == "duration":
        return "Step time"
    if colour.startswith(TPU):
        return PART_TITLES[StepPart(colour.removeprefix(TPU))]
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
            f"{percent_text(worst.share)} of its step time, where {percent_text(worst.median)} is usual."
        )
        core_times, row = steps.times[worst.place], worst.worst
        track = int(core_times.track[row])
        start, stop = int(core_times.start[row]), int(core_times.stop[row])
        notes.append(Note("warning", text, start, stop, track if track >= 0 else None))
    return notes


def _place_notes(places: Sequence[CorePlace | None]) -> list[Note]:
    if not any(place is not None and place.x is not None for place in places):
        return []
    text = "the trace numbers chips but does not record where they are: X and Y lay them out by number, row by row"
    return [Note("info", text)]


def _availability(scope: Scope) -> str:
    reader = scope.reader
    if reader.steps.series or saved_page(reader, PAGE) is not None:
        return ""
    return "" if finish(devices_of(reader)) else NO_STEPS  # slices of devices can be named as steps


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The most frequent bound of steps, where no finding says what costs the time."""
    figures = Figures(answer, tick_ps)
    if not figures.count("steps"):
        return next((fact.note for fact in answer.facts if fact.id == "cores"), "")
    bound = figures.text("bottleneck")
    cores = plural(figures.count("cores"), "core or host", "cores or hosts")
    steps = f"{plural(figures.count('steps'), 'step', 'steps')} on {cores}"
    if bound:
        return f"{bound} bounds more of {steps} than anything else"
    row = figures.greatest("cells", "duration")
    if row is None:
        return f"What {cores} do in their steps was not recorded"
    step, core = figures.cell("cells", "step", row), figures.cell("cells", "core", row)
    longest = f"step {step} of {core}, {figures.cell('cells', 'duration', row)}"
    return f"The longest listed of {steps} is {longest}; what devices do in steps was not recorded on these tracks"


TOOL: Final = Tool(
    id="pod",
    title="Pod",
    help="cores and hosts in each step, and which keep the others waiting",
    group="waiting",
    question=PodQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
