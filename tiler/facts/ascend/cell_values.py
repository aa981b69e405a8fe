"""Values of table cells: decimals as exact integers of a smaller unit, lists in JSON, numbers of operations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from tilescope.tiler.facts.tables import TableColumn

_MOST: Final = (1 << 63) - 1


def decimal_times(column: TableColumn, unit: int) -> list[int | None]:
    """Cells times `unit`, exactly, as integers of any size; None: no number. What is below one is cut off."""
    return [None if pair is None else pair[0] * unit // 10 ** pair[1] for pair in column.decimals()]


def counts(column: TableColumn) -> list[int | None]:
    """Whole numbers from 0 to 2^63 - 1; None for any other cell."""
    return [None if pair is None or pair[1] or not 0 <= pair[0] <= _MOST else pair[0] for pair in column.decimals()]


def count_list(text: str | None) -> Sequence[int] | None:
    """A list of whole numbers in JSON, each from 0 to 2^63 - 1; empty for no cell; None: it is none."""
    if text is None:
        return ()
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if values is None:
        return ()
    if not isinstance(values, list):
        return None
    return values if all(type(value) is int and 0 <= value <= _MOST for value in values) else None
