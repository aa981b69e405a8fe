"""What a span of some tracks is made of: counts and times, and how durations are spread, by name or other groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final

from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.query import Steps
from tilescope.tiler.schema import TotalKind
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table, Value
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats.groups import GroupBy, groups
from tilescope.tiler.tools.stats.summary import GroupSums, summary
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[Any]

MAX_ROWS: Final = 65_536
DEFAULT_ROWS: Final = 1000


class StatsQuestion(SpanQuestion, frozen=True, kw_only=True):
    """Statistics of a span."""

    by: Annotated[GroupBy, Meta(description="What events are summed up by.")] = "name"
    limit: Annotated[int, Meta(ge=0, le=MAX_ROWS, description="The most rows that are listed, the busiest first.")] = (
        DEFAULT_ROWS
    )


def _answer(scope: Scope, question: StatsQuestion) -> Steps[Answer]:
    looked = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    by = groups(scope.reader, question.by)
    found = yield from summary(scope.reader, looked.of, tracks, question.limit, by)
    span = looked.span(tracks)
    rows = found.rows.histogram
    whole = int(found.total.histogram.busy[0])
    columns = [
        *by.columns(rows.name),
        Column("count", "Count", "count", rows.count),
        Column("share", "Share", "fraction", [int(busy) / whole if whole else None for busy in rows.busy.tolist()]),
        *(Column(name, _title(name), "ticks", values, total=_TOTALS[name]) for name, values in _ticks(found.rows)),
    ]
    facts = [
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
        Fact("tracks", "Tracks", len(tracks), "count"),
        Fact("names", by.title, found.n_groups, "count", "that occur in the span"),
    ]
    rest = None if found.rest is None else _one_row(found.rest)
    return Answer(facts, [Table("names", by.title, columns, totals=_one_row(found.total), rest=rest)])


# How the columns of ticks become one.
_TOTALS: Final[dict[str, TotalKind]] = {
    "busy": "sum",
    "self": "sum",
    "mean": "none",
    "shortest": "min",
    "p50": "none",
    "p99": "none",
    "longest": "max",
}


def _title(name: str) -> str:
    return f"{name} ±1%" if name.startswith("p") else name.capitalize()


def _ticks(sums: GroupSums) -> Iterator[tuple[str, Ints]]:
    rows = sums.histogram
    values = (rows.busy, rows.self_busy, sums.mean, rows.shortest, sums.median, sums.tail, rows.longest)
    return zip(_TOTALS, values, strict=True)


def _one_row(sums: GroupSums) -> dict[str, Value]:
    return {"count": int(sums.histogram.count[0]), **{name: int(values[0]) for name, values in _ticks(sums)}}


TOOL: Final = Tool(
    id="stats",
    title="Statistics",
    help="what a span is made of, by name, category, track, process or host: counts, times, percentiles",
    group="events",
    question=StatsQuestion,
    answer=_answer,
)
