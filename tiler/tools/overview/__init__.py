"""Overview of a run: its hosts and devices, how long steps take, how well it uses its devices, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.batch_size import BatchSizes, batch_sizes
from tilescope.tiler.facts.host_operations import framework_threads
from tilescope.tiler.facts.imports import saved_page
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.tools.answer import Answer, Note, Table
from tilescope.tiler.tools.contract import Contract, Same
from tilescope.tiler.tools.environment import (
    Environment,
    counter_facts,
    environment,
    environment_facts,
    host_table,
    loss_notes,
)
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.findings import (
    NOT_YET,
    finding_note,
    findings_notes,
    findings_table,
    operator_limits,
    question_findings,
)
from tilescope.tiler.tools.host_operations import asked_host
from tilescope.tiler.tools.input_pipeline.device_tables import Measured, host_steps, tpu_steps_of
from tilescope.tiler.tools.operations import asked_operations
from tilescope.tiler.tools.overview.advice import advice
from tilescope.tiler.tools.overview.capture_notes import capture_notes
from tilescope.tiler.tools.overview.digests import tool_digests
from tilescope.tiler.tools.overview.performance import device_facts, device_use, host_facts, in_order, step_facts
from tilescope.tiler.tools.overview.saved import PAGE, saved_answer
from tilescope.tiler.tools.overview.top import top_names, top_operations
from tilescope.tiler.tools.question import FigureQuestion, Tracks
from tilescope.tiler.tools.references import HostRef
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_choice import step_choice
from tilescope.tiler.tools.step_doubt_notes import step_doubt_notes
from tilescope.tiler.tools.step_times import AskedSteps, asked_steps
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.tools.work_notes import work_facts

MAX_LISTED: Final = 1000
DEFAULT_LISTED: Final = 10

NOTHING_KNOWN: Final = (
    "the trace has neither steps nor devices nor threads of hosts that are known: an XSpace or a trace of PyTorch or "
    "Ascend has; mark steps (jax.profiler.StepTraceAnnotation, step of torch.profiler)"
)

TABLES_ALONE: Final = (
    "the files are tables without a timeline: see Tables for their rows, and the other pages for figures"
)

# Steps of the chart: more than a screen has room for.
_CHART_STEPS: Final = 2000


class OverviewQuestion(FigureQuestion, frozen=True, kw_only=True):
    """A run in a span or in steps, on all hosts or on one."""

    host: Annotated[HostRef | None, Meta(description="One of the hosts; all unless given.")] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most operations that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: OverviewQuestion) -> Interruptible[Answer]:
    page = saved_page(scope.reader, PAGE)
    if page is not None and not _is_recorded(scope):
        return (yield from saved_answer(scope.reader, question, page))
    question = _on_host(scope, question)
    # That of GPUs is in `device_use`.
    device_operations = yield from asked_operations(scope, question, with_idle=False)
    steps = yield from asked_steps(scope, question)
    host = yield from asked_host(scope, question)
    tracks = frozenset(scope.leaves(question.tracks))
    run_environment = yield from environment(scope.reader, tracks)
    batch = yield from _batch(scope, question, tracks, steps)
    measured = _measured(steps)
    use = yield from device_use(scope, device_operations, run_environment, tracks, steps.question_windows)
    yield
    devices = [
        device for host_part in run_environment.hosts for device in host_part.devices if _done(scope, device.track_ids)
    ]
    findings = yield from question_findings(scope, question, run_environment, device_operations)
    tables = [findings_table(findings)] if findings.rows else []
    top: Table | None = (
        top_operations(device_operations, question.limit) if device_operations.table.operations else None
    )
    if top is None:
        top = yield from top_names(scope.reader, devices, steps.question_windows.on_track, question.limit)
    if top is not None:
        tables.append(top)
    if measured is not None:
        tables += [table for table in measured.tables if table.id == "parts"]
    if len(run_environment.hosts) > 1 and run_environment.devices:
        tables.append(host_table(run_environment))
    is_pytorch = bool((yield from frame_names(scope.reader, OPERATORS)).any())
    facts = [
        *environment_facts(run_environment, batch, has_steps=bool(steps.times), is_pytorch=is_pytorch),
        *step_facts(steps, measured),
        *device_facts(use, measured, run_environment.devices),
        *counter_facts(run_environment),
        *host_facts(host),
    ]
    facts += yield from work_facts(scope.reader, devices, steps.question_windows.on_track)
    choice = yield from step_choice(scope, question)
    tables += choice.tables
    digested = yield from tool_digests(scope, question)
    tables += digested.tables
    notes = [
        *choice.notes,
        *findings_notes(scope, findings),
        *(yield from operator_limits(scope, question)),
        *(yield from step_doubt_notes(scope.reader)),
        *loss_notes(run_environment),
        *([] if choice.notes else _no_steps(steps, run_environment)),
    ]
    if not findings.rows and not scope.reader.is_whole:
        notes.append(Note("info", NOT_YET))
    notes += yield from advice(scope, question, device_operations, steps, measured, run_environment, use)
    notes += [
        note
        for note in (*device_operations.notes, *steps.notes)
        if device_operations.table.cores or note in steps.notes
    ]
    leads = (warning.note for warning in digested.warnings if warning.leads)
    headline = finding_note(findings.rows[0]) if findings.rows else next(leads, None)
    # What several tools say is said once; where no event says what costs the time, tables of the run say it.
    own = {note.text for note in (*notes, *([] if headline is None else [headline]))}
    others = [warning.titled for warning in digested.warnings if warning.note.text not in own]
    notes = [*notes, *others] if findings.rows else [*others, *notes]
    notes += capture_notes(scope.reader)
    # Marks alone say how long steps are, which the facts and the step trace have, and nothing of what they are made of.
    charts = [] if measured is None or not steps.are_recorded else measured.series
    series = [chart for chart in charts if chart.id == "steps"]
    return Answer(in_order(facts), tables, series, notes, digested.is_complete, headline=headline)


def _on_host(scope: Scope, question: OverviewQuestion) -> OverviewQuestion:
    """The question about the tracks of a host, of those that were asked for."""
    if question.host is None:
        return question
    tracks = scope.tracks_of(question.host)
    if question.tracks is not None:
        question_tracks = set(scope.reader.tree.leaves(question.tracks))
        tracks = [track for track in scope.reader.tree.leaves(tracks) if track in question_tracks]
        if not tracks:
            scope.notes.append(Note("warning", f"none of these tracks is on host {question.host}"))
    return msgspec.structs.replace(question, tracks=Tracks(tracks))


def _batch(
    scope: Scope, question: OverviewQuestion, tracks: frozenset[int], steps: AskedSteps
) -> Interruptible[BatchSizes | None]:
    run_steps = scope.reader.steps if question.step_name is None else (yield from scope.steps(question.step_name))
    done = [track for track in sorted(tracks) if scope.is_done(track)]
    return (yield from batch_sizes(scope.reader, run_steps, done, steps.question_windows.on_track))


def _done(scope: Scope, tracks: frozenset[int]) -> bool:
    return all(scope.is_done(track) for track in sorted(tracks))


def _measured(steps: AskedSteps) -> Measured | None:
    if not steps.times:
        return None
    return tpu_steps_of(steps, _CHART_STEPS) if steps.of_tpus else host_steps(steps, _CHART_STEPS)


def _no_steps(steps: AskedSteps, run_environment: Environment) -> Sequence[Note]:
    if steps.times:
        return []
    return [Note("warning" if run_environment.devices else "info", f"No step is known: {steps.why}.")]


def _availability(scope: Scope) -> str:
    """The reason for which a run has no overview; empty if it has one."""
    if _is_recorded(scope) or saved_page(scope.reader, PAGE) is not None:
        return ""
    has_tables_alone = scope.reader.is_whole and not scope.reader.tree.tracks and bool(run_tables(scope.reader))
    return TABLES_ALONE if has_tables_alone else NOTHING_KNOWN


def _is_recorded(scope: Scope) -> bool:
    reader = scope.reader
    return bool(reader.steps.series) or bool(finish(devices_of(reader))) or bool(finish(framework_threads(reader)))


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The mean step and idle time, where no finding says what costs the time."""
    figures = Figures(answer, tick_ps)
    step = f"A step takes {figures.text('step_mean')} on average" if figures.text("step_mean") else ""
    idle = f"devices are idle {figures.text('device_idle')} of the time" if figures.text("device_idle") else ""
    return "; ".join(filter(None, (step, idle))) or "No step is marked, and no device works in this range"


TOOL: Final = Tool(
    id="overview",
    title="Overview",
    help="how the run does and why, and what to do about it",
    group="overview",
    question=OverviewQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        same=(
            Same("device_idle", "hlo_stats", "idle_share"),
            Same("flops_of_peak", "hlo_stats", "flops_utilisation"),
            Same("operations.self", "hlo_stats", "busy"),
            Same("host_idle", "framework_ops", "host_idle_share"),
            Same("steps", "steps", "count"),
            Same("step_mean", "input_pipeline", "mean"),
            Same("step_min", "input_pipeline", "min"),
            Same("step_max", "input_pipeline", "max"),
            Same("input_share", "input_pipeline", "input_share"),
        )
    ),
)
