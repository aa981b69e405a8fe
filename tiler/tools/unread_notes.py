"""The note on figures of tables that could not be read, with the files that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.schema import Severity
from tilescope.tiler.tools.answer import Note

_NAMED: Final = 3


class UnreadFigures(NamedTuple):
    """Number of cells of a table that have something, and no figure."""

    table: RunTable
    cells: int


def unread_notes(
    unread: Sequence[UnreadFigures], singular: str, many: str, cost: str = "", severity: Severity = "warning"
) -> list[Note]:
    """A note on the figures of all tables, called `singular` or `many`; nothing where all could be read.

    `cost`: of such a figure, a sentence; unless given, it counts for nothing.
    """
    figures = sum(each.cells for each in unread)
    if not figures:
        return []
    files = list(dict.fromkeys(each.table.entry.name for each in unread if each.cells))
    more = f" and {plural(len(files) - _NAMED, 'more file', 'more files')}" if len(files) > _NAMED else ""
    verb, counts = ("is", "counts") if figures == 1 else ("are", "count")
    names = ", ".join(files[:_NAMED]) + more
    words = f"{plural(figures, singular, many)} of {names} could not be read, or {verb} too large"
    return [Note(severity, f"{words}: {cost}" if cost else f"{words}, and {counts} for nothing")]
