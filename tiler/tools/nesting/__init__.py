"""Nesting of one slice: its self time, the slices around it, and those directly in it, however many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible, Place
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.nesting.family import Family
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
    row_slice = family.slice
    facts = [
        Fact("name", "Name", scope.reader.names.by_id([row_slice.name])[row_slice.name].text, "name"),
        Fact("start", "Start", row_slice.start, "time"),
        Fact("duration", "Duration", row_slice.duration, "ticks"),
        Fact("self", "Self time", self_ticks, "ticks", "in which nothing runs in it"),
        Fact("row", "Depth", row_slice.row, "id", "slices that run above it when it starts"),
        Fact("children", "Slices in it", n_children, "count", "directly, not in one another"),
    ]
    tables = [
        Table("parents", "Around it, the nearest first", _columns(scope, question.track, parents)),
        Table("children", "Directly in it", _columns(scope, question.track, children), more=more),
    ]
    return Answer(facts, tables)


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


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    inside = plural(figures.count("children"), "slice lies", "slices lie")
    own = f"{figures.text('duration')}, {figures.text('self')} of it itself"
    return f"The slice {figures.text('name')} takes {own}; {inside} directly in it"


TOOL: Final = Tool(
    id="nesting",
    title="Nesting",
    help="where one slice lies: its self time, the slices around it, and those directly in it, however many",
    group="raw",
    question=NestingQuestion,
    answer=_answer,
    sentence=_sentence,
)
