"""Columns of texts, each different text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts of which many are equal: row k has `words[codes[k]]`, or with code -1 none."""

    codes: NDArray[np.int32]
    words: Sequence[str]

    @classmethod
    def from_texts(cls, texts: Sequence[str | None]) -> Words:
        """A column of these texts; None is no text."""
        codes_by_text: dict[str, int] = {}
        codes = [-1 if text is None else codes_by_text.setdefault(text, len(codes_by_text)) for text in texts]
        return cls(np.array(codes, np.int32), list(codes_by_text))

    def __len__(self) -> int:
        return len(self.codes)

    def array(self) -> NDArray[np.object_]:
        """The texts themselves; None where there is none."""
        return np.array([*self.words, None], object)[self.codes]

    def __getitem__(self, rows: slice) -> Words:
        return Words(self.codes[rows], self.words)
