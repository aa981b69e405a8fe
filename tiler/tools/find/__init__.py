"""Where a name occurs: how often, exactly, and the occurrences by time."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.query import Steps
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.find.search import MAX_TEXT, FindQuery, Match, find
from tilescope.tiler.tools.question import After, SpanQuestion, place
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_FOUND: Final = 10_000
DEFAULT_FOUND: Final = 1000


class FindQuestion(SpanQuestion, frozen=True, kw_only=True):
    """A search among the events that start in a span."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT, description="What the name is to contain, or to be.")]
    match: Annotated[
        Literal["contains", "exact"],
        Meta(description="Anywhere in the name, upper and lower case alike; or the whole name."),
    ] = "contains"
    limit: Annotated[int, Meta(ge=0, le=MAX_FOUND, description="The most occurrences that are listed.")] = DEFAULT_FOUND
    after: Annotated[After | None, Meta(description="`more` of the answer before: what follows it.")] = None


def _answer(scope: Scope, question: FindQuestion) -> Steps[Answer]:
    looked = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    query = FindQuery(
        question.text,
        looked.of,
        Match(question.match),
        tracks,
        question.limit,
        place(question.after),
    )
    found = yield from find(scope.reader, query)
    names = [found.names[event.name] for event in found.events]
    events = [
        Column("event", "Event", "event", [f"{event.track}.{event.ordinal}" for event in found.events]),
        Column("track", "Track", "track", [event.track for event in found.events]),
        Column("name", "Name", "name", [name.text for name in names]),
        Column("category", "Category", "text", [name.category for name in names]),
        Column("start", "Start", "time", [event.start for event in found.events]),
        Column("duration", "Duration", "ticks", [event.duration for event in found.events]),
        Column("row", "Row", "id", [event.row for event in found.events]),
    ]
    per_track = [
        Column("track", "Track", "track", list(found.per_track)),
        Column("count", "Count", "count", list(found.per_track.values())),
    ]
    count = sum(found.per_track.values())
    more = ",".join(map(str, found.events[-1].place)) if found.has_more and found.events else None
    facts = [
        Fact("names", "Names", found.n_names, "count", "that match, whether or not they occur in the span"),
        Fact("count", "Events", count, "count"),
    ]
    tables = [
        Table("events", "Events by time", events, more=more),
        Table("tracks", "Events by track", per_track, totals={"count": count}),
    ]
    return Answer(facts, tables)


TOOL: Final = Tool(
    id="find",
    title="Search",
    help="where a name occurs: how often, exactly, and the occurrences by time",
    group="events",
    question=FindQuestion,
    answer=_answer,
)
