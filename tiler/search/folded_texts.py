"""Texts in pieces, upper and lower case alike, for finding those that contain a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.query import Interruptible
from tilescope.tiler.search.arguments import is_written_number

Mask = NDArray[np.bool_]

_BETWEEN: Final = b"\xff"  # in no UTF-8
_PIECE_BYTES: Final = 1 << 20  # looked through between two steps, in about a millisecond
_PIECE_TEXTS: Final = 4096


class _Piece(Struct, frozen=True):
    first: int  # number of its first text
    joined: bytes  # UTF-8, a byte that is in no text behind each
    ends: NDArray[np.int64]


class FoldedTexts(Struct, frozen=True):
    """Texts by number. As `contains` has it, none that is written as a number contains anything."""

    count: int
    pieces: Sequence[_Piece]

    @property
    def size_bytes(self) -> int:
        """About what they take."""
        return sum(len(piece.joined) + piece.ends.nbytes for piece in self.pieces)

    def containing(self, word: str) -> Interruptible[Mask]:
        """Mask of those that contain a word, which is not empty."""
        has_word = np.zeros(self.count, np.bool_)
        wanted = word.casefold().encode("utf-8", "surrogatepass")
        for piece in self.pieces:
            has_word[piece.first + _native.texts_with(piece.joined, piece.ends, wanted)] = True
            yield
        return has_word


def folded_texts(texts: Iterable[bytes]) -> Interruptible[FoldedTexts]:
    """All of some texts; bytes that are no UTF-8 are replaced."""
    pieces: list[_Piece] = []
    parts: list[bytes] = []
    count = size = 0
    for text in texts:
        parts.append(_folded(text))
        size += len(parts[-1])
        count += 1
        if size >= _PIECE_BYTES or len(parts) == _PIECE_TEXTS:
            pieces.append(_piece(count, parts))
            parts, size = [], 0
            yield
    pieces.append(_piece(count, parts))
    return FoldedTexts(count, pieces)


def _piece(stop: int, parts: Sequence[bytes]) -> _Piece:
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    ends = np.cumsum(lengths + len(_BETWEEN)) - len(_BETWEEN)
    return _Piece(stop - len(parts), b"".join(part + _BETWEEN for part in parts), ends)


def _folded(text: bytes) -> bytes:
    decoded = text.decode("utf-8", "replace")
    if is_written_number(decoded):
        return b""
    return text.lower() if text.isascii() else decoded.casefold().encode()
