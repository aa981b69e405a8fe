"""Events as columns, with whichever arguments are wanted: what scripts and notebooks compute with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import Kind
from tilescope.tiler.search.language import Kind as PatternKind
from tilescope.tiler.search.language import Pattern, Query, parse
from tilescope.tiler.search.selection import select
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, Values, values_of
from tilescope.tiler.tools.argument_names import ARGS_PREFIX, ColumnNames, names_in
from tilescope.tiler.tools.events.rows import EventRows, RowPage, page_of_rows
from tilescope.tiler.tools.question import After, EventName, SpanQuestion, place
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search import QueryText
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.words import Words

MAX_EVENTS: Final = 200_000
DEFAULT_EVENTS: Final = 1000

_COUNTERS: Final = frozenset({"counter"})


class EventColumnsQuestion(SpanQuestion, frozen=True, kw_only=True):
    """Events of a span as columns."""

    columns: Annotated[
        ColumnNames,
        Meta(
            description="Which columns, in this order: event, track, ordinal, name, category, start, end, duration, "
            "row, open, flags, value, and args.KEY for an argument; one with a comma stands in quotation marks.",
        ),
    ] = "event,track,name,category,start,duration"
    name: Annotated[EventName | None, Meta(description="Only events of exactly this name.")] = None
    where: Annotated[QueryText | None, Meta(description="Only events that a search for this would find.")] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_EVENTS, description="The most events that are listed.")] = DEFAULT_EVENTS
    after: Annotated[
        After | None, Meta(description="Where to go on, after this event: `more` of the answer before.")
    ] = None


def _answer(scope: Scope, question: EventColumnsQuestion) -> Interruptible[Answer]:
    wanted = names_in(question.columns, _COLUMNS, "columns")
    query = Query() if question.where is None else parse(question.where)
    if question.name is not None:
        query = replace(query, names=(*query.names, Pattern(PatternKind.EXACT, question.name)))
    question_windows = yield from scope.windows(question)
    selection = yield from select(scope.reader, query, scope.leaves(question.tracks))
    counters = scope.leaves(question.tracks, _COUNTERS) if query == Query() else []
    arguments = [name.removeprefix(ARGS_PREFIX) for name in wanted if name not in _COLUMNS]
    page = yield from page_of_rows(
        scope.reader, selection, counters, question_windows.on_track, arguments, question.limit, place(question.after)
    )
    columns: list[Column] = []
    notes: list[Note] = []
    values = iter(page.arguments)
    for name in wanted:
        if name in _COLUMNS:
            title, kind, make = _COLUMNS[name]
            columns.append(Column(name, title, kind, make(scope, page.events), total="none"))
        else:
            columns.append(next(values).column(name, name.removeprefix(ARGS_PREFIX)))
            if len(page.events) and not any(value is not None for value in _row_values(columns[-1])):
                notes.append(Note("info", f"none of these events has an argument {name.removeprefix(ARGS_PREFIX)!r}"))
        yield
    return Answer(tables=[Table("events", "Events", columns, more=_more(page))], notes=notes)


def _more(page: RowPage) -> str | None:
    return None if page.more is None else ",".join(map(str, page.more))


def _row_values(column: Column) -> Any:
    return column.values.codes[column.values.codes >= 0] if isinstance(column.values, Words) else values_of(column)


def _places(_: Scope, events: EventRows) -> Values:
    return [f"{track}.{ordinal}" for track, ordinal in zip(events.track.tolist(), events.ordinal.tolist(), strict=True)]


def _names(scope: Scope, events: EventRows, *, categories: bool = False) -> Words:
    distinct, inverse = np.unique(events.name, return_inverse=True)
    names_by_id = scope.reader.names.by_id(distinct.tolist())
    names = (names_by_id[name] for name in distinct.tolist())
    return _coded([name.category if categories else name.text for name in names], inverse)


def _flags(_: Scope, events: EventRows) -> Words:
    distinct, inverse = np.unique(events.flags, return_inverse=True)
    return _coded([" ".join(SliceFlag(value).words) for value in distinct.tolist()], inverse)


def _coded(texts: list[str], inverse: NDArray[np.int64]) -> Words:
    words: dict[str, int] = {}
    codes = np.array([words.setdefault(text, len(words)) for text in texts], np.int32)
    return Words(codes[inverse], list(words))


_COLUMNS: Final[Mapping[str, tuple[str, Kind, Callable[[Scope, EventRows], Values]]]] = {
    "event": ("Event", "event", _places),
    "track": ("Track", "track", lambda _, events: events.track),
    "ordinal": ("Ordinal", "id", lambda _, events: events.ordinal),
    "name": ("Name", "name", _names),
    "category": ("Category", "text", lambda scope, events: _names(scope, events, categories=True)),
    "start": ("Start", "time", lambda _, events: events.start),
    "end": ("End", "time", lambda _, events: events.start + events.duration),
    "duration": ("Duration", "ticks", lambda _, events: events.duration),
    "row": ("Row", "id", lambda _, events: events.row),
    "open": ("Open", "flag", lambda _, events: (events.flags & SliceFlag.OPEN) != 0),
    "flags": ("Flags", "text", _flags),
    "value": ("Value", "number", lambda _, events: events.value),
}


def _sentence(answer: Answer, _tick_ps: int) -> str:
    table = answer.table("events")
    more = ", and more follow" if table.more is not None else ""
    return f"{plural(len(table), 'event is', 'events are')} listed{more}"


TOOL: Final = Tool(
    id="events",
    title="Events as columns",
    help="events of a span with their arguments, as columns",
    group="raw",
    question=EventColumnsQuestion,
    answer=_answer,
    sentence=_sentence,
)
