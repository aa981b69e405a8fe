"""Events that a query selects: how many, how long, by which names; and the events by time, from any place on."""

from __future__ import annotations

from typing import Annotated, Any, Final

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible
from tilescope.tiler.search.hits import Hits, page_of_hits
from tilescope.tiler.search.language import MAX_QUERY, Query, parse
from tilescope.tiler.search.selection import Selection, select
from tilescope.tiler.search.totals import Totals, totals
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.lanes.named_lanes import ChosenLane, LaneIds, lanes_so_far
from tilescope.tiler.tools.question import After, SpanQuestion, place
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search.kinds import kinds_table
from tilescope.tiler.tools.search.lane_hits import lane_tables
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.windows import WindowsOf

MAX_HITS: Final = 100_000
DEFAULT_HITS: Final = 100
MAX_LANE_HITS: Final = 10_000
MAX_NAMES: Final = 65_536
DEFAULT_NAMES: Final = 100

# Events whose arguments are looked at for one page of hits, about: some 0.2 s of processor time.
_EXAMINED: Final = 60_000

QueryText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_QUERY,
        description='Terms that must all hold: fusion (in the name), "exact name", /RE2/, cat:x, track:x, process:x, '
        "dur>1ms, arg:key=value, arg:key>number, arg:key~text.",
    ),
]


class SearchQuestion(SpanQuestion, frozen=True, kw_only=True):
    """A search among the events of a span."""

    query: QueryText
    limit: Annotated[int, Meta(ge=0, le=MAX_HITS, description="The most events that are listed.")] = DEFAULT_HITS
    after: Annotated[
        After | None,
        Meta(description="List from this place on, which need not be that of an event; `more` of the answer before."),
    ] = None
    backward: Annotated[bool, Meta(description="List the events before the place, or the last ones: latest first.")] = (
        False
    )
    totals: Annotated[bool, Meta(description="Also count and sum up all of them, whatever is listed.")] = True
    names: Annotated[
        int, Meta(ge=0, le=MAX_NAMES, description="The most names that are listed, the busiest first.")
    ] = DEFAULT_NAMES
    kinds: Annotated[
        bool,
        Meta(
            description="Also count the events whose arguments, tracks or processes have the words of the query: "
            "of one that has no other terms."
        ),
    ] = False
    lanes: Annotated[
        LaneIds | None,
        Meta(
            description="Derived lanes whose slices are searched as well, by their ids with commas between, as in "
            "overlap.2. They are no events, and have tables of their own."
        ),
    ] = None


def _answer(scope: Scope, question: SearchQuestion) -> Interruptible[Answer]:
    query = parse(question.query)
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    selection = yield from select(scope.reader, query, tracks)
    facts = [Fact("names", "Names", selection.n_names, "count", "that match, whether or not they occur in the span")]
    tables = []
    if question.totals:
        sums = yield from totals(scope.reader, selection, question_windows.on_track)
        facts += [
            Fact("count", "Events", int(sums.count.sum()), "count"),
            Fact("busy", "Busy", int(sums.busy.sum()), "ticks", "within the span, each event by itself"),
        ]
        tables.append(_names_table(scope, sums, question.names))
    notes: list[Note] = []
    tables.append((yield from _events_table(scope, selection, question_windows.on_track, question, notes)))
    if question.kinds:
        tables.append((yield from kinds_table(scope, query, tracks, question_windows.on_track, notes)))
    is_complete = True
    if question.lanes is not None:
        lane_scope = scope.without_outliers()
        lanes, missing = yield from lanes_so_far(lane_scope, question.lanes)
        notes += missing
        is_complete = not missing
        tables += yield from _lane_tables(lane_scope, lanes, query, question_windows.on_track, question, notes)
    return Answer(facts, tables, notes=notes, is_complete=is_complete)


def _lane_tables(
    scope: Scope,
    lanes: list[ChosenLane],
    query: Query,
    windows_of: WindowsOf,
    question: SearchQuestion,
    notes: list[Note],
) -> Interruptible[list[Table]]:
    # Pages go on by places of events, which slices of lanes have none of: they are on the first one.
    limit = 0 if question.after is not None else min(question.limit, MAX_LANE_HITS)
    totals = question.totals or not limit
    names, slices = yield from lane_tables(
        scope, lanes, query, windows_of, limit, backward=question.backward, totals=totals
    )
    if limit == MAX_LANE_HITS and len(slices) == limit < question.limit:
        notes.append(
            Note("info", f"of derived lanes no more than {limit:,} slices are listed: a span from the last one goes on")
        )
    return ([] if names is None else [names]) + ([slices] if question.after is None else [])


def _names_table(scope: Scope, sums: Totals, limit: int) -> Table:
    rows, rest = slice(limit), slice(limit, None)
    names = [scope.reader.names[name] for name in sums.name[rows].tolist()]
    columns = [
        Column("name_id", "Name id", "id", sums.name[rows]),
        Column("name", "Name", "name", [name.text for name in names]),
        Column("category", "Category", "text", [name.category for name in names]),
        Column("count", "Count", "count", sums.count[rows]),
        Column("busy", "Busy", "ticks", sums.busy[rows]),
    ]
    return Table(
        "names",
        "Names",
        columns,
        totals=_sums(sums, slice(None)),
        rest=_sums(sums, rest) if len(sums) > limit else None,
    )


def _sums(sums: Totals, rows: slice) -> dict[str, Value]:
    return {"count": int(sums.count[rows].sum()), "busy": int(sums.busy[rows].sum())}


def _events_table(
    scope: Scope, selection: Selection, windows_of: WindowsOf, question: SearchQuestion, notes: list[Note]
) -> Interruptible[Table]:
    if not question.limit:
        return events_table(scope, Hits(*[np.zeros(0, np.int64)] * 7), None)
    page = yield from page_of_hits(
        scope.reader,
        selection,
        windows_of,
        question.limit,
        place(question.after),
        backward=question.backward,
        examined=_EXAMINED if selection.arguments else None,
    )
    if page.more is not None and len(page.hits) < question.limit:
        notes.append(Note("info", "not all arguments were searched: `more` goes on", start=page.more.start))
    more = None if page.more is None else ",".join(map(str, page.more))
    table = events_table(scope, page.hits, more)
    yield
    return table


def events_table(scope: Scope, hits: Hits, more: str | None, title: str = "Events by time") -> Table:
    """Events as tools list them, in their order."""
    ids, inverse = np.unique(hits.name, return_inverse=True)
    names = [scope.reader.names[name] for name in ids.tolist()]

    def texts(distinct: list[str]) -> NDArray[Any]:
        return np.array(distinct, object)[inverse]

    places = zip(hits.track.tolist(), hits.ordinal.tolist(), strict=True)
    columns = [
        Column("event", "Event", "event", [f"{track}.{ordinal}" for track, ordinal in places]),
        Column("track", "Track", "track", hits.track),
        Column("name", "Name", "name", texts([name.text for name in names])),
        Column("category", "Category", "text", texts([name.category for name in names])),
        Column("start", "Start", "time", hits.start),
        Column("duration", "Duration", "ticks", hits.duration),
        Column("row", "Row", "id", hits.row),
    ]
    return Table("events", title, columns, more=more)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    names = plural(figures.count("names"), "name matches", "names match")
    if figures.value("count") is None:
        return names
    took = f", and run for {figures.text('busy')}" if figures.count("busy") else ""
    return f"{plural(figures.count('count'), 'event is', 'events are')} found{took}; {names}"


TOOL: Final = Tool(
    id="search",
    title="Search",
    help="events by name, duration, track or argument, one after the other",
    group="raw",
    question=SearchQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("count", "busy"),
        by_track=True,
        rows=(
            AddedRows("names", ("name", "category"), ("count", "busy")),
            AddedRows("kinds", ("kind", "argument", "query"), ("events",)),
        ),
        parts={"count": ("names.count",), "busy": ("names.busy",)},
        lists={"events": "count"},
    ),
)
