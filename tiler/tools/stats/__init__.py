"""What a span of some tracks is made of, name by name: count, busy time, self time and the longest, exactly."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.pages import Histogram
from tilescope.tiler.query import Steps
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table, Value
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.tools.tool import Tool

MAX_ROWS: Final = 65_536
DEFAULT_ROWS: Final = 1000


class StatsQuestion(SpanQuestion, frozen=True, kw_only=True):
    """Statistics of a span."""

    limit: Annotated[int, Meta(ge=0, le=MAX_ROWS, description="The most names that are listed, the busiest first.")] = (
        DEFAULT_ROWS
    )


def _answer(scope: Scope, question: StatsQuestion) -> Steps[Answer]:
    looked = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    found = yield from summary(scope.reader, looked.of, tracks, question.limit)
    span = looked.span(tracks)
    rows = found.rows
    names = [found.names[name] for name in rows.name.tolist()]
    columns = [
        Column("name_id", "Name id", "id", rows.name),
        Column("name", "Name", "name", [name.text for name in names]),
        Column("category", "Category", "text", [name.category for name in names]),
        Column("count", "Count", "count", rows.count),
        Column("busy", "Busy", "ticks", rows.busy),
        Column("self", "Self", "ticks", rows.self_busy),
        Column("longest", "Longest", "ticks", rows.longest, total="max"),
    ]
    rest = _sums(found.rest) if len(found.rest) else None
    total = _sums(found.total)
    facts = [
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
        Fact("tracks", "Tracks", len(tracks), "count"),
        Fact("names", "Names", found.n_names, "count", "that occur in the span"),
    ]
    return Answer(facts, [Table("names", "Names", columns, totals=total, rest=rest)])


def _sums(rows: Histogram) -> dict[str, Value]:
    columns = {"count": rows.count, "busy": rows.busy, "self": rows.self_busy, "longest": rows.longest}
    return {name: int(column[0]) for name, column in columns.items()}


TOOL: Final = Tool(
    id="stats",
    title="Statistics",
    help="what a span is made of, name by name: count, busy time, self time and the longest, exactly",
    group="events",
    question=StatsQuestion,
    answer=_answer,
)
