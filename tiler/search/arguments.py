"""Comparison of arguments with those of a query, of one event and of many."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.query import ValuesOfSome
from tilescope.tiler.search.language import Argument, Comparison

Mask = NDArray[np.bool_]

# The numbers of a text decide nothing then: events of which texts differ in their numbers alone are told apart by none.
_WRITTEN_NUMBER: Final = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|nan|inf|NaN|Infinity)\s*", re.ASCII)


def holds(argument: Argument, value: object) -> bool:
    """True if a value is as a query wants it: equal as text, or as a number; greater, less; with a text in it."""
    if argument.comparison == "~":
        return isinstance(value, str | list) and contains(shown(value), argument.value)
    if argument.comparison == "=" and shown(value) == argument.value:
        return True
    number, wanted = _number(value), argument.number
    return number is not None and wanted is not None and _compare(number, argument.comparison, wanted)


def shown(value: object) -> str:
    """A value as text: that of JSON for what is no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "null" if value is None else str(value)


def contains(text: str, wanted: str) -> bool:
    """True if a text has another in it, upper and lower case alike; never one that is written as a number."""
    return wanted.casefold() in text.casefold() and not is_written_number(text)


def is_written_number(text: str) -> bool:
    """True if a text is written as a number, spaces aside."""
    return _WRITTEN_NUMBER.fullmatch(text) is not None


def has_arguments(batch: ValuesOfSome, names: Sequence[str], arguments: Sequence[Argument]) -> Mask:
    """True for each event of a batch that has all of these arguments. `names`: of the batch's columns."""
    mask = np.ones(batch.which.stop - batch.which.start, np.bool_)
    for argument in arguments:
        mask &= _held(argument, batch.values[names.index(argument.key)])
    for row, decoded in batch.decoded.items():  # a name may be there several times
        mask[row] = all(
            any(name == argument.key and holds(argument, value) for name, value in decoded) for argument in arguments
        )
    return mask


def _held(argument: Argument, values: Values) -> Mask:
    """True for each of the values that is as a query wants them."""
    mask = np.zeros(len(values), np.bool_)
    wanted = argument.number
    numbers = ((ValueKind.INTEGER, values.bits), (ValueKind.UNSIGNED, values.bits.view(np.uint64)))
    for kind, column in (*numbers, (ValueKind.REAL, values.reals)):
        rows = values.where(kind)
        if len(rows) and wanted is not None and argument.comparison != "~":
            mask[rows] = _compared(column[rows], argument.comparison, wanted)
    reals = values.where(ValueKind.REAL)
    others = [values.where(kind) for kind in (ValueKind.TEXT, ValueKind.FLAG, ValueKind.NULL, ValueKind.OTHER)]
    for rows in (*others, reals[~np.isfinite(values.reals[reals])]):
        _, first, inverse = np.unique(values.bits[rows], return_index=True, return_inverse=True)
        mask[rows] = np.array([holds(argument, values.value(row)) for row in rows[first].tolist()], np.bool_)[inverse]
    return mask


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        # A double means its shortest decimal, as it is shown.
        return Fraction(str(value)) if not isinstance(value, str) or len(value) <= 60 else None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _compare(number: Any, comparison: Comparison, wanted: Any) -> Any:
    if comparison == "=":
        return number == wanted
    if comparison == ">":
        return number > wanted
    if comparison == ">=":
        return number >= wanted
    return number < wanted if comparison == "<" else number <= wanted


def _compared(values: NDArray[Any], comparison: Comparison, wanted: Fraction) -> Mask:
    """True for each number, all of one type, that compares so. Exact: bounds between two integers are moved to one."""
    if values.dtype == np.float64:
        near = float(wanted)
        mask: Mask = _compare(values, comparison, near) & np.isfinite(values)
        mask[values == near] = _compare(Fraction(str(near)), comparison, wanted)
        return mask
    info = np.iinfo(values.dtype)
    floor = wanted.numerator // wanted.denominator
    if comparison == "=" and floor != wanted:
        return np.zeros(len(values), np.bool_)
    if comparison in (">=", "<") and floor != wanted:
        floor += 1
    if floor < info.min or floor > info.max:
        above = floor > info.max
        return np.full(len(values), comparison in (("<", "<=") if above else (">", ">=")), np.bool_)
    mask = _compare(values, comparison, values.dtype.type(floor))
    return mask
