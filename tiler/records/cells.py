"""The cells of a column in a chunk of rows: numbers as scaled integers, texts by a dictionary, each restored exactly.

All that a cell says is kept: `12.50` is 1250 with two digits, `1e-05` and 2^63 are texts, `N/A` is no empty cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.packed_integers import IntegerReader, pack_integers

MAX_ROWS: Final = 1 << 16  # of a chunk
MAX_DIGITS: Final = 22  # behind a decimal point: greater powers of ten are no doubles

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]{1,22}))?", re.ASCII)
_INT64: Final = 1 << 63

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]


class CellState(IntEnum):
    """The content of a cell."""

    NUMBER = 0
    TEXT = 1
    EMPTY = 2
    NOT_AVAILABLE = 3  # "N/A"
    ABSENT = 4  # the row is too short


NOT_AVAILABLE_TEXT: Final = "N/A"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A column of a chunk."""

    states: Bytes  # of each row a CellState
    numbers: Ints  # of the rows with numbers, times 10^digits
    digits: Bytes  # of the same rows: behind the decimal point
    codes: Ints  # of the rows with texts, their places in `words`
    words: Sequence[str]  # each once, in the order in which they come

    def __len__(self) -> int:
        return len(self.states)

    def are(self, state: CellState) -> NDArray[np.bool_]:
        """True for rows with cells in this state."""
        return _are(self.states, state)

    @property
    def most_magnitude(self) -> int:
        """The greatest of the scaled integers, without sign."""
        return max(-int(self.numbers.min(initial=0)), int(self.numbers.max(initial=0)))

    @classmethod
    def from_texts(cls, texts: Iterable[str | None]) -> Cells:
        """Cells as they are written; None: the row is too short."""
        states: list[int] = []
        numbers: list[int] = []
        digits: list[int] = []
        codes: list[int] = []
        words: dict[str, int] = {}
        for text in texts:
            if text is None:
                states.append(CellState.ABSENT)
            elif not text:
                states.append(CellState.EMPTY)
            elif text == NOT_AVAILABLE_TEXT:
                states.append(CellState.NOT_AVAILABLE)
            elif (number := _number(text)) is not None:
                states.append(CellState.NUMBER)
                numbers.append(number[0])
                digits.append(number[1])
            else:
                states.append(CellState.TEXT)
                codes.append(words.setdefault(text, len(words)))
        return cls(
            np.array(states, np.uint8),
            np.array(numbers, np.int64),
            np.array(digits, np.uint8),
            np.array(codes, np.int64),
            list(words),
        )

    def rows(self, rows: Ints) -> Cells:
        """The cells of some rows, in this order."""
        states = self.states[rows]
        numbers = self._places_in(CellState.NUMBER, len(self.numbers), rows[_are(states, CellState.NUMBER)])
        texts = self._places_in(CellState.TEXT, len(self.codes), rows[_are(states, CellState.TEXT)])
        return Cells(states, self.numbers[numbers], self.digits[numbers], self.codes[texts], self.words)

    def _places_in(self, state: CellState, count: int, rows: Ints) -> Ints:
        """The places of rows of a state among the `count` of that state."""
        if count == len(self) or not len(rows):
            return rows
        places: Ints = (np.cumsum(self.are(state)) - 1)[rows]
        return places

    def texts(self) -> list[str | None]:
        """Cells as they are written; None for those that are empty, `N/A`, or absent."""
        cells = np.full(len(self.states), None, object)
        cells[self.are(CellState.TEXT)] = np.array([*self.words, None], object)[:-1][self.codes]
        pairs = zip(self.numbers.tolist(), self.digits.tolist(), strict=True)
        cells[self.are(CellState.NUMBER)] = np.array([*(decimal_text(*pair) for pair in pairs), None], object)[:-1]
        texts: list[str | None] = cells.tolist()
        return texts


def decimal_text(number: int, digits: int) -> str:
    """The decimal `number` / 10^`digits`, with all of its digits."""
    if not digits:
        return str(number)
    text = str(abs(number)).zfill(digits + 1)
    return f"{'-' if number < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def pack_cells(cells: Cells) -> bytes:
    """The column of a chunk as it is stored."""
    words = [word.encode("utf-8", "replace") for word in cells.words]
    return b"".join(
        (
            len(cells.states).to_bytes(4, "little"),
            len(words).to_bytes(4, "little"),
            pack_integers(cells.states),
            pack_integers(cells.numbers),
            pack_integers(cells.digits),
            pack_integers(cells.codes),
            pack_integers(np.array([len(word) for word in words], np.int64)),
            *words,
        )
    )


def parse_cells(data: bytes) -> Cells:
    """The inverse. Raises DamagedStore."""
    reader = IntegerReader(data)
    try:
        n_rows, n_words = reader.length(), reader.length()
        if n_rows > MAX_ROWS or n_words > n_rows:
            raise ValueError(f"{n_rows:,} rows and {n_words:,} words")
        states = reader.small_integers(n_rows, max(CellState))
        n_numbers = int(np.count_nonzero(_are(states, CellState.NUMBER)))
        numbers, digits = reader.integers(n_numbers), reader.small_integers(n_numbers, MAX_DIGITS)
        codes = reader.integers(int(np.count_nonzero(_are(states, CellState.TEXT))))
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < n_words:
            raise ValueError("a value out of range")
        words = reader.texts(reader.integers(n_words))
    except ValueError as error:
        raise DamagedStore(f"a column of a table is damaged: {error}") from error
    return Cells(states, numbers, digits, codes, words)


def _are(states: Bytes, state: CellState) -> NDArray[np.bool_]:
    are_same: NDArray[np.bool_] = states == states.dtype.type(state)  # of their type: five times as fast
    return are_same


def _number(text: str) -> tuple[int, int] | None:
    """Number and digits of a text that they restore exactly; None for another text."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > MAX_DIGITS + 22:  # 64 bits have 19 digits
        return None
    digits = len(match[1] or "")
    number = int(text.replace(".", "", 1))
    if not -_INT64 <= number < _INT64 or (number == 0 and text[0] == "-"):
        return None
    return number, digits
