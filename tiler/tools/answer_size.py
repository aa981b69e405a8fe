"""Limits on the size of an answer: it is held in memory as a whole, once as it is and once as it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilescope.tiler.tools.answer import Answer, Column, Series, Table, Values
from tilescope.tiler.words import Words

# Values of all columns together, and characters of their texts: some 256 MB of Python objects each. Answers of our own
# tools have a million of values at most.
MOST_VALUES: Final = 8_000_000
MOST_CHARACTERS: Final = 128_000_000


def check_size(answer: Answer) -> None:
    """Raises ValueError for an answer that is too large, before anything else is done with its values."""
    count = characters = 0
    for column in _columns(answer):
        count += len(column.values)
        characters += _characters(column.values)
    for what, number, most in (("values", count, MOST_VALUES), ("characters of texts", characters, MOST_CHARACTERS)):
        if number > most:
            raise ValueError(f"the answer has {number:,} {what}, the limit is {most:,}: give parts of it, with `more`")


def _columns(answer: Answer) -> Iterator[Column]:
    """The columns of tables and series; anything else that stands there is refused elsewhere."""
    tables = [column for table in answer.tables if isinstance(table, Table) for column in table.columns]
    series = [
        column
        for drawn in answer.series
        if isinstance(drawn, Series)
        for column in (drawn.x, *drawn.ys, *drawn.lines, drawn.labels)
    ]
    return (column for column in (*tables, *series) if isinstance(column, Column))


def _characters(values: Values) -> int:
    if isinstance(values, Words):
        return _characters(values.words)
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "U":
            return values.size * (values.dtype.itemsize // 4)
        if values.dtype.kind != "O":
            return 0
    return sum(len(value) for value in values if isinstance(value, str))
