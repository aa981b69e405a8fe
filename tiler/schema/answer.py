"""Answers of tools, and the list of tools. `tiler/tools/answer.py` has the same with columns of numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Ticks

# What a figure is. `ticks` is a duration, `time` a point in time, in ticks since the origin; `ps` is a duration in
# picoseconds, of runs whose ticks may differ.
# `event` is "track.ordinal", `span` is "start-end" in ticks, `place` is where a list goes on.
Kind = Literal[
    "text",
    "name",
    "count",
    "ticks",
    "ps",
    "time",
    "bytes",
    "fraction",
    "rate",
    "flops",
    "number",
    "id",
    "track",
    "event",
    "span",
    "place",
    "flag",
]
# "none": of the values of rows nothing can be made; totals have what was computed of all that is behind them.
TotalKind = Literal["sum", "max", "min", "none"]
SeriesKind = Literal["line", "area", "bars", "heat", "points"]
Scale = Literal["linear", "log"]
Severity = Literal["info", "warning", "error"]

# Exact integers are decimal text, ids and fractions are numbers, what is not recorded is null: by the kind beside it.
ToolValue = str | int | float | bool | None


class ToolFact(Struct, frozen=True, kw_only=True):
    """One figure."""

    id: str
    label: str
    kind: Kind
    value: Annotated[ToolValue, Meta(description="null: not recorded.")]
    note: Annotated[str, Meta(description="What it is, or why it was not recorded and what to do about it.")]


class ToolColumn(Struct, frozen=True, kw_only=True):
    """Values of one kind, one for each row."""

    id: str
    title: str
    kind: Kind
    unit: Annotated[str, Meta(description="What a rate or a number is of.")]
    total: Annotated[TotalKind, Meta(description="How values of rows become one in totals and rest.")]
    values: Annotated[Sequence[ToolValue], Meta(description="null: not recorded.")]


class ToolRowQuestion(Struct, frozen=True, kw_only=True):
    """A question that rows of a table stand for. Its range is that of the answer."""

    tool: str
    label: Annotated[str, Meta(description="What the row leads to: “Kernels that it launches”.")]
    columns: Annotated[
        Mapping[str, str],
        Meta(
            description="Fields of the question, and the columns whose value of the row they have; null: no question."
        ),
    ]
    values: Annotated[Mapping[str, str], Meta(description="Fields that are the same for all rows.")]


class ToolTable(Struct, frozen=True, kw_only=True):
    """Columns of equal length."""

    id: str
    title: str
    parent: Annotated[
        str | None, Meta(description="The column of row numbers (-1: none) that makes a tree of the rows.")
    ]
    nested: Annotated[
        Sequence[str],
        Meta(description="Columns whose value of a row has those of all rows below it: a tree can be drawn by them."),
    ] = ()
    opens: Annotated[Sequence[ToolRowQuestion], Meta(description="Questions that a row leads to.")] = ()
    columns: Sequence[ToolColumn]
    totals: Annotated[Mapping[str, ToolValue] | None, Meta(description="Over all rows, by column.")]
    rest: Annotated[Mapping[str, ToolValue] | None, Meta(description="Over rows that are not listed, by column.")]
    more: Annotated[str | None, Meta(description="What `after` has to be for the rows that follow.")]


class ToolSeries(Struct, frozen=True, kw_only=True):
    """Series of a chart: ys over one x."""

    id: str
    title: str
    kind: SeriesKind
    scale: Annotated[Scale, Meta(description="Of both axes. On log, what is not above 0 has no place.")]
    x: ToolColumn
    ys: Sequence[ToolColumn]
    lines: Annotated[
        Sequence[ToolColumn], Meta(description="Limits over the same x, measured as ys are: lines, whatever the kind.")
    ]
    labels: Annotated[ToolColumn | None, Meta(description="What is at each x, where that says more than x itself.")]


class ToolNote(Struct, frozen=True, kw_only=True):
    """Something that a reader should know, and where in the timeline to look."""

    severity: Severity
    text: str
    start: Ticks | None
    end: Ticks | None
    track: Count | None
    event: Annotated[str | None, Meta(description="The event that it is about: track.ordinal.")] = None


class ToolAnswer(Struct, frozen=True, kw_only=True):
    """Answer of a tool."""

    complete: Annotated[
        bool,
        Meta(description="false while the run is being indexed and tracks are not done, or where hosts are `missing`."),
    ]
    missing: Annotated[
        Sequence[str], Meta(description="Hosts of a run of shards that are not there, and not in the answer.")
    ] = ()
    headline: Annotated[
        ToolNote | None, Meta(description="The answer in one sentence with its figures; null: there is nothing to say.")
    ] = None
    facts: Sequence[ToolFact]
    tables: Sequence[ToolTable]
    series: Sequence[ToolSeries]
    notes: Annotated[Sequence[ToolNote], Meta(description="What else a reader should know: the headline is not in it.")]


class ToolEntry(Struct, frozen=True, kw_only=True):
    """A tool, and whether it has an answer for this run."""

    id: str
    title: str
    help: str
    group: str
    available: bool
    reason: Annotated[str, Meta(description="Why it has none, and what to record to get one.")]
    fields: Annotated[
        Sequence[str],
        Meta(description="Names of the fields of its question: one without `start` or `steps` takes no such range."),
    ]


class ToolList(Struct, frozen=True, kw_only=True):
    """All tools."""

    tools: Sequence[ToolEntry]
