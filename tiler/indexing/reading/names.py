"""The run's table of names: one for all files. A name is a text and a category, each pair once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.pairing import Namesakes
from tilescope.tiler.pages import compress

NAMES_PER_PAGE = 1024

_ENCODER: Final = msgspec.json.Encoder()


class RunNames:
    """Names by id, in the order in which they appear."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}  # of each text its first name
        self._more_ids: dict[tuple[str, str], int] = {}  # of texts with several categories all other names
        self._texts: list[str] = []
        self._categories: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __getitem__(self, name: int) -> str:
        return self._texts[name]

    def category(self, name: int) -> str:
        """The category of a name, or nothing."""
        return self._categories[name]

    def in_categories(self, categories: AbstractSet[str]) -> NDArray[np.bool_]:
        """True for each name whose category is one of these, upper and lower case alike; the last is False."""
        wanted = {category for category in set(self._categories) if category.lower() in categories}
        mask = np.zeros(len(self) + 1, np.bool_)
        if wanted:
            mask[:-1] = [category in wanted for category in self._categories]
        return mask

    def add(self, names: Sequence[str], categories: Sequence[str]) -> NDArray[np.int32]:
        """Ids of a file's names, shape (n + 1,): the last is -1, for events without a name.

        Where there are fewer categories than names, the others have none.
        """
        ids, name_count = self._ids, len(self._texts)
        fresh = dict(zip(names, range(name_count, name_count + len(names)), strict=True))
        if len(fresh) == len(names) and ids.keys().isdisjoint(fresh):  # as in the first file, and in those of one
            self._ids = ids | fresh if ids else fresh
            self._texts += names
            self._categories += categories[: len(names)]
            self._categories += [""] * (len(names) - len(categories))
            numbers = np.arange(name_count, name_count + len(names) + 1, dtype=np.int32)
            numbers[-1] = -1
            return numbers
        pairs = zip_longest(names, categories[: len(names)], fillvalue="")
        return np.array([*(self._id(text, category) for text, category in pairs), -1], np.int32)

    def namesakes(self) -> Namesakes | None:
        """Groups of names that have one text; None: each has its own."""
        if not self._more_ids:
            return None
        texts = np.arange(len(self), dtype=np.int32)
        for (text, _), name in self._more_ids.items():
            texts[name] = self._ids[text]
        return Namesakes(texts, np.fromiter(map(bool, self._categories), np.uint8, len(self)))

    def _id(self, text: str, category: str) -> int:
        following = len(self._texts)
        name = self._ids.setdefault(text, following)
        if name != following and self._categories[name] != category:
            name = self._more_ids.setdefault((text, category), following)
        if name == following:
            self._texts.append(text)
            self._categories.append(category)
        return name

    def pages(self) -> Iterator[bytes]:
        """Compressed pages of `[name, category]`."""
        for first in range(0, len(self._texts), NAMES_PER_PAGE):
            page = slice(first, first + NAMES_PER_PAGE)
            yield compress(_json(list(zip(self._texts[page], self._categories[page], strict=True))))


def _json(entries: list[tuple[str, str]]) -> bytes:
    try:
        return _ENCODER.encode(entries)  # takes a sixth of the time
    except UnicodeEncodeError:  # halves of surrogate pairs are no text
        return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
