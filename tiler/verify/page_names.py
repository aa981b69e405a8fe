"""Compares the records of page names with the slices that start in the leaves on each page."""

from __future__ import annotations

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.page_names import PAGE_NAMES, PageNames
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree


class PageNamesCheck:
    """Checks the names of a block: each of its pages is to be compared once."""

    def __init__(self, store: Store, tree: BlockTree, tally: Tally) -> None:
        """Raises DamagedStore where the records are no lists of names and pages."""
        self._tree = tree
        parts = [_decoded(store, tree, record) for _, record in store.scan(PAGE_NAMES, tree.block)]
        if not parts:
            raise DamagedStore(f"{store.location}: the names on the pages of block {tree.block} are missing")
        name, page = (
            np.concatenate([getattr(part, column) for part in parts]) for column in PageNames.__struct_fields__
        )
        order = np.lexsort((name, page))
        self._name, page = name[order], page[order]
        if len(page) and (page[0] < 0 or page[-1] >= len(tree.page_keys)):
            raise DamagedStore(f"{store.location}: the names of a page that block {tree.block} does not have")
        self._ends = np.searchsorted(page, np.arange(len(tree.page_keys) + 1))
        tally["page_names"] += len(name)

    def compare(self, number: int, page: bytes) -> None:
        """Holds what is listed for a page against its content, inflated. Raises DamagedStore."""
        tiles = self._tree.page_tiles(number)
        listed = self._name[self._ends[number] : self._ends[number + 1]]
        try:
            name = _native.unlisted_name(page, listed)
        except _native.DamagedContainer:
            return  # the proof of its tiles says what is wrong
        if name is not None:
            raise self._tree.error(
                tiles.start, f"the names on its page are not those that are listed: name {name} differs"
            )


def _decoded(store: Store, tree: BlockTree, record: bytes) -> PageNames:
    try:
        return PageNames.decode(inflate(record), tree.block)
    except DamagedStore as error:
        raise DamagedStore(f"{store.location}: {error}") from error
