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


def exact(values: Iterable[int]) -> Exact:
    """A column of integers."""
    values = list(values)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def sum_of(column: Exact) -> int:
    """The exact sum of a column."""
    if column.dtype == object or float(np.abs(column.astype(np.float64)).sum()) >= _SMALL:
        return int(sum(column.tolist()))
    return int(column.sum())


def sum_of_columns(columns: Sequence[Exact], size: int) -> Exact:
    """The exact sum of each row of some columns, which have so many rows."""
    sums: Exact = np.zeros(size, np.int64)
    for column in columns:
        largest = float(np.abs(sums).max(initial=0)) + float(np.abs(column).max(initial=0))
        sums = (sums.astype(object) if largest >= _SMALL else sums) + column
    return sums


def products(left: Exact, right: Exact) -> Exact:
    """The exact product of each row of two columns."""
    largest = float(np.abs(left).max(initial=0)) * float(np.abs(right).max(initial=0))
    if largest >= _SMALL:
        left, right = left.astype(object), right.astype(object)
    product: Exact = left * right
    return product


def sums_of_products(rows: Ints, columns: Sequence[Exact]) -> list[list[int]]:
    """The exact products of each column with each row. Rows have numbers that are not negative."""
    most = rows.max(axis=0, initial=0).astype(np.float64)
    sums = []
    for column in columns:
        if column.dtype == object or float((most * np.abs(column.astype(np.float64))).sum()) >= _SMALL:
            sums.append([sum_of(products(row, column)) for row in rows])
        else:
            sums.append((rows @ column).tolist())
    return sums
