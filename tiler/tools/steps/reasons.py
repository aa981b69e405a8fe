"""Reasons why slow steps are slow, and why all of them take their time: what the page of steps begins with."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.findings import Cause, Finding
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.findings import (
    Opening,
    finding_note,
    is_candidate,
    next_note,
    question_findings,
    remedy_notes,
)
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.steps.durations import RunStepTable

# A step that takes so much longer than the median gets a word where no finding names it: others differ by 1 to 3 %.
_SLOW: Final = 1.1


def reasons(scope: Scope, question: SpanQuestion, table: RunStepTable) -> Interruptible[Opening]:
    """A finding about some steps before those about all, what to do about it, and what is next. Raises DamagedStore."""
    findings = yield from question_findings(scope, question)
    rows = [
        row
        for place, row in enumerate(findings.rows)
        if row.cause is not Cause.HOST_ONLY and not is_candidate(findings.rows, place)
    ]
    rows.sort(key=lambda row: not row.steps)  # the greatest loss first among each
    slowest = _slowest_note(scope, table, rows)
    if not rows:
        return Opening(slowest[0] if slowest else None, slowest[1:])
    first, *others = rows
    return Opening(finding_note(first), [*remedy_notes(scope, first), *map(next_note, others[:1]), *slowest])


def _slowest_note(scope: Scope, table: RunStepTable, rows: list[Finding]) -> list[Note]:
    """The step that takes longest, where it is much longer than others and no finding is about it."""
    compared = np.flatnonzero(table.in_mean > 0)
    if len(compared) < 3:
        return []
    durations = table.longest[compared]
    place = int(compared[int(np.argmax(durations))])
    longest, median = int(durations.max()), int(np.median(durations))
    number = int(table.number[place])
    if longest <= _SLOW * median or any(number in row.steps for row in rows):
        return []
    times = (
        f"{duration_text(longest, scope.reader.tick_ps)}, the median is {duration_text(median, scope.reader.tick_ps)}"
    )
    text = f"Step #{number} takes longest: {times}. Compare it with others to see what takes longer in it"
    track = int(table.track[place])
    event = None if track < 0 else f"{track}.{int(table.ordinal[place])}"
    start, stop = int(table.start[place]), int(table.stop[place])
    return [Note("warning", text, start, stop, None if track < 0 else track, event)]
