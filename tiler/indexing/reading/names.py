"""The run's table of names: one for all files, each name once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import compress

NAMES_PER_PAGE = 1024

_ENCODER: Final = msgspec.json.Encoder()


class RunNames:
    """Names by id, in the order in which they appear."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        self._categories: list[str] = []

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __getitem__(self, name: int) -> str:
        return self._texts[name]

    def category(self, name: int) -> str:
        """The category of a name, or nothing."""
        return self._categories[name]

    def add(self, names: Sequence[str], categories: Sequence[str]) -> NDArray[np.int32]:
        """Ids of a file's names, shape (n + 1,): the last is -1, for events without a name."""
        ids, known = self._ids, len(self._ids)
        fresh = dict(zip(names, range(known, known + len(names)), strict=True))
        if len(fresh) == len(names) and ids.keys().isdisjoint(fresh):  # as in the first file, and in those of one
            self._ids = ids | fresh if ids else fresh
            self._texts += names
            self._categories += categories[: len(names)]
            self._categories += [""] * (len(names) - len(categories))
            numbers = np.arange(known, known + len(names) + 1, dtype=np.int32)
            numbers[-1] = -1
            return numbers
        found = [ids.setdefault(name, len(ids)) for name in names]
        for k, number in enumerate(found):
            if number == len(self._texts):
                self._texts.append(names[k])
                self._categories.append(categories[k] if k < len(categories) else "")
        found.append(-1)
        return np.array(found, np.int32)

    def pages(self) -> Iterator[bytes]:
        """Compressed pages of `[name, category]`."""
        for first in range(0, len(self._texts), NAMES_PER_PAGE):
            some = slice(first, first + NAMES_PER_PAGE)
            yield compress(_json(list(zip(self._texts[some], self._categories[some], strict=True))))


def _json(entries: list[tuple[str, str]]) -> bytes:
    try:
        return _ENCODER.encode(entries)  # takes a sixth of the time
    except UnicodeEncodeError:  # halves of surrogate pairs are no text
        return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
