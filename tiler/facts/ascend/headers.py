"""Columns of tables by their plain names, for headers differ between versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.cell_figures import Figures, whole_figures
from tilescope.tiler.facts.tables import Ints, RunTable
from tilescope.tiler.plain_headers import plain_header, time_exponent
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.cells import CellState

_WORDS_AT_ONCE: Final = 1 << 16


class CodedTexts(NamedTuple):
    """Texts of rows: `words[codes[row]]`. The last word is empty."""

    words: Sequence[str]
    codes: Ints


def column_named(table: RunTable, *plain: str) -> str | None:
    """The header of the first column that has one of these plain names, the first name first."""
    by_name = {plain_header(name): name for name in reversed(table.columns)}
    return next((by_name[name] for name in plain if name in by_name), None)


def texts_named(table: RunTable, plain: Sequence[str], otherwise: str = "") -> Interruptible[CodedTexts]:
    """The texts of such a column, empty where a cell is none; `otherwise` in each row if there is no column."""
    header = column_named(table, *plain)
    if header is None:
        return CodedTexts([otherwise, ""], np.zeros(len(table), np.int64))
    key = (table.entry.id, table.places[header])
    kept = _TEXTS.get(table.reader, key)
    if kept is not None:
        return kept
    codes, words = yield from (yield from table.passing_column(header)).coding()
    made = CodedTexts([*words, ""], np.where(codes < 0, len(words), codes).astype(np.int64))
    return _TEXTS.keep(table.reader, key, made)


def figures_named(table: RunTable, plain: Sequence[str], exponent: int) -> Interruptible[Figures]:
    """The figures of such a column times 10^exponent, all masked if there is none."""
    header = column_named(table, *plain)
    if header is None:
        return np.ma.MaskedArray(np.zeros(len(table), np.int64), True)
    key = (table.entry.id, table.places[header], exponent)
    kept = _FIGURES.get(table.reader, key)
    if kept is not None:
        return kept
    made = yield from whole_figures((yield from table.passing_column(header)), exponent)
    made.setflags(write=False)
    return _FIGURES.keep(table.reader, key, made)


def times_named(table: RunTable, plain: Sequence[str], exponent: int) -> Interruptible[Figures]:
    """Picoseconds of such a column: its unit is in the header, or else 10^exponent ps."""
    header = column_named(table, *plain)
    exponent = exponent if header is None else time_exponent(header, exponent)
    return (yield from figures_named(table, plain, exponent))


def unread_cells(table: RunTable, plain: Sequence[str], figures: Figures) -> Interruptible[int]:
    """Number of cells of such a column that are none of its figures: texts, and numbers that are too large."""
    header = column_named(table, *plain)
    return 0 if header is None else (yield from unread_rows(table, header, np.ma.getmaskarray(figures)))


def unread_rows(table: RunTable, header: str, has_none: NDArray[np.bool_]) -> Interruptible[int]:
    """Number of rows without a figure, which `has_none` marks, whose cell is neither empty nor N/A."""
    if not has_none.any():
        return 0
    states = (yield from table.passing_column(header)).states
    return int(np.count_nonzero(has_none & np.isin(states, (CellState.TEXT, CellState.NUMBER))))


def matches(words: Sequence[str], text: str | None) -> Interruptible[np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """True for each word that has a text in it, in any case; without a text for all."""
    if text is None:
        return np.ones(len(words), np.bool_)
    folded = text.casefold()
    are_matches = np.zeros(len(words), np.bool_)
    for first in range(0, len(words), _WORDS_AT_ONCE):
        part = words[first : first + _WORDS_AT_ONCE]
        are_matches[first : first + len(part)] = [folded in word.casefold() for word in part]
        yield
    return are_matches


def _texts_bytes(texts: CodedTexts) -> int:
    return texts.codes.nbytes + sum(map(len, texts.words)) + 60 * len(texts.words)


def _figures_bytes(figures: Figures) -> int:
    return figures.nbytes + len(figures)  # and its mask


# Coding a million different names takes half a second, and the tools about operators need the same columns.
_TEXTS: Final[KeyedRunCache[tuple[int, int], CodedTexts]] = KeyedRunCache(
    "table_texts", "Texts of the tables beside events as codes", _texts_bytes
)
_FIGURES: Final[KeyedRunCache[tuple[int, int, int], Figures]] = KeyedRunCache(
    "table_figures", "Figures of the tables beside events", _figures_bytes
)
