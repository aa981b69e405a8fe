"""Findings as a table, as the headline of pages, and as notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import ASCEND_DEVICE, is_ascend_device
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings import (
    LEAST_SHARE,
    NO_FINDINGS,
    NO_STEP,
    Cause,
    Finding,
    RunFindings,
    Spot,
    findings_of,
)
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema import Severity
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.environment import Environment, environment
from tilescope.tiler.tools.operations import AskedOperations, asked_operations
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.remedies import SLOW_HOST, framework_of, remedy
from tilescope.tiler.tools.scope import Scope

# Findings behind the first that are sentences, too.
_MAX_NEXT: Final = 2

# A first recorded step that takes so much longer than the mean of the others gets a word.
_SLOW_START: Final = 1.1

_IS_CAUSE: Final = frozenset(Cause) - {Cause.NONE, Cause.HOST_ONLY}

TIMELINE_LIMIT: Final = (
    "MindSpore ends a timeline at timeline_limit (500 MB, unless Profiler is given another), and one to be displayed "
    "at 20 MB"
)
NOT_YET: Final = "what costs the time is said when the run has been indexed"


# By tracks, span, numbers of steps, and the name of slices that are steps.
_Key = tuple[frozenset[int], TickRange, tuple[int, int] | None, str | None]

_FINDINGS: Final = KeyedRunCache[_Key, RunFindings]("findings", "Findings of runs, by tracks, span and steps")


def question_findings(
    scope: Scope,
    question: SpanQuestion,
    run_environment: Environment | None = None,
    device_operations: AskedOperations | None = None,
) -> Interruptible[RunFindings]:
    """The findings about the devices and steps that a question is about; none of a run that is still indexed.

    They are kept for other tools that are asked the same. `run_environment` of its tracks and `device_operations`,
    where somebody has them. Raises DamagedStore, UsageError.
    """
    reader = scope.reader
    if not reader.is_whole:
        return NO_FINDINGS
    tracks = frozenset(scope.leaves(question.tracks))
    span = question.ticks
    span = TickRange(span.start, min(span.stop, reader.end + 1))
    numbers = None if question.steps is None else (question.steps.first, question.steps.last)
    key = tracks, span, numbers, question.step_name
    findings = _FINDINGS.get(reader, key)
    if findings is not None:
        return findings
    if run_environment is None:
        run_environment = yield from environment(reader, tracks)
    if device_operations is None:
        device_operations = yield from asked_operations(scope, question, with_idle=False)
    steps = reader.steps if question.step_name is None else (yield from scope.steps(question.step_name))
    findings = yield from findings_of(
        reader,
        steps,
        [device for host in run_environment.hosts for device in host.devices],
        span,
        numbers,
        device_count=run_environment.devices,
        operations=device_operations.table,
        peaks=device_operations.peaks,
    )
    return _FINDINGS.keep(reader, key, findings)


@dataclass(frozen=True, slots=True)
class Opening:
    """Begin of an answer: the finding that is its headline, None where there is none, and the notes behind it."""

    headline: Note | None
    notes: Sequence[Note]


def opening(scope: Scope, question: SpanQuestion) -> Interruptible[Opening]:
    """The first finding and what to do about it, for pages that show where it comes from."""
    findings = yield from question_findings(scope, question)
    limits = yield from operator_limits(scope, question)
    if not findings.rows or findings.rows[0].cause is Cause.HOST_ONLY:
        return Opening(None, limits)
    first = findings.rows[0]
    return Opening(finding_note(first), [*remedy_notes(scope, first), *lead_notes(first), *limits])


def operator_limits(scope: Scope, question: SpanQuestion) -> Interruptible[list[Note]]:
    """Words on devices whose operators were cut off within the range, though work went on; nothing where none were."""
    reader, stop = scope.reader, question.ticks.stop
    tracks = frozenset(scope.leaves(question.tracks))
    ends = []
    for device in (yield from devices_of(reader)):
        if device.track_ids & tracks and (end := (yield from operators_end(reader, device))) < stop:
            ends.append((end, device.name, reader.tree.groups[device.group].name))
    if not ends:
        return []
    end, name, process = min(ends)
    others = f" (and of {plural(len(ends) - 1, 'device', 'devices')} more)" if len(ends) > 1 else ""
    recorded = f"Operators of {name}{others} were recorded only up to {duration_text(end, reader.tick_ps)}"
    behind = "what comes after that is in no figure of idle time and in no verdict"
    limit = f"; {TIMELINE_LIMIT}" if is_ascend_device(process) and process != ASCEND_DEVICE else ""
    return [Note("warning", f"{recorded}, though steps or communication go on: {behind}{limit}")]


def findings_table(findings: RunFindings) -> Table:
    """A row for each finding, the greatest loss first."""
    rows = findings.rows
    places = [row.place for row in rows]
    loss, share = ("Loss per step", "Of the step") if findings.steps else ("Loss", "Of the time")
    return Table(
        "findings",
        "What costs the time",
        [
            Column("class", "Cause", "text", [str(row.cause) for row in rows], total="none"),
            Column("where", "Where", "text", [row.where for row in rows], total="none"),
            Column("steps", "Steps", "text", [_steps_text(row) for row in rows], total="none"),
            Column("loss", loss, "ticks", [row.loss for row in rows], total="none"),
            Column("share", share, "fraction", [row.share for row in rows], total="none"),
            Column("track", "Track", "track", [place.track if place else None for place in places], total="none"),
            Column("start", "Start", "time", [place.start if place else None for place in places], total="none"),
            Column("end", "End", "time", [place.stop if place else None for place in places], total="none"),
            Column("event", "Event", "event", [place.event if place else None for place in places], total="none"),
            Column("sentence", "In words", "text", [row.sentence for row in rows], total="none"),
        ],
    )


def findings_notes(scope: Scope, findings: RunFindings) -> list[Note]:
    """Advice on the first finding, which is the headline, and what is next."""
    if not findings.rows:
        return []
    first, *others = findings.rows
    notes = [*remedy_notes(scope, first), *lead_notes(first)]
    others = [row for place, row in enumerate(others, 1) if not is_candidate(findings.rows, place)]
    notes += [next_note(row) for row in others[:_MAX_NEXT]]
    if len(others) > _MAX_NEXT:
        more = len(others) - _MAX_NEXT
        notes.append(Note("info", f"{plural(more, 'more cause is', 'more causes are')} in the table"))
    elif first.cause in _IS_CAUSE:
        least = percent_text(LEAST_SHARE, 0)
        whole = "a step" if findings.steps else "the time"
        notes.append(Note("info", f"Nothing else costs {least} of {whole} or more"))
    if findings.warm_up is not None and findings.warm_up.ticks > _SLOW_START * findings.step:
        duration = duration_text(findings.warm_up.ticks, scope.reader.tick_ps)
        step = f"Step #{findings.warm_up.number}, the first recorded ({duration}),"
        text = f"{step} is left out: when it began is not known."
        if findings.warm_up.number == NO_STEP:
            text = f"The first {duration} are left out: devices are set up then, and networks are compiled"
        notes.append(Note("info", text))
    return [*notes, *behind_notes(findings.behind)]


def behind_notes(count: int) -> list[Note]:
    """A note on steps that end behind the last recorded operator; nothing where there are none."""
    steps = plural(count, "step ends", "steps end")
    return [Note("warning", f"{steps} after the last recorded operator: left out")] if count else []


def is_candidate(rows: Sequence[Finding], place: int) -> bool:
    """True of the one or two rows behind one that is unclear: they are of the same time."""
    before = rows[max(place - 2, 0) : place]
    return any(row.cause is Cause.UNCLEAR and row.loss == rows[place].loss for row in before)


def remedy_notes(scope: Scope, row: Finding) -> list[Note]:
    """Advice about a finding, and how much it may gain; nothing where there is none."""
    text = SLOW_HOST if row.is_slow_all_over else remedy(row.cause, framework_of(scope.reader))
    if not text:
        return []
    gain = "What to do" if row.cause is Cause.UNCLEAR else f"To gain up to {percent_text(row.share)}"
    return [Note("warning", f"{gain}: {text}")]


def lead_notes(row: Finding) -> list[Note]:
    """Leads of a finding, with their places in the timeline."""
    return [_placed("info", lead.text, lead.place) for lead in row.leads]


def next_note(row: Finding) -> Note:
    """A finding behind the first."""
    return finding_note(row, f"Next: {_lower(row.sentence)}")


def finding_note(row: Finding, text: str = "") -> Note:
    """A finding, or a text about it, with its place in the timeline."""
    severity: Severity = "warning" if row.cause in _IS_CAUSE else "info"
    return _placed(severity, text or row.sentence, row.place)


def _placed(severity: Severity, text: str, place: Spot | None) -> Note:
    if place is None:
        return Note(severity, text)
    return Note(severity, text, place.start, place.stop, place.track, place.event)


def _lower(sentence: str) -> str:
    """A sentence behind a colon."""
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def _steps_text(row: Finding) -> str:
    return ", ".join(map(str, row.steps)) if row.steps else "all"
