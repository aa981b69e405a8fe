"""Events with chosen columns, page by page: what the tool `events` answers, put together as one table."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Final

import numpy as np

from tilescope.client.answers import column_of
from tilescope.client.source import Build, RunSource, Value
from tilescope.client.tables import Table
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query.event_columns import EventColumns
from tilescope.tiler.tables.batch import Column
from tilescope.tiler.tables.event_rows import EVENT_COLUMNS as ROW_COLUMNS
from tilescope.tiler.tools import Table as ToolTable
from tilescope.tiler.tools.answer import FLOAT_KINDS, ID_KINDS, INTEGER_KINDS
from tilescope.tiler.tools.argument_names import ARGS_PREFIX, text_of_names
from tilescope.tiler.tools.value_column import ValueColumn

# Those of events that are read without a choice.
EVENT_COLUMNS: Final = ("track", "ordinal", "name", "category", "start", "duration", "row", "open", "flags", "value")


def are_on_pages(columns: Sequence[str] | None) -> bool:
    """True of columns that are read from pages: no tool has to be asked. None: those without a choice."""
    return columns is None or (len(columns) > 0 and all(name in ROW_COLUMNS for name in columns))


async def at_most(events: AsyncIterator[EventColumns], limit: int | None) -> list[EventColumns]:
    """The first events, as many as there may be; None: all. Raises UsageError for fewer than none."""
    if limit is not None and limit < 0:
        raise UsageError(f"limit: 0 or more, not {limit}")
    parts: list[EventColumns] = []
    left = limit
    async for part in events:
        parts.append(part if left is None else part.take(slice(left)))
        if left is not None:
            left -= len(parts[-1])
            if left <= 0:
                break
    return parts


# Events of one answer.
_AT_ONCE: Final = 100_000


async def event_pages(
    source: RunSource, build: Build, columns: Sequence[str] | None, question: Mapping[str, Value], limit: int | None
) -> AsyncGenerator[ToolTable, None]:
    """The answers, one after the other; at least one."""
    names = text_of_names(EVENT_COLUMNS if columns is None else columns)
    after: dict[str, Value] = {}
    listed = 0
    while True:
        at_once = _AT_ONCE if limit is None else min(limit - listed, _AT_ONCE)
        values = {**question, "columns": names, "limit": at_once, **after}
        table = await source.table(build, "events", values, "events")
        yield table
        listed += len(table)
        if table.more is None or (limit is not None and listed >= limit):
            return
        after = {"after": table.more}


def joined(pages: Sequence[ToolTable]) -> Table:
    """All events of some pages. An argument has one type: that of all its values."""
    return Table({column.id: _joined(pages, column.id) for column in pages[0].columns})


def _joined(pages: Sequence[ToolTable], name: str) -> Column:
    parts = [page.column(name) for page in pages]
    is_plain = not name.startswith(ARGS_PREFIX) and parts[0].kind in INTEGER_KINDS | ID_KINDS | FLOAT_KINDS | {"flag"}
    if len(parts) == 1:
        return column_of(parts[0])
    if is_plain:
        return np.concatenate([np.asarray(part.values) for part in parts])
    gathered = ValueColumn()
    for part in parts:
        gathered.add_column(part)
    return column_of(gathered.column(name, name))
