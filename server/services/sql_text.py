"""Rules of statements and their rows, as clients are told of them."""

from __future__ import annotations

from tilescope.server.services.statements import LIMITS
from tilescope.tiler.schema import SqlRoom, SqlRows, SqlRowsColumn, SqlTable, SqlTableColumn
from tilescope.tiler.sql import SqlAnswer
from tilescope.tiler.sql.answer import Cell
from tilescope.tiler.tables import TABLES


def sql_room(reason: str | None) -> SqlRoom:
    """The rules for a client, with the reason why it may run no statements, and all tables."""
    tables = [
        SqlTable(
            name=table.name,
            doc=table.doc,
            columns=[SqlTableColumn(name=c.name, type=c.type.value, doc=c.doc) for c in table.columns],
        )
        for table in TABLES.values()
    ]
    return SqlRoom(allowed=reason is None, reason=reason, seconds=round(LIMITS.seconds), tables=tables)


def sql_rows(answer: SqlAnswer) -> SqlRows:
    """The same rows, whole numbers as text."""
    return SqlRows(
        columns=[SqlRowsColumn(name=column.name, type=column.type) for column in answer.columns],
        rows=[list(map(_as_text, row)) for row in answer.rows],
        cut=answer.is_cut,
    )


def _as_text(cell: Cell) -> str | float | bool | None:
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
