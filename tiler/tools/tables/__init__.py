"""The tables beside the events of a run: which there are, and the rows of one, sorted and filtered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.kernel_rows import as_kernel_rows
from tilescope.tiler.facts.row_events import row_events
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.argument_names import MAX_NAMES, ColumnNames, arguments_in
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tables.about_event import about_event
from tilescope.tiler.tools.tables.cell_column import Rows, cell_column, chosen_rows, sorted_rows
from tilescope.tiler.tools.tool import Reason, Tool

MAX_ROWS: Final = 100_000
DEFAULT_ROWS: Final = 1000

CellText = Annotated[str, Meta(min_length=1, max_length=256)]


class TablesQuestion(Question, frozen=True, kw_only=True):
    """The list of tables, or the rows of one."""

    number: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Which table, by its number in the list.")
    ] = None
    name: Annotated[CellText | None, Meta(description="Which table, by its name, if no other has it.")] = None
    columns: Annotated[
        ColumnNames | None,
        Meta(
            description="Which columns, by the names of the header, separated by commas; one with a comma stands in "
            f"quotation marks. The first {MAX_NAMES} unless given."
        ),
    ] = None
    sort: Annotated[
        CellText | None, Meta(description="The column by which rows are sorted: numbers first, then texts, none last.")
    ] = None
    descending: Annotated[bool, Meta(description="From the greatest value to the least.")] = False
    contains: Annotated[
        CellText | None, Meta(description="Only rows with a cell in which this text is, in any case.")
    ] = None
    within: Annotated[
        CellText | None, Meta(description="The column of these cells; any of those that are listed unless given.")
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_ROWS, description="The most rows that are listed.")] = DEFAULT_ROWS
    after: Annotated[
        int, Meta(ge=0, description="Rows to leave out at the beginning: `more` of the answer before goes on.")
    ] = 0
    track: Annotated[
        Annotated[int, Meta(ge=0, le=2**32 - 1)] | None,
        Meta(
            description="Number of an event's track: the rows about this event, of all tables.", extra={"unit": "track"}
        ),
    ] = None
    ordinal: Annotated[
        Annotated[int, Meta(ge=0, le=2**62)] | None, Meta(description="Rank of that event on its track.")
    ] = None


def _answer(scope: Scope, question: TablesQuestion) -> Interruptible[Answer]:
    if question.track is not None and question.ordinal is not None:
        return (yield from about_event(scope.reader, question.track, question.ordinal))
    if question.track is not None or question.ordinal is not None:
        raise UsageError("name an event by both track and ordinal")
    tables = run_tables(scope.reader)
    notes: list[Note] = []
    table = _chosen(tables, question, notes)
    if table is None:
        return Answer(tables=[_list(tables)], notes=notes)
    names = _names(table, question, notes)
    sort = _column_name(table, question.sort, "sort", notes)
    within = _column_name(table, question.within, "within", notes)
    rows = yield from chosen_rows(table, names if within is None else [within], question.contains)
    if sort is not None:
        rows = yield from sorted_rows(table, sort, rows, descending=question.descending)
    page = rows[question.after : question.after + question.limit]
    facts, columns = yield from _events(scope, table, page)
    for name in names:
        columns.append((yield from cell_column(table, name, page)))
    behind = question.after + len(page)
    more = str(behind) if len(page) and behind < len(rows) else None
    entry = table.entry
    facts = [
        Fact("name", "Table", entry.name, "text"),
        Fact("family", "Kind", entry.family or None, "text"),
        Fact("rows", "Rows", len(table), "count"),
        Fact("chosen", "Rows chosen", len(rows), "count"),
        *facts,
    ]
    return Answer(facts, [Table("rows", entry.name, columns, more=more)], notes=notes)


def _events(scope: Scope, table: RunTable, page: Rows) -> Interruptible[tuple[list[Fact], list[Column]]]:
    """The events of some rows of kernels, and how many rows and events of all of them have none."""
    kernels = as_kernel_rows(scope.reader, table)
    if kernels is None:
        return [], []
    events = yield from row_events(scope.reader, kernels)
    facts = [
        Fact("joined", "Rows with an event", events.joined, "count", "by rank, stream, start and name"),
        Fact("without_event", "Rows without an event", len(table) - events.joined, "count", "these three, and others"),
        Fact(
            "alike",
            "Rows alike",
            events.alike,
            "count",
            "several of the same start, stream and name: not matched to events",
        ),
        Fact("named_otherwise", "Rows of another name", events.named_otherwise, "count", "than their stream's event"),
        Fact("unplaced", "Rows outside", events.unplaced, "count", "without a start, or with one outside of the run"),
        Fact("events", "Events", events.events, "count", "on streams and of communication"),
        Fact("events_without_row", "Events without a row", events.events_without_row, "count"),
    ]
    return facts, [Column("event", "Event", "event", events.events_of(page))]


def _chosen(tables: Sequence[RunTable], question: TablesQuestion, notes: list[Note]) -> RunTable | None:
    if question.number is not None:
        if question.number < len(tables):
            return tables[question.number]
        notes.append(Note("warning", f"there is no table {question.number}: the run has {len(tables):,}"))
    elif question.name is not None:
        matches = [table for table in tables if table.entry.name == question.name]
        if len(matches) == 1:
            return matches[0]
        numbers = ", ".join(str(table.entry.id) for table in matches[:10])
        why = f"there are {len(matches)} (number {numbers})" if matches else "see the list of tables"
        notes.append(Note("warning", f"no single table is called {question.name!r}: {why}"))
    return None


def _names(table: RunTable, question: TablesQuestion, notes: list[Note]) -> list[str]:
    """The columns that are listed: those that are wanted, or else the first."""
    wanted = [] if question.columns is None else arguments_in(question.columns, "columns")
    names = [name for name in wanted if _column_name(table, name, "columns", notes) is not None]
    if names:
        return names
    more = len(table.columns) - MAX_NAMES
    if more > 0:
        notes.append(Note("info", f"{more:,} more columns are not listed: name them in `columns`"))
    return table.columns[:MAX_NAMES]


def _column_name(table: RunTable, name: str | None, field: str, notes: list[Note]) -> str | None:
    """The name of a column; where there is none of this name, that is noted."""
    if name is None or name in table:
        return name
    there = ", ".join(table.columns[:10])
    notes.append(Note("warning", f"{field}: table {table.entry.name!r} has no column {name!r}: it has {there}"))
    return None


def _list(tables: Sequence[RunTable]) -> Table:
    entries = [table.entry for table in tables]
    columns = [
        Column("number", "Number", "count", [entry.id for entry in entries], total="none"),
        Column("name", "Table", "text", [entry.name for entry in entries]),
        Column("family", "Kind", "text", [entry.family or None for entry in entries]),
        Column("host", "Host", "text", [entry.host or None for entry in entries]),
        Column("rank", "Rank", "count", [entry.rank for entry in entries], total="none"),
        Column("device", "Device", "text", [entry.device or None for entry in entries]),
        Column("capture", "Capture", "text", [entry.capture or None for entry in entries]),
        Column("rows", "Rows", "count", [entry.rows for entry in entries]),
        Column("columns", "Columns", "count", [len(entry.columns) for entry in entries]),
        Column("stored", "Stored", "bytes", [entry.size_bytes for entry in entries]),
    ]
    return Table("tables", "Tables of this run", columns)


def _availability(scope: Scope) -> Reason:
    if run_tables(scope.reader):
        return ""
    return "no file of the run is a table: profilers of Ascend devices write such files beside the timeline"


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if figures.value("rows") is None:
        return ""
    rows = plural(figures.count("rows"), "row", "rows")
    return f"{figures.text('chosen')} of {rows} of {figures.text('name')} are chosen"


TOOL: Final = Tool(
    id="tables",
    title="Tables",
    help="tables beside the events of a run, sorted and filtered",
    group="raw",
    question=TablesQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
