"""The rows of tables about one event, cell by cell, as the drawer of a slice has them."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.facts.event_rows import event_rows
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Note, Table
from tilescope.tiler.tools.tables.cell_column import column_title

_MOST_COLUMNS: Final = 1000  # of a row


def about_event(reader: QueryReader, track: int, ordinal: int) -> Interruptible[Answer]:
    """The cells of these rows, and notes on what nothing tells apart. Raises UsageError: there is no such event."""
    numbers: list[int] = []
    files: list[str] = []
    rows: list[int] = []
    names: list[str] = []
    values: list[str | None] = []
    notes: dict[str, Note] = {}
    for event_row in (yield from event_rows(reader, track, ordinal)):
        entry = event_row.table.entry
        columns = event_row.table.columns
        if event_row.alike:
            text = f"{entry.name}: {event_row.alike + 1:,} rows fit this event, and nothing tells them apart"
            notes[text] = Note("warning", text)
        if len(columns) > _MOST_COLUMNS:
            text = f"{entry.name}: {len(columns) - _MOST_COLUMNS:,} more columns are not listed: ask for its rows"
            notes[text] = Note("info", text)
        for place, name in enumerate(columns[:_MOST_COLUMNS]):
            cells = yield from event_row.table.part(name, np.array([event_row.row]))
            numbers.append(entry.id)
            files.append(entry.name)
            rows.append(event_row.row)
            names.append(column_title(name, place))
            values.append(cells.texts()[0])
    table = Table(
        "event",
        "Rows about this event",
        [
            Column("number", "Number", "id", numbers),
            Column("name", "Table", "text", files),
            Column("row", "Row", "id", rows),
            Column("column", "Column", "text", names),
            Column("value", "Value", "text", values),
        ],
    )
    return Answer(tables=[table], notes=list(notes.values()))
