"""Counts and times of events in a span of some tracks, and spreads of durations, by name or other groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import devices_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import Kind, TotalKind
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.argument_names import ArgumentName, ColumnNames, arguments_in
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures, figure_text
from tilescope.tiler.tools.question import FigureQuestion, Tracks
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats.argument_sums import ArgumentSums, argument_sums
from tilescope.tiler.tools.stats.groups import groups
from tilescope.tiler.tools.stats.summary import GroupSums, summary
from tilescope.tiler.tools.stats.value_groups import ValueGroups
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[Any]

MAX_ROWS: Final = 65_536
DEFAULT_ROWS: Final = 1000

_DIGEST_STREAMS: Final = 20  # on Overview


StatsBy = Literal["name", "category", "track", "process", "host", "argument"]


class StatsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Statistics of a span."""

    by: Annotated[StatsBy, Meta(description="What the rows are: events are grouped by it.")] = "name"
    argument: Annotated[
        ArgumentName | None, Meta(description="With by=argument: the argument whose values are the rows.")
    ] = None
    sum: Annotated[
        ColumnNames | None,
        Meta(
            description="Arguments whose numbers are summed up as well, over the events that start in the span, as in "
            "bytes,flops; one with a comma stands in quotation marks.",
        ),
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_ROWS, description="The most rows that are listed, the busiest first.")] = (
        DEFAULT_ROWS
    )


def _answer(scope: Scope, question: StatsQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    names = [] if question.sum is None else arguments_in(question.sum, "sum")
    valued: ValueGroups | None = None
    if question.by == "argument":
        if question.argument is None:
            raise UsageError("argument: by=argument needs the name of an argument")
        valued = ValueGroups(scope.reader, question.argument)
        by = valued.groups()
    else:
        if question.argument is not None:
            raise UsageError("argument: it goes with by=argument")
        by = groups(scope.reader, question.by)
    rename = None if valued is None else valued.of_page
    span_summary = yield from summary(scope.reader, question_windows.on_track, tracks, question.limit, by, rename)
    sums: list[ArgumentSums] = []
    if names:

        def groups_of(track: int, name: Ints, ordinal: Ints) -> Ints:
            if valued is not None:
                return valued.of_events(track, ordinal)
            return by.of_events(track, name)

        sums = yield from argument_sums(scope.reader, question_windows.on_track, tracks, names, groups_of)
    span = question_windows.span(tracks)
    rows = span_summary.rows.histogram
    whole = int(span_summary.total.histogram.busy[0])
    columns = [
        *by.columns(rows.name),
        Column("count", "Count", "count", rows.count),
        Column("share", "Share", "fraction", [int(busy) / whole if whole else None for busy in rows.busy.tolist()]),
        *(
            Column(name, _title(name), "ticks", values, total=_TOTALS[name])
            for name, values in _ticks(span_summary.rows)
        ),
    ]
    totals, rest = _one_row(span_summary.total), None if span_summary.rest is None else _one_row(span_summary.rest)
    notes = []
    for name, summed in zip(names, sums, strict=True):
        columns.append(_sum_column(name, [summed.total([number]) for number in rows.name.tolist()]))
        totals[columns[-1].id] = _of_kind(
            columns[-1], summed.total([*rows.name.tolist(), *span_summary.left_out.tolist()])
        )
        if rest is not None:
            rest[columns[-1].id] = _of_kind(columns[-1], summed.total(span_summary.left_out.tolist()))
        if summed.others:
            text = plural(summed.others, f"value of {name} is not a number", f"values of {name} are not numbers")
            notes.append(Note("warning", f"{text}: no sum has {'it' if summed.others == 1 else 'them'}"))
        elif not summed.numbers:
            notes.append(Note("info", f"none of these events has an argument {name!r}"))
    facts = [
        Fact("names", by.title, span_summary.n_groups, "count", "that occur in the span"),
        Fact("tracks", "Tracks", len(tracks), "count"),
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
    ]
    return Answer(facts, [Table("names", by.title, columns, totals=totals, rest=rest)], notes=notes)


def _sum_column(name: str, values: list[Value]) -> Column:
    """Whole numbers, or doubles where one of the sums is no whole number."""
    kind: Kind = "number" if any(isinstance(value, float) for value in values) else "count"
    if kind == "number":
        values = [None if value is None else float(value) for value in values]
    return Column(f"sum.{name}", f"Sum of {name}", kind, values)


def _of_kind(column: Column, value: Value) -> Value:
    return float(value) if column.kind == "number" and value is not None else value


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


# Of the durations of events that start: without one there are none.
_OF_DURATIONS: Final = frozenset({"mean", "shortest", "p50", "p99", "longest"})


def _ticks(sums: GroupSums) -> Iterator[tuple[str, Ints]]:
    rows = sums.histogram
    values = (rows.busy, rows.self_busy, sums.mean, rows.shortest, sums.median, sums.tail, rows.longest)
    none = rows.count == 0
    for name, ticks in zip(_TOTALS, values, strict=True):
        yield name, np.ma.MaskedArray(ticks, none) if name in _OF_DURATIONS and none.any() else ticks


def _one_row(sums: GroupSums) -> dict[str, Value]:
    return {"count": int(sums.histogram.count[0]), **{name: values.tolist()[0] for name, values in _ticks(sums)}}


def _digest_fields(scope: Scope) -> Interruptible[Mapping[str, object] | None]:
    """The streams of Ascend devices, as many as a question can name."""
    devices = yield from devices_of(scope.reader)
    groups = scope.reader.tree.groups
    streams = {
        work_track.track
        for device in devices
        if is_ascend_device(groups[device.group].name)
        for work_track in device.tracks
    }
    return {"by": "track", "tracks": Tracks(sorted(streams)), "limit": _DIGEST_STREAMS} if streams else None


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The group with most self time, where all are listed, else that with most time: those are listed first."""
    figures = Figures(answer, tick_ps)
    table = answer.table("names")
    if not figures.count("names"):
        return "No event starts or runs in what is looked at"
    by, words = ("busy", "time") if table.rest is not None else ("self", "self time")
    row = figures.greatest("names", by)
    named = next((column.id for column in table.columns if column.kind in ("name", "text")), None)
    groups = f"{table.title.lower()}: {figures.text('names')}"
    if row is None or named is None:
        return f"No time is listed; {groups}"
    whole = figure_text("ticks", (table.totals or {}).get(by), tick_ps)
    name = figures.cell("names", named, row) or "what has no name"
    return f"Most {words} is in {name}: {figures.cell('names', by, row)} of {whole}; {groups}"


TOOL: Final = Tool(
    id="stats",
    title="Statistics",
    help="what a span is made of, by name, category, track, process, host or argument: counts, times, percentiles",
    group="time",
    question=StatsQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("names.count", "names.busy", "names.self"),
        by_track=True,
        rows=(AddedRows("names", ("name_id",), ("count", "busy", "self")),),
        lists={"names": "names"},
    ),
    digest=Digest("Streams and their tasks", "names", ("name", "track", "count", "share", "busy"), _digest_fields),
)
