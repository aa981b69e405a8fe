"""Some entries of a page of metadata, and what they say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, XStatTables

Ints = NDArray[np.int64]


class PageEntries(Struct, frozen=True):
    """Entries of one plane, which have numbers of metadata that are the first of their kind."""

    tables: XStatTables
    plane: int
    page: int
    numbers: Ints
    places: Ints  # row of each within the page
    names: NDArray[np.int32]  # the ids of their names in the run, -1 where no event uses them

    def read(self, rows: _native.MetadataRows, chosen: _native.ChosenStats) -> _native.ReadEntries:
        """Values of some stats, and the long names, of entries without rows. Raises LookupError, ValueError."""
        stats, (_, texts) = self.tables.stats_page(self.page), self.tables.texts_page(self.page)
        return _native.ReadEntries(
            rows, stats.ends, stats.data, texts.ends, texts.data, self.places, self.names, chosen
        )

    def read_stat(self, codes: _native.StatCodes, chosen: _native.ChosenStats) -> NDArray[np.int32]:
        """The codes of what one stat says. Raises LookupError, ValueError."""
        stats = self.tables.stats_page(self.page)
        return codes.read_stats(stats.ends, stats.data, self.places, chosen)

    def coded_names(self, codes: _native.StatCodes) -> NDArray[np.int32]:
        """The names: ids in the run; -2 - c of a name with the code c that no event uses. Raises as `read` does."""
        coded, unused = self.names.copy(), np.flatnonzero(self.names < 0).tolist()
        if unused:
            names, places = self.tables.texts_page(self.page)[0], self.places
            for place in unused:
                coded[place] = -2 - codes.of(names.entry(int(places[place])).decode())
        return coded


def entries_of(tables: XStatTables, numbers: NDArray[np.int32], is_left: NDArray[np.bool_]) -> Iterator[PageEntries]:
    """The entries of some numbers, as far as they are left, page by page."""
    is_wanted = np.zeros(len(tables), np.bool_)
    is_wanted[tables.alike[numbers]] = True
    wanted = np.flatnonzero(is_wanted & is_left)
    place, names, planes = tables.place[wanted], tables.name[wanted], tables.plane[wanted]
    pages, places = place // ENTRIES_PER_PAGE, (place % ENTRIES_PER_PAGE).astype(np.int64)
    borders = [0, *(np.flatnonzero(np.diff(pages)) + 1).tolist(), len(wanted)]
    for first, last in pairwise(borders) if len(wanted) else ():
        of_page = planes[first:last]
        if (of_page == of_page[0]).all():  # as a rule; the general way takes copies
            selected: slice | Ints = slice(first, last)
            yield PageEntries(
                tables, int(of_page[0]), int(pages[first]), wanted[selected], places[selected], names[selected]
            )
            continue
        # Not `np.unique`, here and where else little is looked at: its first use imports numpy.ma, which takes 6 ms.
        for plane in sorted(set(of_page.tolist())):
            selected = first + np.flatnonzero(of_page == plane)
            yield PageEntries(tables, plane, int(pages[first]), wanted[selected], places[selected], names[selected])
