"""Long names of the metadata of operations, which most questions never look at: read when somebody does."""

from __future__ import annotations

from itertools import pairwise
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.instruction_stats import WORDS
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, BytesColumn
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.interruptible import finish
from tilescope.tiler.records.device.metadata_rows import StoredRows
from tilescope.tiler.store.two_threads import for_each

Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

_Page = tuple[int, int]  # file, page


class LongNames:
    """Long names that are not with the stored rows of metadata."""

    def __init__(self, reader: QueryReader, codes: _native.StatCodes, rows: StoredRows) -> None:
        self._reader = reader
        self._codes = codes
        self._first = rows.first_text
        self._file, self._entry = rows.text_file, rows.text_entry
        self._words = rows.text_words
        self._is_unread = np.ones(len(rows.text_file), np.bool_)
        self._lock = Lock()

    def read(self, codes: Codes) -> None:
        """Reads those that have one of these numbers: a page for each that they lie on. Raises DamagedStore."""
        indices = codes[codes >= self._first] - self._first
        if not len(indices):
            return
        with self._lock:
            is_wanted = np.zeros(len(self._is_unread), np.bool_)
            is_wanted[indices[indices < len(is_wanted)]] = True
            wanted = np.flatnonzero(is_wanted & self._is_unread)
            if not len(wanted):
                return
            page = self._entry[wanted] // ENTRIES_PER_PAGE
            wanted = wanted[np.lexsort((page, self._file[wanted]))]
            file, page = self._file[wanted], self._entry[wanted] // ENTRIES_PER_PAGE
            borders = [0, *(np.flatnonzero(np.diff(file) | np.diff(page)) + 1).tolist(), len(wanted)]
            pages = [(int(file[first]), int(page[first])) for first in borders[:-1]]
            reading = for_each(pages, lambda place, reader: _texts(reader, place), self._reader, self._reader, _AT_ONCE)
            for texts, (first, last) in zip(finish(reading), pairwise(borders), strict=True):
                page_names = wanted[first:last]
                places = (self._entry[page_names] % ENTRIES_PER_PAGE).astype(np.int64)
                try:
                    self._codes.read_later((page_names + self._first).astype(np.int32), texts.ends, texts.data, places)
                except (ValueError, LookupError) as error:
                    raise _damaged(error) from error
                self._is_unread[page_names] = False

    def saying(self, codes: Codes, word: str) -> Mask | None:
        """Mask of numbers of names with a word in them, without reading any; None: that is not known."""
        if word not in WORDS:
            return None
        indices = np.clip(codes - self._first, 0, max(len(self._words) - 1, 0))
        are_here = (codes >= self._first) & (codes < self._first + len(self._words))
        says = self._words[indices] >> WORDS.index(word) & 1 if len(self._words) else np.zeros(len(codes), np.uint8)
        with_word: Mask = are_here & (says > 0)
        return with_word

    def without(self, codes: Codes) -> Codes:
        """The same, but 0 where it is the number of one that is not read."""
        indices = codes - self._first
        are_here = (indices >= 0) & (indices < len(self._words))
        codes_without: Codes = np.where(are_here, 0, codes)
        return codes_without


# Pages that two threads inflate together: a megabyte or two of texts.
_AT_ONCE: Final = 16


def _texts(reader: QueryReader, page: _Page) -> BytesColumn:
    """The long names on a page. Two threads may do it."""
    tables = reader.event_metadata(page[0])
    if tables is None:
        raise DamagedStore(f"rows of metadata are of file {page[0]}, which has none")
    try:
        return tables.texts_page(page[1])[1]
    except (ValueError, LookupError) as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> DamagedStore:
    return DamagedStore(f"long names of metadata that make no sense: {error}")
