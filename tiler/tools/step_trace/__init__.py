"""Step traces: what the steps of Ascend devices are made of, on average or one of them, and over all steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.ascend.file_faults import STEP_TRACES, with_faults
from tilescope.tiler.facts.ascend.shaped_runs import network_has_dynamic_shapes
from tilescope.tiler.facts.ascend.step_points import can_be_pointed, pointed_traces
from tilescope.tiler.facts.step_traces import StepTrace, has_step_traces, step_traces
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.host_nouns import host_noun
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_doubt_notes import step_doubt_notes
from tilescope.tiler.tools.step_trace.parts import Means, mean_parts, parts_table
from tilescope.tiler.tools.step_trace.points import Points, guess_notes, operators_table
from tilescope.tiler.tools.step_trace.step_rows import TracedSteps
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

MAX_ROWS: Final = 65_536
LONG_INTERVAL_PS: Final = 500_000_000  # half a millisecond: data preparation is worth a look

SEE_INPUT: Final = "more than 0.5 ms each: look at its stages (see input_pipeline)"

NO_REDUCES: Final = "cannot be told from the rest of the tail: no step has an all-reduce that ends in it"

NO_MARKS: Final = (
    "no step of the run has marks of forward and backward: MindSpore's profiler and msprof write them for a "
    "network that runs as one graph, and not in PyNative mode, for heterogeneous training or for several graphs"
)


DYNAMIC_SHAPES: Final = (
    "no step of the run has marks of forward and backward: its network has dynamic shapes, of which MindSpore's "
    "profiler records no step trace; see Dynamic shapes for its operators step by step"
)


Operator = Annotated[str, Meta(min_length=1, max_length=1024)]


class StepTraceQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Steps that lie in a span at least in part, on the devices of some tracks: one step, or the mean of several."""

    forward_start: Annotated[
        Operator | None,
        Meta(
            description="The operator with which forward starts, in full or what is behind the last `/`; as it is "
            "marked unless given."
        ),
    ] = None
    backward_end: Annotated[
        Operator | None, Meta(description="The operator with which backward ends; as it is marked unless given.")
    ] = None


def _answer(scope: Scope, question: StepTraceQuestion) -> Interruptible[Answer]:
    steps = yield from scope.steps(question.step_name)
    wanted = None if question.tracks is None else frozenset(scope.leaves(question.tracks))
    series = [rows for rows in steps.series if wanted is None or wanted & set(rows.tracks)]
    points = yield from Points.from_run(scope.reader, question.forward_start, question.backward_end)
    marked = yield from step_traces(scope.reader, series)
    pointed = yield from pointed_traces(scope.reader, steps, series, marked, points.by_question, points.by_file)
    traces = pointed.traces
    why_none = ""
    if not traces:
        why_none = (_availability(scope) if wanted is None else "") or "no step of these tracks has such marks"
    span = scope.span(question)
    chosen = [TracedSteps.from_trace(number, trace, question.steps, span) for number, trace in enumerate(traces)]
    traced = TracedSteps.join(chosen)
    yield
    means = mean_parts(traces, chosen)
    tables = [parts_table(means), _steps_table(steps, traces, traced)]
    operators = yield from operators_table(scope.reader, steps, traces, traced)
    tables += [] if operators is None else [operators]
    notes = [
        *([Note("warning", why_none)] if why_none else ()),
        *guess_notes(pointed),
        *(yield from step_doubt_notes(scope.reader)),
        *_notes(scope.reader.tick_ps, means, traced.mean_wait, chosen),
    ]
    if len(traced) > MAX_ROWS:
        notes.append(Note("info", "not all steps are listed: ask for those you want with steps"))
    devices = steps.device_count([traces[number].series for number in np.unique(traced.trace).tolist()])
    facts = [*_facts(means, traced, devices), *points.facts()]
    return Answer(facts, tables, _charts(traced), notes)


def _facts(means: Means, traced: TracedSteps, devices: int) -> list[Fact]:
    whole = means.step
    kind = "of one step" if means.count == 1 else f"mean of {plural(means.count, 'step', 'steps')}"
    if (traced.is_cut & ~traced.in_mean).any():
        kind += ", without the first recorded"
    parts = (
        ("interval", "Interval", means.interval, "from the start of a step to that of forward: waiting for data"),
        ("forward_backward", "Forward and backward", means.forward_backward, "computing the gradients"),
        ("tail", "Tail", means.tail, "after backward: the rest of the all-reduces, and the update of parameters"),
        ("update", "Update of parameters", means.update, "in the tail, after the last all-reduce"),
    )
    facts = [
        Fact(
            "count", "Steps", len(traced), "count", "" if devices < 2 else f"of {devices:,} devices, each with its own"
        ),
        Fact("step", "Step", whole, "ticks", kind if means.count else "no step has marks"),
    ]
    for part, label, ticks, note in parts:
        if part == "update" and ticks is None:
            note = NO_REDUCES
        share = "" if not whole or ticks is None else f"{percent_text(ticks / whole)} of the step: "
        facts.append(Fact(part, label, ticks, "ticks", share + note))
    if traced.mean_wait is not None:
        between = "from the end of a step to the start of forward in the next: mean of those with a wait recorded"
        facts.append(Fact("wait", "Waits for data", traced.mean_wait, "ticks", between))
    facts.append(Fact("reduces", "Reduces", means.reduces, "count", "of a step, on streams of their own"))
    return facts


def _notes(tick_ps: int, means: Means, wait: int | None, chosen: Sequence[TracedSteps]) -> list[Note]:
    notes = []
    unmarked = sum(int(np.count_nonzero(~rows.is_marked)) for rows in chosen)
    if unmarked:
        words = plural(unmarked, "step has", "steps have")
        notes.append(Note("warning", f"{words} no forward and backward that lie in it: not in the means"))
    if (means.interval or 0) * tick_ps > LONG_INTERVAL_PS:
        notes.append(Note("warning", f"steps wait for data before forward begins, {SEE_INPUT}"))
    elif (wait or 0) * tick_ps > LONG_INTERVAL_PS:
        notes.append(Note("warning", f"between steps the devices wait for data, {SEE_INPUT}"))
    if means.step and means.forward_backward is not None and means.tail is not None:
        if 2 * means.tail > means.step:
            text = "more than half of a step is tail: look at how much of its all-reduces computing hides (see overlap)"
            notes.append(Note("info", text))
        elif 2 * means.forward_backward > means.step:
            text = "more than half of a step is forward and backward: look at operators (see operators) or the timeline"
            notes.append(Note("info", text))
    return notes


def _steps_table(steps: RunSteps, traces: Sequence[StepTrace], traced: TracedSteps) -> Table:
    rows = traced.in_order().first(MAX_ROWS)
    devices = [steps.process_name(traces[number].series) for number in rows.trace.tolist()]
    hosts = [steps.host_name(traces[number].series) for number in rows.trace.tolist()]
    masked = ~rows.is_marked
    places = zip(rows.track.tolist(), rows.ordinal.tolist(), strict=True)
    columns = [
        Column("step", "Step", "count", rows.number),
        Column("device", "Device", "name", devices),
        Column("host", host_noun(hosts).capitalize(), "name", hosts),
        Column("start", "Start", "time", rows.start),
        Column("end", "End", "time", rows.stop),
        Column("duration", "Duration", "ticks", rows.stop - rows.start),
        Column("interval", "Interval", "ticks", np.ma.MaskedArray(rows.forward - rows.start, masked)),
        Column(
            "forward_backward", "Forward and backward", "ticks", np.ma.MaskedArray(rows.backward - rows.forward, masked)
        ),
        Column("tail", "Tail", "ticks", np.ma.MaskedArray(rows.stop - rows.backward, masked)),
        Column("update", "Update", "ticks", np.ma.MaskedArray(rows.stop - rows.update, rows.update < 0)),
        Column("wait", "Waits for data", "ticks", np.ma.MaskedArray(rows.wait, rows.wait < 0)),
        Column("reduce", "Reduces", "ticks", rows.reduce),
        Column("event", "Event", "event", [f"{track}.{ordinal}" for track, ordinal in places]),
    ]
    return Table("steps", "Steps", columns)


def _charts(traced: TracedSteps) -> list[Series]:
    """The parts of each step, of devices together their means."""
    rows = traced.take(traced.is_marked).in_order()
    numbers, first, counts = np.unique(rows.number, return_index=True, return_counts=True)
    if not len(numbers):
        return []
    parts = (
        ("interval", "Interval", rows.forward - rows.start),
        ("forward_backward", "Forward and backward", rows.backward - rows.forward),
        ("tail", "Tail", rows.stop - rows.backward),
    )
    ys = [Column(part, title, "ticks", _means_of(ticks, first, counts)) for part, title, ticks in parts]
    title = "What steps are made of" if counts.max() == 1 else "What steps are made of, mean of the devices"
    return [Series("parts", title, "area", Column("step", "Step", "count", numbers), ys)]


def _means_of(ticks: Ints, first: Ints, counts: Ints) -> list[int]:
    """The means of groups of rows, which begin at `first`. Sums may be beyond 64 bits."""
    sums = np.add.reduceat(ticks.astype(np.object_), first).tolist()
    return [nearest_mean(total, count) for total, count in zip(sums, counts.tolist(), strict=True)]


def _can_be_guessed(scope: Scope) -> bool:
    steps, devices = scope.reader.steps, finish(devices_of(scope.reader))
    return any(can_be_pointed(steps, series, devices) for series in steps.series)


def _availability(scope: Scope) -> str:
    if has_step_traces(scope.reader) or _can_be_guessed(scope):
        return ""
    reason = DYNAMIC_SHAPES if network_has_dynamic_shapes(scope.reader) else NO_MARKS
    return with_faults(scope.reader, reason, STEP_TRACES)


def _digest_fields(scope: Scope) -> Interruptible[Mapping[str, object] | None]:
    """Steps whose parts are marked: guesses stand on the page alone, with the note that they are."""
    yield
    return {} if has_step_traces(scope.reader) else None


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.text("step"):
        return "No step in this range has marks of forward and backward"
    parts = f"{figures.text('interval')} before forward, {figures.text('forward_backward')} forward and backward"
    waits = f"; between steps devices wait for data, {figures.text('wait')} on average" if figures.count("wait") else ""
    devices = answer.fact("count").note.partition(",")[0]
    mean = f", mean {devices}" if devices and figures.count("count") != 1 else ""
    return f"A step takes {figures.text('step')}{mean}: {parts}, {figures.text('tail')} after backward{waits}"


TOOL: Final = Tool(
    id="step_trace",
    title="Step trace",
    help="forward, backward, tail and reduces of the steps of Ascend devices",
    group="time",
    question=StepTraceQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        parts={"step": ("interval", "forward_backward", "tail")},
        lists={"steps": "count"},
    ),
    digest=Digest(
        "Mean step of all devices", "parts", ("row", "part", "start", "duration", "share", "count"), _digest_fields
    ),
)
