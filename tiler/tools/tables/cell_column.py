"""Cells of a side table as a column of an answer, exactly; and which rows have a text, or come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column
from tilescope.tiler.words import Words

Rows = NDArray[np.int64]

PREFIX: Final = "cell."  # of ids, behind which the name of the header stands

_EXACT_DIGITS: Final = 10**15  # decimals with so many digits are restored by the double that is nearest to them
_IN_NUMBERS: Final = frozenset("0123456789.-")


def cell_column(table: RunTable, name: str, rows: Rows) -> Interruptible[Column]:
    """These rows of a column: integers and decimals as numbers, where that is exact, or else texts."""
    order = np.argsort(rows, kind="stable")
    column = yield from table.part(name, rows[order])
    back = np.argsort(order, kind="stable")
    facts = table.entry.columns[table.places[name]]
    title = column_title(name, table.places[name])
    cell_id, missing = PREFIX + name, ~column.has_number[back]
    if facts.numbers and not facts.texts:
        if not facts.most_digits:
            return Column(cell_id, title, "count", np.ma.MaskedArray(column.scaled(0)[back], missing), total="none")
        if facts.most_magnitude < _EXACT_DIGITS:
            return Column(cell_id, title, "number", column.doubles()[back], total="none")
    codes, words = column.coded()
    return Column(cell_id, title, "text", Words(codes[back], words), total="none")


def column_title(name: str, place: int) -> str:
    """A column as people read it, whose header may be empty."""
    return name or f"column {place}"


def chosen_rows(table: RunTable, names: Sequence[str], text: str | None) -> Interruptible[Rows]:
    """The rows with a cell of these columns in which a text is, in any case; None: all."""
    if text is None:
        return np.arange(len(table))
    chosen = np.zeros(len(table), np.bool_)
    folded = text.casefold()
    may_be_numbers = _IN_NUMBERS.issuperset(folded)
    for name in names:
        codes, words = (yield from table.column(name)).coded(numbers=may_be_numbers)
        hits = np.array([*(folded in word.casefold() for word in words), False], np.bool_)
        chosen |= hits[codes]
        yield
    return np.flatnonzero(chosen)


def sorted_rows(table: RunTable, name: str, rows: Rows, *, descending: bool) -> Interruptible[Rows]:
    """The rows by a column: numbers before texts, what is neither last; equal ones in the order of the table."""
    column = yield from table.column(name)
    codes, words = column.coded(numbers=False)
    order = np.argsort(np.argsort(np.array([*words, ""], object)[:-1], kind="stable"), kind="stable")
    places = np.append(order, -1)[codes]
    yield
    kind = np.where(column.has_number, 0, np.where(codes >= 0, 1, 2))
    numbers = column.order()
    values = np.where(kind == 1, places, numbers)
    keys = (~values if descending else values, kind)  # unlike -values it has no overflow
    yield
    return rows[np.lexsort(tuple(key[rows] for key in keys))]
