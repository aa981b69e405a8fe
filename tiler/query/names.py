"""Names by id, and ids by what a name contains."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import OTHER_NAMES, decompress
from tilescope.tiler.query.steps import Steps
from tilescope.tiler.query.store import QueryStore

Ints = NDArray[np.int64]

# Pages of 1,024 names that are kept decoded, some 200 KB each.
_KEPT_PAGES = 64


class Name(NamedTuple):
    """What events are called, and of what category."""

    text: str
    category: str


NO_NAME = Name("[no name]", "")
OTHERS = Name("[other names]", "")


class Names:
    """The names of a store."""

    def __init__(self, store: QueryStore) -> None:
        self._store = store
        about = store.manifest()["names"]
        self._count, self._page_size = int(about["count"]), int(about["page_size"])
        self._kept = lru_cache(_KEPT_PAGES)(self._decode)

    def __getitem__(self, name: int) -> Name:
        """The name of that id. Raises DamagedStore."""
        if name < 0:
            return OTHERS if name == OTHER_NAMES else NO_NAME
        page = self._kept(name // self._page_size)
        if name % self._page_size >= len(page):
            raise DamagedStore(f"there is no name {name}")
        return page[name % self._page_size]

    def of(self, ids: Iterable[int]) -> dict[int, Name]:
        """The names of these ids, each once."""
        return {name: self[name] for name in sorted(set(ids))}

    def matching(self, is_match: Callable[[str], bool]) -> Steps[Ints]:
        """Ids of all names whose text matches, ascending, in steps of a page."""
        found: list[int] = []
        for page in range(-(-self._count // self._page_size)):
            first = page * self._page_size
            found += [first + k for k, name in enumerate(self._kept(page)) if is_match(name.text)]
            yield
        if is_match(NO_NAME.text):
            found.insert(0, -1)
        return np.array(found, np.int64)

    def _decode(self, page: int) -> list[Name]:
        member = self._store.names(page)
        if member is None:
            raise DamagedStore(f"page {page} of the names is missing")
        return [Name(text, category) for text, category in json.loads(decompress(member))]
