"""Calls of tools: availability and answers; faults of tools that others have written become ToolFailed."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import NotAvailable, NotBuilt, StoredLast, TilescopeError, ToolFailed, UsageError
from tilescope.tiler.plugins import fault_place, fault_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.tools.answer import Answer, Note
from tilescope.tiler.tools.checking import check
from tilescope.tiler.tools.outlier_notes import outlier_notes
from tilescope.tiler.tools.question import FigureQuestion, Question
from tilescope.tiler.tools.references import check_hosts
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import AnyTool, Reason

STORED_LAST: Final = (
    "the run is still being indexed: what operations are and what they share is stored when all tracks are done, "
    "and there is an answer then"
)
_NAMED_HOSTS: Final = 5
SO_FAR: Final = "so far, because the run is still being indexed: {}"


def ask(tool: AnyTool, scope: Scope, question: Question) -> Interruptible[Answer]:
    """The answer of a tool; incomplete as far as the scope is.

    Raises UsageError, StoreErrors, NotAvailable, and ToolFailed for whatever else a tool of another package raises. Of
    a run that is still being indexed it refuses nothing for want of what may yet come: such an answer is incomplete,
    and has a note that says why.
    """
    try:
        return (yield from _answer(tool, scope, question))
    except StoredLast:
        return _not_yet(STORED_LAST)
    except NotBuilt as error:
        return _not_yet(str(error))
    except Exception as error:
        if scope.reader.has_moved:
            return _not_yet(STORED_LAST)
        if scope.is_complete or not isinstance(error, UsageError | NotAvailable):
            raise
        return _not_yet(SO_FAR.format(error))


def _not_yet(why: str) -> Answer:
    return Answer(notes=[Note("info", why)], is_complete=False)


def _answer(tool: AnyTool, scope: Scope, question: Question) -> Interruptible[Answer]:
    check_hosts(question, scope.reader.manifest.hosts)
    reason = _why_not(tool, scope)
    if reason:
        raise NotAvailable(f"{tool.id} has no answer for this run: {reason}")
    with blamed(tool):
        figures = scope.without_outliers() if isinstance(question, FigureQuestion) and not question.outliers else scope
        steps = tool.answer(figures, question)
        if not isinstance(steps, Generator):
            raise TypeError(f"its function returns a value of type {type(steps).__name__}: it must yield")
        answer = yield from steps
        check(answer)
        answer = replace(answer, headline=answer.headline or _headline(tool, answer, scope))
        is_complete = answer.is_complete and figures.is_complete
        notes = [*answer.notes, *figures.notes]
        outliers = figures.reader.outliers
        if outliers is not None:
            whole = yield from tool.answer(scope, question)
            notes += outlier_notes(scope.reader, outliers.record, answer, whole)
        if not is_complete and not (answer.facts or answer.tables or answer.series):  # why there is nothing
            notes = [replace(note, severity="info", text=SO_FAR.format(note.text)) for note in notes]
        missing = scope.missing_hosts() if is_complete else []  # of a run that grows nothing is missing yet
        if missing:
            notes.append(_missing_note(missing))
        notes += [Note("info", text) for text in clock_notes(scope.clock_shifts(), scope.hosts_on_own_axes())]
        return replace(answer, notes=notes, is_complete=is_complete and not missing, missing=missing)


def _missing_note(hosts: Sequence[str]) -> Note:
    return Note("warning", f"this is without {_named(hosts)}: the run lacks {plural(len(hosts), 'host', 'hosts')}")


def clock_notes(shifts: Sequence[ClockShift], apart: Sequence[str]) -> list[str]:
    """Notes on times, for answers and files of a run in which the clocks of hosts are shifted.

    `apart`: hosts that count their times from another origin than the run's.
    """
    shifted = [shift.host for shift in shifts if shift.origin != "own_axis"]
    lines = []
    if shifted:
        lines.append(f"times are as they were recorded: the shifts of {_named(shifted)} are not added to them")
    if apart:
        lines.append(f"times of {_named(apart)} are counted from the first event there, not from that of the run")
    return lines


def _named(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - _NAMED_HOSTS:,} more" if len(hosts) > _NAMED_HOSTS else ""
    return ", ".join(hosts[:_NAMED_HOSTS]) + more


def _headline(tool: AnyTool, answer: Answer, scope: Scope) -> Note | None:
    """The sentence of a tool about an answer that has something."""
    text = "" if not (answer.facts or answer.tables or answer.series) else tool.sentence(answer, scope.reader.tick_ps)
    return Note("info", text) if text else None


def why_not(tool: AnyTool, scope: Scope) -> Reason:
    """The reason for which a run has no answer of this tool; empty if it has one."""
    try:
        return _why_not(tool, scope)
    except ToolFailed as error:
        return str(error)


def _why_not(tool: AnyTool, scope: Scope) -> Reason:
    with blamed(tool):
        try:
            reason = tool.availability(scope)
        except NotBuilt:
            return ""
        if not isinstance(reason, str):
            raise TypeError(f"its availability is of type {type(reason).__name__}: it has to be a text")
        return reason if scope.is_complete else ""  # what it lacks may yet come


@contextmanager
def blamed(tool: AnyTool) -> Iterator[None]:
    """Within the block, errors that a tool of another package must not raise are ToolFailed.

    Those of ours pass: decoding the records of a damaged store raises them.
    """
    try:
        yield
    except TilescopeError:
        raise
    except (Exception, SystemExit) as error:
        if tool.question.__module__.startswith("tilescope."):
            raise
        raise ToolFailed(f"the tool {tool.id!r} failed{fault_place(error)}: {fault_text(error)}") from error
