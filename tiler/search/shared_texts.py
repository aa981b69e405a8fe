"""Texts that events of an XSpace share by their metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.stat_values import LONG_NAME
from tilescope.tiler.details.wire import write_varint
from tilescope.tiler.details.xstat import decode
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, BytesColumn, XStatTables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.search.folded_texts import FoldedTexts, folded_texts
from tilescope.tiler.store.validation import must_make_sense

Ints = NDArray[np.int64]


class TextColumn(Struct, frozen=True):
    """Entries of metadata, ascending, with the texts that they have under one name; an entry may have several."""

    entry: NDArray[np.int32]
    text: NDArray[np.int32]  # number among all texts


class FileTexts(Struct, frozen=True):
    """Texts of the metadata of a file, by the names of arguments."""

    columns: Mapping[str, TextColumn]
    texts: FoldedTexts

    @property
    def size_bytes(self) -> int:
        """About what they take."""
        columns = self.columns.values()
        return self.texts.size_bytes + sum(column.entry.nbytes + column.text.nbytes for column in columns)

    def with_words(self, words: Sequence[str]) -> Interruptible[dict[str, Ints]]:
        """By argument, where there is any: the entries that have each of these words in one of its texts, ascending.

        Lists, no masks: a file may have as many arguments as entries.
        """
        having = {argument: column.entry for argument, column in self.columns.items()}
        for word in words:
            has_word = yield from self.texts.containing(word)
            for argument in list(having):
                column = self.columns[argument]
                with_word = column.entry[has_word[column.text]]
                having[argument] = np.intersect1d(having[argument], with_word)
                if not len(having[argument]):
                    del having[argument]
                yield
        return {argument: entries.astype(np.int64) for argument, entries in having.items()}


_FILES: Final = KeyedRunCache[int, FileTexts](
    "shared_texts", "Texts of metadata, for searches", lambda texts: texts.size_bytes
)


def file_texts(reader: QueryReader, file: int, tables: XStatTables) -> Interruptible[FileTexts]:
    """Texts of a file: read once. Raises DamagedStore."""
    kept = _FILES.get(reader, file)
    if kept is not None:
        return kept
    reading = _Reading(tables)
    with must_make_sense(reader.store.location):
        for page in range(-(-len(tables.first) // ENTRIES_PER_PAGE)):
            reading.add_page(page)
            yield
    texts = yield from folded_texts(reading.texts())
    return _FILES.keep(reader, file, FileTexts(reading.columns(), texts))


class _Reading:
    """Reads metadata page by page. Texts that native code has not read have negative numbers: from -1 on."""

    def __init__(self, tables: XStatTables) -> None:
        self._tables = tables
        self._plane = tables.plane[tables.first]  # by entry
        self._stats = _native.SharedTexts()
        self._others: list[bytes] = []
        self._references: dict[tuple[int, int], int] = {}  # by plane and stat
        self._names: dict[str, int] = {}  # of arguments
        self._rows: list[tuple[Ints, Ints, Ints]] = []  # names, entries and texts

    def texts(self) -> Iterator[bytes]:
        """All texts, by number."""
        for number in range(len(self._stats)):
            yield self._stats[number]
        yield from self._others

    def columns(self) -> dict[str, TextColumn]:
        """Columns by the names of arguments."""
        if not self._rows:
            return {}
        name, entry, text = (np.concatenate(parts) for parts in zip(*self._rows, strict=True))
        order = np.lexsort((entry, name))
        entry, text = entry[order].astype(np.int32), text[order]
        number = np.where(text < 0, len(self._stats) - 1 - text, text).astype(np.int32)
        bounds = np.searchsorted(name[order], np.arange(len(self._names) + 1)).tolist()
        return {
            argument: TextColumn(entry[first:stop], number[first:stop])
            for argument, first, stop in zip(self._names, bounds[:-1], bounds[1:], strict=True)
            if first < stop
        }

    def add_page(self, page: int) -> None:
        """Adds the entries of a page."""
        first = page * ENTRIES_PER_PAGE
        stats, (_, long_names) = self._tables.stats_page(page), self._tables.texts_page(page)
        plane = self._plane[first : first + ENTRIES_PER_PAGE]
        for number in np.unique(plane).tolist():
            self._add_stats(first, number, stats, np.flatnonzero(plane == number))
        named = np.flatnonzero(np.diff(long_names.ends, prepend=0))
        texts = [self._other(long_names.entry(entry)) for entry in named.tolist()]
        self._add(LONG_NAME, first + named, np.array(texts, np.int64))

    def _add_stats(self, first: int, plane: int, stats: BytesColumn, entries: Ints) -> None:
        names = self._tables.planes[plane].stat_names
        entry, stat, text, reference, strange = self._stats.add(stats.ends, stats.data, entries)
        is_reference = text < 0
        distinct, inverse = np.unique(reference[is_reference], return_inverse=True)
        numbers = [self._reference(plane, number, names) for number in distinct.tolist()]
        text[is_reference] = np.array(numbers, np.int64)[inverse]
        distinct, inverse = np.unique(stat, return_inverse=True)
        numbers = [self._name(names.get(number) or f"[stat {number}]") for number in distinct.tolist()]
        self._rows.append((np.array(numbers, np.int64)[inverse], first + entry, text))
        for place in (first + strange).tolist():
            for name, value in decode(write_varint(int(self._tables.first[place])), self._tables):
                if isinstance(value, str):
                    other = self._other(value.encode("utf-8", "surrogatepass"))
                    self._add(name, np.array([place]), np.array([other]))

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _reference(self, plane: int, stat: int, names: Mapping[int, str]) -> int:
        number = self._references.get((plane, stat))
        if number is None:
            number = self._references[plane, stat] = self._other(names.get(stat, f"[stat {stat}]").encode())
        return number

    def _add(self, name: str, entry: Ints, text: Ints) -> None:
        self._rows.append((np.full(len(entry), self._name(name)), entry, text))

    def _other(self, text: bytes) -> int:
        self._others.append(text)
        return -len(self._others)
