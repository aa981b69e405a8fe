"""Records of page names: on which pages of a block slices of a name start. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import PAGE_NAMES_MAGIC, decode, encode
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# Pairs of name and page in a record, about: some 300 KB, which take a millisecond to read.
PAIRS_AT_ONCE = 1 << 18


PAGE_NAMES = Record(
    "L",
    "block page",
    "block {block}: the names on its pages from number {page} on",
    Available.WITH_BLOCK,
    doc="on which pages of a block slices of each name start",
    proof="the pages",
)


class PageNames(Struct, frozen=True):
    """Each name with each of the pages that it starts on; columns of shape (n,), by name, then by page."""

    name: Ints  # name id, -1 none
    page: Ints  # number of the page in its block, in the order of the shape

    def __len__(self) -> int:
        return len(self.name)

    def pages_with(self, names: NDArray[np.bool_], pages: int) -> Ints:
        """The pages on which one of some names starts, ascending. `names`: by name id, shifted by one.

        Raises DamagedStore when there are not so many pages, or names.
        """
        in_order = not len(self) or (self.page.min() >= 0 and self.page.max() < pages)
        if not in_order or self.name.max(initial=-1) + 1 >= len(names):
            raise DamagedStore("names are listed on pages that there are not (index the trace again)")
        found = np.zeros(pages, np.bool_)
        found[self.page[names[self.name + 1]]] = True
        return np.flatnonzero(found)

    def encode(self, block: int) -> bytes:
        """The record, uncompressed."""
        first = np.flatnonzero(np.diff(self.name, prepend=-2))  # names ascend
        return encode_listed(self.name[first], np.diff(first, append=len(self.name)), self.page, block)

    @classmethod
    def decode(cls, data: bytes, block: int) -> PageNames:
        """What an uncompressed record holds. Raises DamagedStore."""
        record = decode(data)
        name, count, page = map(record.ints, (Col.LISTED_NAME, Col.N_LISTED_PAGES, Col.LISTED_PAGE))
        if (record.magic, record.block) != (PAGE_NAMES_MAGIC, block) or not len(name) == len(count) == record.n_tiles:
            raise DamagedStore(f"the names on the pages of block {block} are damaged")
        if (len(count) and (count.min() < 1 or name.min() < -1)) or int(count.sum()) != len(page):
            raise DamagedStore(f"the names on the pages of block {block} are damaged")
        return cls(np.repeat(name, count), page)


def encode_listed(name: Ints, count: Ints, page: Ints | NDArray[np.uint32], block: int) -> bytes:
    """The uncompressed record of names, which ascend, each on so many pages: those of one behind those of the other."""
    columns = {Col.LISTED_NAME: name, Col.N_LISTED_PAGES: count, Col.LISTED_PAGE: page}
    return encode(PAGE_NAMES_MAGIC, 0, len(name), block, {int(column): of for column, of in columns.items()})


def join_page_names(parts: Iterator[PageNames]) -> PageNames:
    """All of some parts, which are of different pages."""
    found = [PageNames(np.zeros(0, np.int64), np.zeros(0, np.int64)), *parts]
    return PageNames(
        *(np.concatenate([getattr(part, column) for part in found]) for column in PageNames.__struct_fields__)
    )
