"""The run's table of names: one for all files, each name once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import compress

NAMES_PER_PAGE = 1024


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
        ids = self._ids
        found = [ids.setdefault(name, len(ids)) for name in names]
        for k, known in enumerate(found):
            if known == len(self._texts):
                self._texts.append(names[k])
                self._categories.append(categories[k] if k < len(categories) else "")
        found.append(-1)
        return np.array(found, np.int32)

    def pages(self) -> Iterator[bytes]:
        """Compressed pages of `[name, category]`."""
        entries = list(zip(self._texts, self._categories, strict=True))
        for first in range(0, len(entries), NAMES_PER_PAGE):
            text = json.dumps(entries[first : first + NAMES_PER_PAGE], ensure_ascii=False, separators=(",", ":"))
            yield compress(text.encode("utf-8", "replace"))
