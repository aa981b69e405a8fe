"""Counts and times of events in a span of some tracks, and spreads of durations, by name or other groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import devices_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import Kind
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.argument_names import ArgumentName, ColumnNames, arguments_in
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures, figure_text
from tilescope.tiler.tools.question import FigureQuestion, Tracks
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats.argument_sums import ArgumentSums, argument_sums
from tilescope.tiler.tools.stats.figures import figure_columns, one_row
from tilescope.tiler.tools.stats.groups import groups
from tilescope.tiler.tools.stats.pivot import Side, pair_sums
from tilescope.tiler.tools.stats.pivot_table import pivot_table
from tilescope.tiler.tools.stats.summary import summary, summary_of
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
    then: Annotated[
        StatsBy | None,
        Meta(description="A second grouping: a table has each group of the first, and in it those of the second."),
    ] = None
    argument: Annotated[
        ArgumentName | None,
        Meta(description="With by=argument or then=argument: the argument whose values are the rows."),
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
    valued = _valued(scope, question)
    sides = [_side(scope, by, valued) for by in (question.by, question.then) if by is not None]
    by, pairs = sides[0].groups, None
    if question.then is None:
        rename = sides[0].rename
        span_summary = yield from summary(scope.reader, question_windows.on_track, tracks, question.limit, by, rename)
    else:
        pairs = yield from pair_sums(scope.reader, question_windows.on_track, tracks, *sides)
        span_summary = summary_of(scope.reader.tree.leaves(tracks), pairs.of_first(), question.limit)
    sums: list[ArgumentSums] = []
    if names:

        def groups_of(track: int, name: Ints, ordinal: Ints) -> Ints:
            if valued is not None and question.by == "argument":
                return valued.of_events(track, ordinal)
            return by.of_events(track, name)

        sums = yield from argument_sums(scope.reader, question_windows.on_track, tracks, names, groups_of)
    span = question_windows.span(tracks)
    rows = span_summary.rows.histogram
    whole = int(span_summary.total.histogram.busy[0])
    pivot = None if pairs is None else pivot_table(pairs, sides, question.limit)
    columns = [
        *by.columns(rows.name),
        *figure_columns(span_summary.rows, whole),
    ]
    totals, rest = one_row(span_summary.total), None if span_summary.rest is None else one_row(span_summary.rest)
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
    tables = [Table("names", by.title, columns, totals=totals, rest=rest)]
    if pivot is not None:
        tables.append(pivot.table)
        notes += pivot.notes
    return Answer(facts, tables, notes=notes)


def _valued(scope: Scope, question: StatsQuestion) -> ValueGroups | None:
    if question.then == question.by:
        raise UsageError(f"then: the rows are by {question.by} already")
    if "argument" in (question.by, question.then):
        if question.argument is None:
            raise UsageError("argument: by=argument and then=argument need the name of an argument")
        return ValueGroups(scope.reader, question.argument)
    if question.argument is not None:
        raise UsageError("argument: it goes with by=argument or then=argument")
    return None


def _side(scope: Scope, by: StatsBy, valued: ValueGroups | None) -> Side:
    if by != "argument":
        return Side(by, groups(scope.reader, by))
    assert valued is not None
    return Side(by, valued.groups(), valued.of_page)


def _sum_column(name: str, values: list[Value]) -> Column:
    """Whole numbers, or doubles where one of the sums is no whole number."""
    kind: Kind = "number" if any(isinstance(value, float) for value in values) else "count"
    if kind == "number":
        values = [None if value is None else float(value) for value in values]
    return Column(f"sum.{name}", f"Sum of {name}", kind, values)


def _of_kind(column: Column, value: Value) -> Value:
    return float(value) if column.kind == "number" and value is not None else value


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
        return "No event starts or runs in this range"
    by, words = ("busy", "time") if table.rest is not None else ("self", "self time")
    row = figures.greatest("names", by)
    named = next((column.id for column in table.columns if column.kind in ("name", "text")), None)
    groups = f"{table.title.lower()}: {figures.text('names')}"
    if row is None or named is None:
        return f"No time is listed; {groups}"
    whole = figure_text("ticks", (table.totals or {}).get(by), tick_ps)
    name = figures.cell("names", named, row) or "what has no name"
    of_all = f" of {whole}" if whole else ""
    return f"Most {words} is in “{name}”: {figures.cell('names', by, row)}{of_all}; {groups}"


TOOL: Final = Tool(
    id="stats",
    title="Statistics",
    help="counts, times and percentiles by name, track, process or argument",
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
