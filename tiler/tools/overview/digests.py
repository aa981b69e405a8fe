"""Digests of other tools on the overview: of those that a run of an Ascend device has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Note, Table
from tilescope.tiler.tools.collectives import TOOL as COLLECTIVES
from tilescope.tiler.tools.digest import PREFIX
from tilescope.tiler.tools.input_pipeline import TOOL as INPUT_PIPELINE
from tilescope.tiler.tools.operators import TOOL as OPERATORS
from tilescope.tiler.tools.question import FigureQuestion, SpanQuestion, Tracks
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats import TOOL as STATS
from tilescope.tiler.tools.step_trace import TOOL as STEP_TRACE
from tilescope.tiler.tools.tool import AnyTool

_DIGESTED: Final[Sequence[AnyTool]] = (COLLECTIVES, STEP_TRACE, OPERATORS, INPUT_PIPELINE, STATS)


@dataclass(frozen=True, slots=True)
class DigestWarning:
    """A warning of a tool as it stands there, and the title of the table on Overview; `leads`: the answer begins so."""

    title: str
    note: Note
    leads: bool

    @property
    def titled(self) -> Note:
        """The same beside others: it says which table it is about."""
        return replace(self.note, text=f"{self.title}: {self.note.text}")


@dataclass(frozen=True, slots=True)
class Digests:
    """Tables of other tools with what these warn of; how they count is said on their own pages."""

    tables: Sequence[Table] = ()
    warnings: Sequence[DigestWarning] = ()
    is_complete: bool = True


def tool_digests(scope: Scope, question: FigureQuestion) -> Interruptible[Digests]:
    """A table of each tool that has something to show about what is asked; none while the run is indexed."""
    if not scope.reader.is_whole:
        return Digests()
    parts: list[Digests] = []
    for tool in _DIGESTED:
        parts.append((yield from _digest(scope, question, tool)))
    return Digests(
        [table for part in parts for table in part.tables],
        [warning for part in parts for warning in part.warnings],
        all(part.is_complete for part in parts),
    )


def _digest(scope: Scope, question: FigureQuestion, tool: AnyTool) -> Interruptible[Digests]:
    digest = tool.digest
    is_of_span = issubclass(tool.question, SpanQuestion)
    if digest is None or not (is_of_span or _is_whole(question)) or tool.availability(scope):
        return Digests()
    fields = yield from digest.fields(scope)
    if fields is None:
        return Digests()
    asked_too = {name: getattr(question, name) for name in FigureQuestion.field_names() if is_of_span}
    own_tracks = fields.get("tracks")
    if isinstance(own_tracks, Tracks) and question.tracks is not None:
        fields = {**fields, "tracks": Tracks(sorted(set(own_tracks) & set(scope.leaves(question.tracks))))}
    try:
        answer: Answer = yield from (digest.answer or tool.answer)(scope, tool.question(**{**asked_too, **fields}))
    except (NotAvailable, UsageError):  # its own page says why
        return Digests()
    for table in answer.tables:
        if table.id == digest.table and len(table):
            columns = [column for column in table.columns if column.id in digest.columns]
            totals, rest = (
                None if sums is None else {name: sums[name] for name in digest.columns if name in sums}
                for sums in (table.totals, table.rest)
            )
            own = replace(table, id=PREFIX + tool.id, title=digest.title, columns=columns, totals=totals, rest=rest)
            texts = [*([] if answer.headline is None else [answer.headline]), *answer.notes]
            warnings = [
                DigestWarning(digest.title, note, note is answer.headline)
                for note in texts
                if note.severity == "warning"
            ]
            return Digests([own], warnings, answer.is_complete)
    return Digests([], [], answer.is_complete)


def _is_whole(question: FigureQuestion) -> bool:
    return question.start is None and question.end is None and question.steps is None and question.tracks is None
