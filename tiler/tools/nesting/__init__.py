"""Nesting of one slice: its self time, the slices around it and in it, what launched it and what it launched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible, Place
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.nesting.callers import callers_around
from tilescope.tiler.tools.nesting.family import Family
from tilescope.tiler.tools.nesting.launch_context import LaunchContext, TrackSlice, launch_contexts, waiting_calls
from tilescope.tiler.tools.nesting.launched_work import MOST_CALLS, launched_work_in
from tilescope.tiler.tools.nesting.row_slices import RowSlice
from tilescope.tiler.tools.question import After, Question, place
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_CHILDREN: Final = 1000
DEFAULT_CHILDREN: Final = 100


class NestingQuestion(Question, frozen=True, kw_only=True):
    """One slice, and how much is to be listed of what is in it."""

    track: Annotated[int, Meta(ge=0, le=2**32 - 1, description="Number of the slice's track.", extra={"unit": "track"})]
    ordinal: Annotated[int, Meta(ge=0, le=2**62, description="Rank of the slice on its track.")]
    limit: Annotated[int, Meta(ge=0, le=MAX_CHILDREN, description="The most slices in it that are listed.")] = (
        DEFAULT_CHILDREN
    )
    order: Annotated[
        Literal["time", "longest"],
        Meta(description="Which of the slices in it are listed: the first by time, or the longest."),
    ] = "time"
    after: Annotated[After | None, Meta(description="Where to go on by time: `more` of the answer before.")] = None


def _answer(scope: Scope, question: NestingQuestion) -> Interruptible[Answer]:
    if question.after is not None and question.order == "longest":
        raise UsageError("after: only a list by time goes on; ask for more of the longest with limit")
    family = Family(scope.reader, question.track, question.ordinal)
    parents = family.parents()
    yield
    self_ticks = yield from family.self_ticks()
    n_children = yield from family.children.count()
    children, more = yield from _children(family, question)
    callers = yield from callers_around(scope.reader, question.track, family)
    row_slice = family.slice
    launches, more_launches = yield from launch_contexts(scope.reader, question.track, question.ordinal)
    waits: list[TrackSlice] = []
    more_threads = 0
    if launches:
        waits, more_threads = yield from waiting_calls(scope.reader, row_slice, launches[0].launch.track)
    launched = yield from launched_work_in(scope.reader, question.track, row_slice)
    too_many = f"more than {MOST_CALLS:,} launches lie in it or close by: ask launches or flows of its range"
    facts = [
        Fact("name", "Name", scope.reader.names.by_id([row_slice.name])[row_slice.name].text, "name"),
        Fact("start", "Start", row_slice.start, "time"),
        Fact("duration", "Duration", row_slice.duration, "ticks"),
        Fact("self", "Self time", self_ticks, "ticks", "in which nothing runs in it"),
        Fact("row", "Depth", row_slice.row, "id", "slices that run above it when it starts"),
        Fact("children", "Slices in it", n_children, "count", "directly, not in one another"),
        Fact(
            "launched",
            "Work launched in it",
            None if launched is None else launched.count,
            "count",
            too_many if launched is None else "slices of devices whose launches are this slice or lie in it",
        ),
        Fact(
            "launched_time",
            "Time of that work",
            None if launched is None else launched.ticks,
            "ticks",
            too_many if launched is None else "added up: several may run at once",
        ),
    ]
    tables = [
        Table("parents", "Around it, the nearest first", _columns(scope, question.track, parents)),
        Table("callers", "Callers of these, by ids of frames of Python", _track_columns(scope, callers.frames)),
        Table("children", "Directly in it", _columns(scope, question.track, children), more=more),
        Table("launches", "What launched it", _launch_columns(scope, launches)),
        Table("waits", "Calls that were waiting when it ended", _wait_columns(scope, waits, row_slice.end)),
        Table("launched", "Work launched in it", _track_columns(scope, [] if launched is None else launched.first)),
    ]
    notes = [Note("info", text) for text in callers.notes]
    if more_launches:
        notes.append(Note("info", f"{plural(more_launches, 'more launch is', 'more launches are')} not listed"))
    if launched is not None and launched.count > len(launched.first):
        more_work = launched.count - len(launched.first)
        slices = plural(more_work, "more slice that was launched in it is", "more slices that were launched in it are")
        notes.append(Note("info", f"{slices} not listed"))
    if more_threads:
        threads = plural(more_threads, "more thread is", "more threads are")
        notes.append(Note("info", f"{threads} not searched for calls that were waiting"))
    return Answer(facts, tables, notes=notes)


def _children(family: Family, question: NestingQuestion) -> Interruptible[tuple[list[RowSlice], str | None]]:
    if question.order == "longest":
        children = yield from family.children.longest(question.limit)
        return children, None
    children = yield from family.children.by_time(question.limit + 1, place(question.after))
    listed = children[: question.limit]
    if len(children) <= question.limit or not listed:
        return listed, None
    last = Place(listed[-1].start, question.track, listed[-1].ordinal)
    return listed, ",".join(map(str, last))


def _columns(scope: Scope, track: int, slices: Sequence[RowSlice]) -> list[Column]:
    names = scope.reader.names.by_id(row_slice.name for row_slice in slices)
    return [
        Column("event", "Event", "event", [f"{track}.{row_slice.ordinal}" for row_slice in slices]),
        Column("name", "Name", "name", [names[row_slice.name].text for row_slice in slices]),
        Column("category", "Category", "text", [names[row_slice.name].category for row_slice in slices]),
        Column("start", "Start", "time", [row_slice.start for row_slice in slices]),
        Column("duration", "Duration", "ticks", [row_slice.duration for row_slice in slices]),
        Column("row", "Depth", "id", [row_slice.row for row_slice in slices]),
    ]


def _launch_columns(scope: Scope, launches: Sequence[LaunchContext]) -> list[Column]:
    around, frame = [context.around for context in launches], [context.frame for context in launches]
    return [
        *_track_columns(scope, [context.launch for context in launches]),
        Column("around", "Innermost slice around it", "event", [_event(other) for other in around]),
        Column("around_name", "Its name", "name", [_name(scope, other) for other in around]),
        Column("frame", "Innermost frame", "event", [_event(other) for other in frame]),
        Column("frame_name", "Name of the frame", "name", [_name(scope, other) for other in frame]),
    ]


def _wait_columns(scope: Scope, waits: Sequence[TrackSlice], end: int) -> list[Column]:
    after = [wait.slice.end - end for wait in waits]
    return [*_track_columns(scope, waits), Column("after", "Ends later by", "ticks", after)]


def _track_columns(scope: Scope, slices: Sequence[TrackSlice]) -> list[Column]:
    return [
        Column("event", "Event", "event", [_event(other) for other in slices]),
        Column("track", "Track", "track", [other.track for other in slices]),
        Column("name", "Name", "name", [_name(scope, other) for other in slices]),
        Column("start", "Start", "time", [other.slice.start for other in slices]),
        Column("duration", "Duration", "ticks", [other.slice.duration for other in slices]),
    ]


def _event(other: TrackSlice | None) -> str | None:
    return None if other is None else f"{other.track}.{other.slice.ordinal}"


def _name(scope: Scope, other: TrackSlice | None) -> str | None:
    return None if other is None else scope.reader.names[other.slice.name].text


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    inside = plural(figures.count("children"), "slice lies", "slices lie")
    own = f"{figures.text('duration')}, {figures.text('self')} of that its own"
    return f"The slice {figures.text('name')} takes {own}; {inside} directly in it"


TOOL: Final = Tool(
    id="nesting",
    title="Nesting",
    help="slices around and in one slice, launches, and what waited for it",
    group="raw",
    question=NestingQuestion,
    answer=_answer,
    sentence=_sentence,
)
