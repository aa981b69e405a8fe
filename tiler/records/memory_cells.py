"""Cells of tables about memory: whose each row is, sizes as whole bytes, and when what is allocated is freed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import NO_SIZE
from tilescope.tiler.distinct import distinct
from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.records.cell_values import CellTimes, doubles, has_number
from tilescope.tiler.records.cells import Cells, CellState, decimal_text

Ints = NDArray[np.int64]

FILLS: Final = ("memory_record", "npu_module_mem")
ALLOCATIONS: Final = "operator_memory"
MEMORY_FAMILIES: Final = frozenset({*FILLS, ALLOCATIONS})

DEVICES: Final = ("device", "devicetype", "device_id")  # columns with the device, the first that is there

MEBIBYTE: Final = 1 << 20
KIBIBYTE: Final = 1 << 10

# Figures beyond are those of no memory: sums of two of them still fit.
MOST_BYTES: Final = 1 << 61

_UNIT: Final = re.compile(r"\((MB|KB)\)$", re.IGNORECASE)
_UNITS: Final = {"MB": MEBIBYTE, "KB": KIBIBYTE}
_NEAR: Final = float(1 << 52)  # to here a double rounds to the integer that the decimal rounds to
_FEW_OWNERS: Final = 32
_MOST_NS: Final = 1 << 62


def headers_named(columns: Sequence[str], *wanted: Sequence[str]) -> dict[str, str]:
    """Headers of columns by the first of their plain names; those that a table lacks are absent."""
    by_name = {plain_header(name): name for name in reversed(columns)}
    named = ((names[0], next((by_name[name] for name in names if name in by_name), None)) for names in wanted)
    return {plain: header for plain, header in named if header is not None}


def cell_sizes(cells: Cells, header: str, otherwise: int) -> Ints:
    """Bytes of a column, to the nearest, -MOST_BYTES to MOST_BYTES; beyond, and where a cell is none, NO_SIZE.

    The header has the unit: `Size(KB)`; else it is `otherwise` bytes.
    """
    match = _UNIT.search(header.strip())
    unit = otherwise if match is None else _UNITS[match[1].upper()]
    amounts = doubles(cells)
    if -_NEAR / unit < amounts.min(initial=0.0) and amounts.max(initial=0.0) < _NEAR / unit:  # as a rule
        amounts *= unit
        whole: Ints = np.rint(amounts, out=amounts).astype(np.int64)
        return whole
    near = np.abs(amounts) < _NEAR / unit
    sizes = np.full(len(cells), NO_SIZE)
    sizes[near] = np.rint(amounts[near] * unit)
    far = ~near & (np.abs(amounts) <= MOST_BYTES / unit) & has_number(cells)
    is_far = far[has_number(cells)]
    exact = zip(cells.numbers[is_far].tolist(), cells.digits[is_far].tolist(), strict=True)
    sizes[far] = [(2 * number * unit + 10**places) // (2 * 10**places) for number, places in exact]
    return sizes


def rows_by_owner(rows: Ints, *columns: Cells | None) -> list[tuple[tuple[str, ...], Ints]]:
    """Some rows, ascending, by the texts that they have in columns, in the order in which these come first.

    The text is empty where a cell is none, and in a column that is not there.
    """
    keys: Ints | None = None
    count = 1
    texts: list[Sequence[str]] = []
    for cells in columns:
        codes, words = (None, [""]) if cells is None else _coded(cells)
        texts.append(words)
        count *= len(words)
        if codes is not None and len(words) > 1:
            own_codes = codes if len(rows) == len(codes) else codes[rows]
            keys = own_codes if keys is None else keys * len(words) + own_codes
    if not len(rows):
        return []
    parts: list[tuple[int, Ints]]
    if keys is None:
        parts = [(0, rows)]
    elif count <= _FEW_OWNERS:  # as a rule: a look for each is faster than to sort
        parts = [(key, rows[keys == key]) for key in np.flatnonzero(np.bincount(keys)).tolist()]
    else:
        used, places = distinct(keys)
        order = np.argsort(places.astype(np.uint16), kind="stable")  # so many rows has a chunk: sorted by their digits
        ends = np.cumsum(np.bincount(places))[:-1]
        parts = list(zip(used.tolist(), np.split(rows[order], ends), strict=True))
    owned = []
    for key, own in sorted(parts, key=lambda part: int(part[1][0])):
        rest, owner = key, []
        for words in reversed(texts):
            rest, code = divmod(rest, len(words))
            owner.append(words[code])
        owned.append((tuple(reversed(owner)), own))
    return owned


def release_times(begin: CellTimes, end: CellTimes | None, length: CellTimes | None) -> CellTimes:
    """Times of frees, from the end or the duration of what is allocated: never before it is allocated."""
    if end is None and length is None:
        return CellTimes(begin.ns, begin.ps, np.zeros(len(begin.ns), np.bool_))
    if end is None and length is not None:
        carry, ps = np.divmod(begin.ps + length.ps, 1000)
        ns = begin.ns + length.ns + carry
        end = CellTimes(ns, ps, begin.fits & length.fits & (ns < _MOST_NS))
    assert end is not None
    is_before = begin.fits & end.fits & ((end.ns < begin.ns) | ((end.ns == begin.ns) & (end.ps < begin.ps)))
    if not is_before.any():
        return end
    ns, ps = (np.where(is_before, least, own) for least, own in ((begin.ns, end.ns), (begin.ps, end.ps)))
    return CellTimes(ns, ps, end.fits)


def _coded(cells: Cells) -> tuple[Ints, Sequence[str]]:
    """The code of each cell, and the texts by these; numbers are texts, too, and what is no text is empty."""
    if len(cells.codes) == len(cells):
        return cells.codes, cells.words
    codes = np.full(len(cells), len(cells.words), np.int64)
    codes[cells.are(CellState.TEXT)] = cells.codes
    if not len(cells.numbers):
        return codes, [*cells.words, ""]
    numbers, places = distinct(cells.numbers)
    digits, exponents = distinct(cells.digits.astype(np.int64))
    pairs, own = distinct(places * len(digits) + exponents)
    written = [
        decimal_text(int(numbers[pair // len(digits)]), int(digits[pair % len(digits)])) for pair in pairs.tolist()
    ]
    codes[cells.are(CellState.NUMBER)] = own + len(cells.words) + 1
    return codes, [*cells.words, "", *written]
