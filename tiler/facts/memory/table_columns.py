"""Columns of tables about memory: sizes as whole bytes, and times as ticks of the timeline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import CodedTexts, column_named
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, header_times
from tilescope.tiler.records.cells import CellState
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

MEBIBYTE: Final = 1 << 20
KIBIBYTE: Final = 1 << 10

# Figures beyond are those of no memory: sums of two of them still fit.
MOST_BYTES: Final = 1 << 61

NO_TICK: Final = -(1 << 63)
NO_SIZE: Final = -(1 << 63)

DEVICES: Final = ("device", "devicetype", "device_id")  # columns with the device, the first that is there

_UNIT: Final = re.compile(r"\((MB|KB)\)$", re.IGNORECASE)
_UNITS: Final = {"MB": MEBIBYTE, "KB": KIBIBYTE}

_FAR_AT_ONCE: Final = 1 << 14
_NEAR: Final = float(1 << 52)  # to here a double rounds to the integer that the decimal rounds to


def chunk_columns(table: RunTable, headers: Mapping[str, str], chunk: int) -> dict[str, TableColumn]:
    """The columns of a chunk, by the plain names that they have in `headers`."""
    return {plain: TableColumn(header, [table.cells(table.places[header], chunk)]) for plain, header in headers.items()}


def headers_named(table: RunTable, *wanted: Sequence[str]) -> dict[str, str]:
    """Headers of columns by the first of their plain names; those that a table lacks are absent."""
    named = ((plain[0], column_named(table, *plain)) for plain in wanted)
    return {plain: header for plain, header in named if header is not None}


def chunk_texts(column: TableColumn | None, count: int) -> CodedTexts:
    """The texts of a chunk, empty where a cell is none."""
    if column is None:
        return CodedTexts([""], np.zeros(count, np.int64))
    (cells,) = column.chunks
    if len(cells.numbers):
        codes, words = column.coded()
        return CodedTexts([*words, ""], np.where(codes < 0, len(words), codes).astype(np.int64))
    places = cells.codes
    if len(places) < count:
        places = np.full(count, len(cells.words), np.int64)
        places[cells.states == CellState.TEXT] = cells.codes
    return CodedTexts([*cells.words, ""], places)


def chunk_sizes(column: TableColumn, header: str, otherwise: int) -> Interruptible[Ints]:
    """Bytes of a column, to the nearest, -MOST_BYTES to MOST_BYTES; beyond, and where a cell is none, NO_SIZE.

    The header has the unit: `Size(KB)`; else it is `otherwise` bytes.
    """
    match = _UNIT.search(header.strip())
    unit = otherwise if match is None else _UNITS[match[1].upper()]
    amounts = column.doubles()
    near = np.abs(amounts) < _NEAR / unit
    if near.all():  # as a rule
        whole: Ints = np.rint(amounts * unit).astype(np.int64)
        return whole
    sizes = np.full(len(column), NO_SIZE)
    sizes[near] = np.rint(amounts[near] * unit)
    far = np.flatnonzero(~near & (np.abs(amounts) <= MOST_BYTES / unit) & column.has_number)
    for first in range(0, len(far), _FAR_AT_ONCE):
        rows = far[first : first + _FAR_AT_ONCE]
        numbers, digits = column.decimals
        exact = zip(numbers[rows].tolist(), digits[rows].tolist(), strict=True)
        sizes[rows] = [(2 * number * unit + 10**places) // (2 * 10**places) for number, places in exact]
        yield
    return sizes


def chunk_ticks(reader: QueryReader, column: TableColumn, header: str, origin_ns: int) -> Ints:
    """Ticks of a chunk since an origin, which may be negative; NO_TICK where a cell is no time, or negative."""
    per_ns = 1000 // reader.tick_ps
    (cells,) = column.chunks
    ns, ps, fits = header_times(cells, header, MICROSECOND_DIGITS)
    since = ns - origin_ns
    fits = fits & (np.abs(since) < TICK_LIMIT // per_ns)
    ticks: Ints = np.where(fits, since * per_ns + (ps if per_ns > 1 else 0), NO_TICK)
    return ticks


def by_time(ticks: Ints) -> Ints | None:
    """The order of rows by time, of one moment as they are; None where they are in it, as in files as a rule."""
    return None if bool((ticks[1:] >= ticks[:-1]).all()) else np.argsort(ticks, kind="stable")


def device_name(text: str) -> str:
    """A device as files of all versions call it."""
    return f"NPU:{text}" if text.isdecimal() else text
