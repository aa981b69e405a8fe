"""Columns of integers of any size: 64-bit where they fit, Python's where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

Mask = NDArray[np.bool_]

Exact = NDArray[Any]  # 64-bit integers, or Python's where they do not fit

_SMALL: Final = float(1 << 62)


def sum_of_columns(columns: Sequence[Exact], size: int) -> Exact:
    """Of each row the sum: exact."""
    found: Exact = np.zeros(size, np.int64)
    for column in columns:
        largest = float(np.abs(found).max(initial=0)) + float(np.abs(column).max(initial=0))
        found = (found.astype(object) if largest >= _SMALL else found) + column
    return found


def exact(values: Iterable[int]) -> Exact:
    """A column of integers of any size."""
    values = list(values)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def products(of: Exact, by: Exact) -> Exact:
    """Of each row the product: exact."""
    largest = float(np.abs(of).max(initial=0)) * float(np.abs(by).max(initial=0))
    if largest >= _SMALL:
        of, by = of.astype(object), by.astype(object)
    found: Exact = of * by
    return found


def sums_of_products(rows: Ints, columns: Sequence[Exact]) -> list[list[int]]:
    """Of each column its product with each row: exact. Rows have numbers that are not negative."""
    most = rows.max(axis=0, initial=0).astype(np.float64)
    found = []
    for column in columns:
        if column.dtype == object or float((most * np.abs(column.astype(np.float64))).sum()) >= _SMALL:
            found.append([sum_of(products(row, column)) for row in rows])
        else:
            found.append((rows @ column).tolist())
    return found


def sum_of(column: Exact) -> int:
    """The sum of a column: exact."""
    if column.dtype == object or float(np.abs(column.astype(np.float64)).sum()) >= _SMALL:
        return int(sum(column.tolist()))
    return int(column.sum())
