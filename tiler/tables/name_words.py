"""Texts and categories of name ids as columns: each name is looked up once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.words import Words

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_UNREAD: Final = -1
_NO_NAME: Final = 0  # code of what has none: an empty text

# Texts are marked one by one where they are at most so many times the rows; of more, rows are sorted.
_MOST_MARKS: Final = 4


class NameWords:
    """Names of a run as far as they were added. Ids below 0 are events without a name, whose texts are empty."""

    def __init__(self) -> None:
        self._parts = (_Part(), _Part())

    def unread(self, ids: Ints) -> list[int]:
        """Ids among these of names that are still to be added, ascending."""
        codes = self._parts[0].codes
        beyond = ids >= len(codes)
        is_unread = beyond | ((ids >= 0) & (codes[np.where(beyond, 0, ids)] == _UNREAD)) if len(codes) else ids >= 0
        return sorted(set(ids[is_unread].tolist()))

    def add(self, ids: Iterable[int], names: Iterable[tuple[str, str]]) -> None:
        """Adds names: their texts and categories."""
        for name, texts in zip(ids, names, strict=True):
            for part, text in zip(self._parts, texts, strict=True):
                part.add(name, text)

    def texts(self, ids: Ints) -> Words:
        """The texts of names that were added."""
        return self._parts[0].words(ids)

    def categories(self, ids: Ints) -> Words:
        """The categories of names that were added."""
        return self._parts[1].words(ids)


class _Part:
    """One text of each name."""

    def __init__(self) -> None:
        self.codes: Codes = np.zeros(0, np.int32)  # by name id
        self._words = [""]
        self._code_of = {"": _NO_NAME}

    def add(self, name: int, text: str) -> None:
        if name >= len(self.codes):
            more = np.full(max(name + 1, 2 * len(self.codes)) - len(self.codes), _UNREAD, np.int32)
            self.codes = np.concatenate([self.codes, more])
        code = self._code_of.setdefault(text, len(self._words))
        if code == len(self._words):
            self._words.append(text)
        self.codes[name] = code

    def words(self, ids: Ints) -> Words:
        """A column with the texts that occur in it, and no others."""
        codes = np.where(ids < 0, _NO_NAME, self.codes[ids]) if len(self.codes) else np.zeros(len(ids), np.int32)
        if len(self._words) > _MOST_MARKS * len(codes):
            used, places = np.unique(codes, return_inverse=True)
        else:  # a tenth of the time
            occurs = np.zeros(len(self._words), np.bool_)
            occurs[codes] = True
            used = np.flatnonzero(occurs)
            places = (np.cumsum(occurs) - 1)[codes]
        return Words(places.astype(np.int32), [self._words[code] for code in used.tolist()])
