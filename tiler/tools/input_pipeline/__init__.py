"""Time that a program waits for its input, and the work on the host that takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.errors import StoredLast
from tilescope.tiler.facts.ascend.data_preparation import data_preparations, has_data_preparation
from tilescope.tiler.facts.ascend.file_faults import DATA_PREPARATION, with_faults
from tilescope.tiler.facts.findings import LEAST_SHARE, Cause, Finding, RunFindings
from tilescope.tiler.facts.host_operations import host_threads
from tilescope.tiler.facts.imports import saved_page
from tilescope.tiler.facts.step_times import StepPart
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import Severity
from tilescope.tiler.tools.answer import Answer, Fact, Note, Table
from tilescope.tiler.tools.contract import Contract, Same
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.findings import finding_note, operator_limits, question_findings
from tilescope.tiler.tools.input_pipeline.data_side import DataSide, data_side
from tilescope.tiler.tools.input_pipeline.data_waits import DataWaits, data_waits
from tilescope.tiler.tools.input_pipeline.device_tables import NOT_RECORDED, Measured, host_steps, tpu_steps_of
from tilescope.tiler.tools.input_pipeline.host_side import HostSide, host_side
from tilescope.tiler.tools.input_pipeline.host_tables import (
    advice,
    categories_chart,
    categories_table,
    category_times,
    operations_table,
)
from tilescope.tiler.tools.input_pipeline.levels import INPUT, NOT_BOUND, Verdict, verdict
from tilescope.tiler.tools.input_pipeline.saved import PAGE, saved_answer
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_choice import step_choice
from tilescope.tiler.tools.step_times import PROCESSES, AskedSteps, asked_steps
from tilescope.tiler.tools.steps.durations import spread
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 65_536
DEFAULT_LISTED: Final = 1000

# What the host does while devices have nothing to do.
_HOST_CAUSES: Final = frozenset(
    {Cause.LAUNCH, Cause.SYNC, Cause.RECOMPILATION, Cause.HOST_PAUSE, Cause.ALLOCATOR, Cause.OUTPUT}
)

NOTHING_KNOWN: Final = (
    "the trace has neither steps nor threads of hosts: mark steps (jax.profiler.StepTraceAnnotation, Keras, step of "
    "torch.profiler), and record with the host's tracer on"
)


class InputPipelineQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Steps of some devices and hosts, in a span or by their numbers."""

    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most steps, and operations, that are listed.")] = (
        DEFAULT_LISTED
    )
    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="The rank whose queues and pipeline of data are shown; else the one with most steps in doubt."
        ),
    ] = None


def _answer(scope: Scope, question: InputPipelineQuestion) -> Interruptible[Answer]:
    page = None if _is_recorded(scope) else saved_page(scope.reader, PAGE)
    if page is not None:
        return (yield from saved_answer(scope.reader, question, page))
    steps = yield from asked_steps(scope, question)
    measured = None
    if steps.times:
        measured = tpu_steps_of(steps, question.limit) if steps.of_tpus else host_steps(steps, question.limit)
    yield
    tracks = frozenset(scope.leaves(question.tracks))
    side = yield from host_side(scope.reader, tracks, steps.question_windows.on_track, _copied(steps))
    findings = yield from question_findings(scope, question)
    share = None if measured is None else measured.input_share
    judgement = None if share is None else _verdict(findings, share)
    data = yield from _data(scope, question)
    waits = yield from data_waits(scope, question)
    is_worse = waits is not None and _is_worse(waits, findings)
    # Queues tell what no step does; where steps wait, these say it, and the verdict with them.
    is_of_queues = judgement is None and bool(data.notes) and (waits is None or waits.share < LEAST_SHARE)
    is_in_doubt = is_of_queues and data.notes[0].severity == "warning"
    is_by_waits = waits is not None and not is_in_doubt and (is_worse or judgement is None)
    if waits is not None and is_by_waits:
        judgement = replace(verdict(waits.share), text=waits.sentence(scope.reader.tick_ps))
    why = steps.why or NOT_RECORDED
    tables = [*(measured.tables if measured else ()), *_host_tables(side, question.limit)]
    notes = [*steps.notes, *(measured.notes if measured else ()), *advice(side)]
    notes += yield from operator_limits(scope, question)
    choice = yield from step_choice(scope, question)
    tables += choice.tables
    notes = [*choice.notes, *notes]
    if is_of_queues:
        headline, *data_notes = data.notes
    else:
        leading = None if is_by_waits else _leading(findings)
        headline, data_notes = _headline(judgement, findings, side, why, leading), list(data.notes)
    why_none = why if judgement is None else ""
    facts = [
        Fact("verdict", "Verdict", None if judgement is None else judgement.word, "text", why_none),
        Fact("where", "Where to look", None if judgement is None else judgement.where, "text", why_none),
        *_step_facts(steps, measured),
        *(() if waits is None else waits.facts()),
        *_host_facts(side),
        *data.facts,
    ]
    series = [
        *(measured.series if measured else ()),
        *([categories_chart(category_times(side))] if side.operations else []),
        *data.series,
    ]
    return Answer(facts, [*tables, *data.tables], series, [*notes, *data_notes], headline=headline)


def _data(scope: Scope, question: InputPipelineQuestion) -> Interruptible[DataSide]:
    """The preparation of data; nothing of it while the run is indexed: its tables are stored last."""
    try:
        return (yield from data_side(scope.reader, question.rank))
    except StoredLast:
        return DataSide()


def _is_worse(waits: DataWaits, findings: RunFindings) -> bool:
    """True for waits that are worth a word, where no finding is of input: these are within steps alone."""
    leading = _leading(findings)
    return waits.share >= LEAST_SHARE and (leading is None or leading.cause is not Cause.INPUT)


def _headline(
    judgement: Verdict | None, findings: RunFindings, side: HostSide, why: str, leading: Finding | None
) -> Note:
    """The verdict, with the place of the finding that it is from; None where it is from none."""
    text = _without_steps(findings, side, why) if judgement is None else judgement.text
    severity: Severity = "info" if judgement is None or judgement.word == NOT_BOUND else "warning"
    return Note(severity, text) if leading is None else replace(finding_note(leading, text), severity=severity)


def _leading(findings: RunFindings) -> Finding | None:
    """The finding of input, or else the first of all."""
    return next((row for row in findings.rows if row.cause is Cause.INPUT), next(iter(findings.rows), None))


def _verdict(findings: RunFindings, input_share: float) -> Verdict:
    """Verdict of the findings, where there are any: what is said of input is said of it alone."""
    leading = _leading(findings)
    if leading is not None and leading.cause is Cause.INPUT:
        return replace(verdict(max(leading.share, INPUT.moderate)), text=leading.sentence)
    judgement = verdict(input_share)
    sentence = f"The program is {judgement.word}: {judgement.text}"
    if leading is None or leading.cause is Cause.HOST_ONLY:
        return replace(judgement, text=sentence)
    where = "host" if leading.cause in _HOST_CAUSES else "device"
    text = f"Waiting for input costs less than 3 % of a step. {leading.sentence}"
    return replace(verdict(0.0), where=where, text=text)


def _without_steps(findings: RunFindings, side: HostSide, why: str) -> str:
    """Sentence on what has no steps: the findings say whether its devices wait for input, or what costs more.

    `why`: there are none. Where no device works, as the findings have no step, nothing is said of its waiting.
    """
    leading = _leading(findings)
    if leading is not None and leading.cause is Cause.INPUT:
        return leading.sentence
    sentence = "" if leading is None else f" {leading.sentence}"
    why = f"{why[0].upper()}{why[1:]}".partition(":")[0]  # without what to do: the choice of steps says it
    if not side.operations:
        return f"{why}, and no work on input was recorded.{sentence}"
    if not findings.step:
        return f"{why}: whether anything waits for input was not recorded.{sentence}"
    return f"Waiting for input costs less than 3 % of the time.{sentence}"


def _copied(steps: AskedSteps) -> Fraction:
    """The share of the step time that is copying to devices."""
    copied = steps.recorded_ps([StepPart.HOST_TO_DEVICE])
    rows = zip(steps.times, steps.recorded_rows, strict=True)
    whole = sum(int(core_times.duration[recorded].sum()) for core_times, recorded in rows)
    return Fraction(copied, whole) if whole else Fraction(0)


def _step_facts(steps: AskedSteps, measured: Measured | None) -> list[Fact]:
    if measured is None:
        return [
            Fact("input_share", "Waits for input", None, "fraction", steps.why),
            Fact("mean", "Mean step", None, "ticks", steps.why),
        ]
    durations = spread(steps.ticks(measured.durations), measured.in_means)
    single = "needs two steps"
    return [
        Fact("input_share", measured.input_label, measured.input_share, "fraction", measured.input_note),
        Fact("steps", "Steps", len(measured.durations), "count"),
        Fact("cores", "Devices" if steps.of_tpus else PROCESSES, len(steps.times), "count"),
        Fact("mean", steps.duration_title("Mean step"), durations.mean, "ticks", measured.step_note),
        Fact(
            "deviation",
            steps.duration_title("Deviation"),
            durations.deviation,
            "ticks",
            "standard deviation" if durations.deviation is not None else single,
        ),
        Fact("min", steps.duration_title("Shortest"), durations.least, "ticks"),
        Fact("max", steps.duration_title("Longest"), durations.greatest, "ticks"),
        *measured.facts,
    ]


def _host_facts(side: HostSide) -> list[Fact]:
    why = "" if side.operations else "the host recorded no operations of an input pipeline, such as those of tf.data"
    return [Fact("host_input", "Input work of hosts", side.own if side.operations else None, "ticks", why)]


def _host_tables(side: HostSide, limit: int) -> Sequence[Table]:
    return [categories_table(category_times(side)), operations_table(side, limit)] if side.operations else []


def _availability(scope: Scope) -> str:
    if _is_recorded(scope) or saved_page(scope.reader, PAGE) is not None or has_data_preparation(scope.reader):
        return ""
    return with_faults(scope.reader, NOTHING_KNOWN, DATA_PREPARATION)


def _is_recorded(scope: Scope) -> bool:
    return bool(scope.reader.steps.series) or bool(host_threads(scope.reader))


def _digest_fields(scope: Scope) -> Interruptible[Mapping[str, object] | None]:
    """Stages that are judged: where none has a queue, there is nothing to say of them."""
    if not has_data_preparation(scope.reader):
        return None
    preparations = yield from data_preparations(scope.reader)
    return {} if any(preparation.has_queues for preparation in preparations) else None


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The share of waits for input, where a saved page has no verdict."""
    figures = Figures(answer, tick_ps)
    if not figures.text("input_share"):
        return "What steps wait for was not recorded"
    step = f" of {figures.text('mean')}" if figures.text("mean") else ""
    return f"Steps{step} wait {figures.text('input_share')} of their time for input"


TOOL: Final = Tool(
    id="input_pipeline",
    title="Input pipeline",
    help="whether the program waits for its input, and for which part of it",
    group="waiting",
    question=InputPipelineQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(same=(Same("steps", "pod", "steps"), Same("cores", "pod", "cores"))),
    digest=Digest(
        "Stages of data preparation", "data_stages", ("stage", "rank", "verdict", "in_doubt", "steps"), _digest_fields
    ),
)
