"""Occurrences of a name: their exact number, and the events by time."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.find.search import MAX_TEXT, FindQuery, Match, find
from tilescope.tiler.tools.question import After, SpanQuestion, place
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search import events_table
from tilescope.tiler.tools.tool import Tool

MAX_FOUND: Final = 100_000
DEFAULT_FOUND: Final = 1000


class FindQuestion(SpanQuestion, frozen=True, kw_only=True):
    """A search among the events that start in a span."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT, description="What the name is to contain, or to be.")]
    match: Annotated[
        Literal["contains", "exact"],
        Meta(description="Anywhere in the name, upper and lower case alike; or the whole name."),
    ] = "contains"
    limit: Annotated[int, Meta(ge=0, le=MAX_FOUND, description="The most occurrences that are listed.")] = DEFAULT_FOUND
    after: Annotated[After | None, Meta(description="Where to go on: `more` of the answer before.")] = None


def _answer(scope: Scope, question: FindQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    query = FindQuery(
        question.text,
        question_windows.on_track,
        Match(question.match),
        tracks,
        question.limit,
        place(question.after),
    )
    matches = yield from find(scope.reader, query)
    per_track = [
        Column("track", "Track", "track", list(matches.per_track)),
        Column("count", "Count", "count", list(matches.per_track.values())),
    ]
    count = sum(matches.per_track.values())
    more = None if matches.more is None else ",".join(map(str, matches.more))
    facts = [
        Fact("names", "Names", matches.n_names, "count", "that match, whether or not they occur in the span"),
        Fact("count", "Events", count, "count"),
    ]
    tables = [
        events_table(scope, matches.hits, more),
        Table("tracks", "Events by track", per_track, totals={"count": count}),
    ]
    return Answer(facts, tables)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.count("names"):
        return "No event of the run has a name that matches"
    events = plural(figures.count("count"), "event has", "events have")
    return f"{events} a name that matches, of {plural(figures.count('names'), 'such name', 'such names')} in the run"


TOOL: Final = Tool(
    id="find",
    title="Find a name",
    help="where a name occurs: how often, and each occurrence by time",
    group="raw",
    question=FindQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("count",),
        by_track=True,
        rows=(AddedRows("tracks", ("track",), ("count",)),),
        parts={"count": ("tracks.count",)},
        lists={"events": "count"},
    ),
)
