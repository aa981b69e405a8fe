"""Columns of tables about memory: sizes as whole bytes, and times as ticks of the timeline."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, header_times
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

MEBIBYTE: Final = 1 << 20
KIBIBYTE: Final = 1 << 10

# Figures beyond are those of no memory: sums of two of them still fit.
MOST_BYTES: Final = 1 << 61

NO_TICK: Final = -(1 << 63)
NO_SIZE: Final = -(1 << 63)

_UNIT: Final = re.compile(r"\((MB|KB)\)$", re.IGNORECASE)
_UNITS: Final = {"MB": MEBIBYTE, "KB": KIBIBYTE}

_FAR_AT_ONCE: Final = 1 << 14
_NEAR: Final = float(1 << 52)  # to here a double rounds to the integer that the decimal rounds to


def sizes_named(table: RunTable, plain: str, otherwise: int) -> Interruptible[Ints]:
    """Bytes of such a column, to the nearest, -MOST_BYTES to MOST_BYTES; beyond, and where a cell is none, NO_SIZE.

    The header has the unit: `Size(KB)`; else it is `otherwise` bytes.
    """
    header = column_named(table, plain)
    if header is None:
        return np.full(len(table), NO_SIZE)
    match = _UNIT.search(header.strip())
    unit = otherwise if match is None else _UNITS[match[1].upper()]
    parts = [np.zeros(0, np.int64)]
    for (column,) in table.chunks([header]):  # nothing of it is kept: a table may have ten million rows
        parts.append((yield from _sizes(column, unit)))
        yield
    return np.concatenate(parts)


def has_number(table: RunTable, header: str) -> Interruptible[NDArray[np.bool_]]:
    """True for rows of a column with a number."""
    parts = [np.zeros(0, np.bool_)]
    for (column,) in table.chunks([header]):
        parts.append(column.has_number)
        yield
    return np.concatenate(parts)


def _sizes(column: TableColumn, unit: int) -> Interruptible[Ints]:
    sizes = np.full(len(column), NO_SIZE)
    amounts = column.doubles()
    near = np.abs(amounts) < _NEAR / unit
    sizes[near] = np.rint(amounts[near] * unit)
    far = np.flatnonzero(~near & (np.abs(amounts) <= MOST_BYTES / unit) & column.has_number)
    for first in range(0, len(far), _FAR_AT_ONCE):
        rows = far[first : first + _FAR_AT_ONCE]
        numbers, digits = column.decimals
        exact = zip(numbers[rows].tolist(), digits[rows].tolist(), strict=True)
        sizes[rows] = [(2 * number * unit + 10**places) // (2 * 10**places) for number, places in exact]
        yield
    return sizes


def ticks_named(reader: QueryReader, table: RunTable, plain: str, origin_ns: int) -> Interruptible[Ints]:
    """Ticks of such a column since an origin, which may be negative; NO_TICK where a cell is no time, or negative."""
    header = column_named(table, plain)
    if header is None:
        return np.full(len(table), NO_TICK)
    per_ns = 1000 // reader.tick_ps
    parts = [np.zeros(0, np.int64)]
    for (column,) in table.chunks([header]):
        (cells,) = column.chunks
        ns, ps, fits = header_times(cells, header, MICROSECOND_DIGITS)
        since = ns - origin_ns
        fits &= np.abs(since) < TICK_LIMIT // per_ns
        parts.append(np.where(fits, since * per_ns + (ps if per_ns > 1 else 0), NO_TICK))
        yield
    return np.concatenate(parts)
