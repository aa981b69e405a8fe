"""Columns of tables by their plain names, for headers differ between versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tilescope.tiler.facts.cell_figures import Figures, whole_figures
from tilescope.tiler.facts.tables import Ints, RunTable
from tilescope.tiler.plain_headers import plain_header, time_exponent
from tilescope.tiler.query import Interruptible

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
    codes, words = yield from (yield from table.column(header)).coding()
    return CodedTexts([*words, ""], np.where(codes < 0, len(words), codes).astype(np.int64))


def figures_named(table: RunTable, plain: Sequence[str], exponent: int) -> Interruptible[Figures]:
    """The figures of such a column times 10^exponent, all masked if there is none."""
    header = column_named(table, *plain)
    if header is None:
        return np.ma.MaskedArray(np.zeros(len(table), np.int64), True)
    return (yield from whole_figures((yield from table.column(header)), exponent))


def times_named(table: RunTable, plain: Sequence[str], exponent: int) -> Interruptible[Figures]:
    """Picoseconds of such a column: its unit is in the header, or else 10^exponent ps."""
    header = column_named(table, *plain)
    exponent = exponent if header is None else time_exponent(header, exponent)
    return (yield from figures_named(table, plain, exponent))


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
