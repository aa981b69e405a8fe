"""What each core of a pod, or each host, does in each step; and which of them keep the others waiting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.facts.core_places import CorePlace, core_places
from tilescope.tiler.facts.imports import SavedPage
from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass, StepPart, StepTimes, aligned
from tilescope.tiler.query import Steps
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.input_pipeline.device_tables import CLASS_TITLES, PART_TITLES
from tilescope.tiler.tools.input_pipeline.levels import percent
from tilescope.tiler.tools.pod.channels import channels_table
from tilescope.tiler.tools.pod.collectives import collectives_table
from tilescope.tiler.tools.pod.saved import (
    MAX_CELLS,
    MAX_CORES,
    saved_channels,
    saved_cores,
    saved_places,
    saved_pod,
    step_times_of_core,
)
from tilescope.tiler.tools.pod.stragglers import LEAST, Straggler, stragglers
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps, asked_steps
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

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
            "tpu_high_flops",
            "tpu_low_flops",
            "tpu_infeed",
            "tpu_sparse_infeed",
            "tpu_outfeed",
            "tpu_host_send",
            "tpu_host_recv",
            "tpu_all_reduce_compute",
            "tpu_all_reduce_sync",
            "tpu_collectives",
            "tpu_send",
            "tpu_recv",
            "tpu_megacore",
            "tpu_idle",
        ],
        Meta(
            description="What the map of steps and cores shows: how long steps are, or the share of a class, or of a "
            "category of TPUs (tpu_…)."
        ),
    ] = "device_collectives"
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


def _answer(scope: Scope, question: PodQuestion) -> Steps[Answer]:
    page = None if scope.reader.steps.series else saved_pod(scope.reader)
    if page is not None:
        return (yield from _of_saved(scope, question, page))
    asked = yield from asked_steps(scope, question)
    found = stragglers(asked.times)
    yield
    if not asked.times:
        return Answer([Fact("cores", "Cores", None, "count", asked.why)], notes=asked.notes)
    known = core_places(scope.reader)
    places = [known.get(of.group) for of in asked.times]
    cores = yield from _cores_table(asked, found, places)
    tables = [_stragglers_table(asked, found), cores, _cells_table(asked, question.limit)]
    if question.collectives:
        tables.append((yield from collectives_table(scope, asked, question.limit)))
    notes = [*_notes(asked, found), *_place_notes(places), *asked.notes]
    if question.channels:
        tables.append((yield from channels_table(scope, asked, places, question.limit, notes)))
    return Answer(_facts(asked, found), tables, [_map(asked, question)], notes)


def _of_saved(scope: Scope, question: PodQuestion, page: SavedPage) -> Steps[Answer]:
    """Of a page of the Cloud TPU profiler: it has figures of steps, and nothing that could be shown in a timeline."""
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
    names = [f"{of.host} · core {of.key}" if of.host else f"core {of.key}" for of in cores]
    looked = yield from scope.windows(PodQuestion())
    tick_ps = int(scope.manifest["tick_ps"])
    notes = [Note("info", f"these are the figures of {page.entry.label}: there is no trace to compare them with")]
    if any("crsDurationUs" in of.told for of in cores):
        notes.append(Note("info", "the file does not tell computing in all-reduces from waiting: all of it is compute"))
    if is_cut:
        text = f"the page has more than is compared: {MAX_CORES:,} cores, and {MAX_CELLS:,} of cores times steps"
        notes.append(Note("warning", f"{text}: the first are shown, ask for fewer steps"))
    why = "" if times else "the page has no such steps"
    hosts = [of.host for of in cores]
    yield
    asked = AskedSteps(times, aligned(times), names, hosts, tick_ps, looked, notes, why)
    if not times:
        return Answer([Fact("cores", "Cores", None, "count", why)], notes=notes)
    yield
    found = stragglers(times)
    tables = [
        _stragglers_table(asked, found),
        (yield from _cores_table(asked, found, places)),
        _cells_table(asked, question.limit),
        (yield from saved_channels(parsed, cores, names, question.steps, tick_ps, question.limit)),
    ]
    tables = [replace(of, columns=[one for one in of.columns if one.id not in _OF_TIMELINE]) for of in tables]
    said = [Note(note.severity, note.text) for note in _notes(asked, found)]
    return Answer(_facts(asked, found), [of for of in tables if len(of)], [_map(asked, question)], [*said, *notes])


def _facts(asked: AskedSteps, found: Sequence[Straggler]) -> list[Fact]:
    enough = len(asked.times) >= LEAST
    why = "that take longer than usual for something" if enough else f"it takes {LEAST} cores or hosts to tell"
    standing_out = len({one.of for one in found}) if enough else None
    bottlenecks = Counter(one for of in asked.times for one in of.bottlenecks)
    greatest = bottlenecks.most_common(1)[0][0] if bottlenecks else None
    facts = [
        Fact("cores", "Cores" if asked.of_tpus else "Hosts", len(asked.times), "count"),
        Fact("hosts", "Hosts", len(set(asked.hosts)), "count"),
        Fact("steps", "Steps", len(asked.aligned), "count"),
        Fact("stragglers", "Stragglers", standing_out, "count", why),
        Fact("bottleneck", "Bottleneck", None if greatest is None else CLASS_TITLES[greatest], "text", "of most steps"),
    ]
    if asked.of_tpus:
        whole = sum(int(of.duration.sum()) for of in asked.times)
        for part in (StepPart.ALL_REDUCE_COMPUTE, StepPart.ALL_REDUCE_SYNC):
            taken = sum(int(of.parts[part].sum()) for of in asked.times if part in of.parts)
            is_told = whole > 0 and any(part in of.parts for of in asked.times)
            why = "" if is_told else "the file does not tell it from computing"
            facts.append(Fact(part.value, PART_TITLES[part], taken / whole if is_told else None, "fraction", why))
    return facts


def _cores_table(asked: AskedSteps, found: Sequence[Straggler], places: Sequence[CorePlace | None]) -> Steps[Table]:
    """Each core with the means of its steps."""
    times = asked.times
    causes: dict[int, list[str]] = {}
    for one in found:
        causes.setdefault(one.of, []).append(CLASS_TITLES[one.cause])
    straggles = [", ".join(causes.get(place, [])) or None for place in range(len(times))]

    def means(columns: Sequence[Ints]) -> list[Value]:
        return [nearest_mean(int(ps.sum()), len(ps) * asked.tick_ps) for ps in columns]

    of_classes: dict[StepClass, list[Value]] = {}
    for one_class in StepClass:
        yield
        of_classes[one_class] = means([of.classes[one_class] for of in times])
    of_parts: dict[StepPart, list[Value]] = {}
    for part in TPU_PARTS:
        yield
        is_told = all(part in of.parts for of in times)
        of_parts[part] = means([of.parts[part] for of in times]) if is_told else [None] * len(times)

    columns = [
        Column("core", "Core", "name", list(asked.names)),
        Column("straggles", "Takes longer for", "text", straggles),
        Column("steps", "Steps", "count", [len(of) for of in times]),
        Column("duration", "Mean step", "ticks", means([of.duration for of in times]), total="none"),
        *(Column(one.value, CLASS_TITLES[one], "ticks", of_classes[one], total="none") for one in StepClass),
        *(Column(f"{_TPU}{one.value}", PART_TITLES[one], "ticks", of_parts[one], total="none") for one in TPU_PARTS),
        Column("host", "On host", "text", [host or None for host in asked.hosts]),
        Column("chip", "Chip", "id", [None if of is None else of.chip for of in places]),
        Column("core_number", "Core of chip", "id", [None if of is None else of.core for of in places]),
        Column("x", "X", "id", [None if of is None else of.x for of in places]),
        Column("y", "Y", "id", [None if of is None else of.y for of in places]),
        Column("start", "Start", "time", [int(of.start.min()) for of in times]),
        Column("end", "End", "time", [int(of.stop.max()) for of in times]),
        Column("track", "Track", "track", [int(of.track[0]) if of.track[0] >= 0 else None for of in times]),
    ]
    return Table("cores", "Cores, mean of their steps", columns)


def _stragglers_table(asked: AskedSteps, found: Sequence[Straggler]) -> Table:
    rows = [(one, asked.times[one.of]) for one in found]
    extra = [one.extra_ps // asked.tick_ps for one in found]
    columns = [
        Column("core", "Core", "name", [asked.names[one.of] for one, _ in rows]),
        Column("cause", "Takes longer for", "text", [CLASS_TITLES[one.cause] for one, _ in rows]),
        Column("extra", "Longer by, a step", "ticks", extra, total="none"),
        Column("share", "Of its time", "fraction", [one.share for one, _ in rows], total="none"),
        Column("median", "Usual", "fraction", [one.median for one, _ in rows], total="none"),
        Column("score", "Score", "number", [one.score for one, _ in rows], "modified z", total="none"),
        Column("step", "Worst step", "count", [int(of.number[one.worst]) for one, of in rows], total="none"),
        Column("event", "Event", "event", [asked.event(one.of, one.worst) for one, _ in rows]),
    ]
    return Table("stragglers", "Stragglers", columns)


def _cells_table(asked: AskedSteps, limit: int) -> Table:
    """Each step on each core."""
    step, place = np.nonzero(asked.aligned.rows[:limit] >= 0)
    step_of, core_of = step[:limit].tolist(), place[:limit].tolist()
    cells = list(zip(core_of, asked.aligned.rows[step_of, core_of].tolist(), strict=True))
    rows = [(asked.times[core], row) for core, row in cells]

    def part(of: StepTimes, one: StepPart, row: int) -> int | None:
        return int(of.parts[one][row]) // asked.tick_ps if one in of.parts else None

    columns = [
        Column("step", "Step", "count", [int(asked.aligned.number[k]) for k in step_of], total="none"),
        Column("core", "Core", "name", [asked.names[core] for core, _ in cells]),
        Column("duration", "Duration", "ticks", [int(of.duration[row]) // asked.tick_ps for of, row in rows]),
        Column("bottleneck", "Bottleneck", "text", [CLASS_TITLES[of.bottlenecks[row]] for of, row in rows]),
        *(
            Column(
                one.value, CLASS_TITLES[one], "ticks", [int(of.classes[one][row]) // asked.tick_ps for of, row in rows]
            )
            for one in StepClass
        ),
        *(
            Column(f"{_TPU}{one.value}", PART_TITLES[one], "ticks", [part(of, one, row) for of, row in rows])
            for one in TPU_PARTS
        ),
        Column("pass", "Pass", "count", [int(asked.aligned.pass_[k]) + 1 for k in step_of], total="none"),
        Column("start", "Start", "time", [int(of.start[row]) for of, row in rows]),
        Column("end", "End", "time", [int(of.stop[row]) for of, row in rows]),
        Column("event", "Event", "event", [asked.event(core, row) for core, row in cells]),
    ]
    return Table("cells", "Steps on cores", columns)


def _map(asked: AskedSteps, question: PodQuestion) -> Series:
    """Steps by cores: how long they are, or the share of a class."""
    rows = asked.aligned.rows[: question.limit]
    columns = []
    for core, of in enumerate(asked.times[:_MOST_DRAWN]):
        at = rows[:, core].tolist()
        if question.colour == "duration":
            values: list[Value] = [None if row < 0 else int(of.duration[row]) // asked.tick_ps for row in at]
            columns.append(Column(f"core_{core}", asked.names[core], "ticks", values))
            continue
        taken = _taken(of, question.colour)
        shares: list[Value] = [
            None if row < 0 or taken is None or not of.duration[row] else float(taken[row]) / float(of.duration[row])
            for row in at
        ]
        columns.append(Column(f"core_{core}", asked.names[core], "fraction", shares))
    x = Column("step", "Step", "count", asked.aligned.number[: question.limit])
    return Series("map", f"{_title(question.colour)}, by core and step", "heat", x, columns)


def _taken(of: StepTimes, colour: str) -> Ints | None:
    """How long the steps of a core take for a class, or for a category of TPUs; None: it has no categories."""
    if colour.startswith(_TPU):
        return of.parts.get(StepPart(colour.removeprefix(_TPU)))
    return of.classes[StepClass(colour)]


def _title(colour: str) -> str:
    if colour == "duration":
        return "How long steps are"
    if colour.startswith(_TPU):
        return PART_TITLES[StepPart(colour.removeprefix(_TPU))]
    return CLASS_TITLES[StepClass(colour)]


def _notes(asked: AskedSteps, found: Sequence[Straggler]) -> list[Note]:
    """The answer in words."""
    if not found:
        return []
    notes = []
    for cause in dict.fromkeys(one.cause for one in found):
        of = [one for one in found if one.cause is cause]
        worst = of[0]
        more = f", and {len(of) - 1:,} more as well" if len(of) > 1 else ""
        text = (
            f"{asked.names[worst.of]} takes longer than others for {CLASS_TITLES[cause].lower()}{more}: "
            f"{percent(worst.share)} of its steps, where {percent(worst.median)} are usual."
        )
        times, row = asked.times[worst.of], worst.worst
        track = int(times.track[row])
        notes.append(Note("warning", text, int(times.start[row]), int(times.stop[row]), track if track >= 0 else None))
    return notes


def _place_notes(places: Sequence[CorePlace | None]) -> list[Note]:
    if not any(of is not None and of.x is not None for of in places):
        return []
    text = "the trace numbers chips, and does not record where they are: X and Y lay them out by number, row by row"
    return [Note("info", text)]


def _availability(scope: Scope) -> str:
    is_there = scope.reader.steps.series or saved_pod(scope.reader) is not None
    return "" if is_there else NO_STEPS


TOOL: Final = Tool(
    id="pod",
    title="Pod",
    help="what each core of a pod, or each host, does in each step, and which of them keep the others waiting",
    group="devices",
    question=PodQuestion,
    answer=_answer,
    availability=_availability,
)
