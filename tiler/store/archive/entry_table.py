"""Keys and sizes of all records that an archive will have: about 50 bytes for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.catalogue import RECORDS, record_of
from tilescope.tiler.store.archive.directory import KEY_COLUMNS, DirectoryLevel, Ints, encode_directory
from tilescope.tiler.store.archive.header import ENTRIES_PER_LEAF
from tilescope.tiler.store.archive.order import data_order
from tilescope.tiler.store.checksum import CHECKSUM_BYTES
from tilescope.tiler.store.store import unexpected

# Of the boot section: what a first screen shows, within a second at 10 Mbit/s.
BOOT_BYTES: Final = 768 << 10

_NUMBERS: Final = len(KEY_COLUMNS)
_KINDS: Final = {record.letter[0]: record for record in RECORDS}


class EntryTable:
    """Filled in the order of keys; then `arranged` in the order of the archive."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._letters = array("B")
        self._numbers = array("Q")  # so many for each record
        self._sizes = array("Q")

    def add(self, key: bytes, value_bytes: int) -> None:
        """Adds a record. Raises DamagedStore for one of no kind."""
        record = record_of(key)
        if record is None:
            raise unexpected(self._location, key)
        numbers = record.numbers_in(key)
        self._letters.append(key[0])
        self._numbers.extend(numbers + (0,) * (_NUMBERS - len(numbers)))
        self._sizes.append(value_bytes + CHECKSUM_BYTES)

    def arranged(self, root_level: int) -> ArrangedEntries:
        """The same, with the place of each record."""
        letters = np.frombuffer(self._letters, np.uint8)
        numbers = np.frombuffer(self._numbers, np.uint64).reshape(-1, _NUMBERS)
        sizes = np.frombuffer(self._sizes, np.int64)
        order = data_order(letters, [numbers[:, column] for column in range(_NUMBERS)], root_level)
        starts = np.empty(len(sizes), np.int64)
        starts[order] = np.cumsum(sizes[order]) - sizes[order]
        return ArrangedEntries(letters, numbers, sizes, starts, order)


class ArrangedEntries:
    """Records in the order of their keys, with the place of each; `order`: their rows in the order of the archive."""

    def __init__(
        self, letters: NDArray[np.uint8], numbers: NDArray[np.uint64], sizes: Ints, starts: Ints, order: Ints
    ) -> None:
        self._letters = letters
        self._numbers = numbers
        self._sizes = sizes
        self._starts = starts
        self._order = order
        ends = (starts + sizes)[order[:ENTRIES_PER_LEAF]]
        self.boot_records = min(len(ends), max(1, int(np.searchsorted(ends, BOOT_BYTES, side="right"))))
        self.boot_bytes = int(ends[self.boot_records - 1])

    def __len__(self) -> int:
        return len(self._letters)

    @property
    def size_bytes(self) -> int:
        """Bytes of all records."""
        return int(self._sizes.sum())

    def leaves(self) -> Iterator[bytes]:
        """Gzip members of the leaves."""
        for first in range(0, len(self), ENTRIES_PER_LEAF):
            yield self._encode(DirectoryLevel.LEAF, slice(first, first + ENTRIES_PER_LEAF))

    def boot_directory(self) -> bytes:
        """The gzip member of the directory of boot records."""
        return self._encode(DirectoryLevel.BOOT, np.sort(self._order[: self.boot_records]))

    def root(self, leaf_sizes: Ints) -> bytes:
        """The gzip member of the root, for leaves of these sizes."""
        first = slice(0, None, ENTRIES_PER_LEAF)
        starts = np.cumsum(leaf_sizes) - leaf_sizes
        return encode_directory(DirectoryLevel.ROOT, *self._keys(first), starts, leaf_sizes)

    def in_order(self) -> Iterator[tuple[bytes, int]]:
        """Keys and sizes, checksums included, in the order of the archive."""
        for first in range(0, len(self), ENTRIES_PER_LEAF):
            rows = self._order[first : first + ENTRIES_PER_LEAF]
            columns = self._letters[rows].tolist(), self._numbers[rows].tolist(), self._sizes[rows].tolist()
            for letter, numbers, size in zip(*columns, strict=True):
                record = _KINDS[letter]
                yield record.key(*numbers[: len(record.numbers)]), size

    def _encode(self, level: DirectoryLevel, rows: slice | Ints) -> bytes:
        return encode_directory(level, *self._keys(rows), self._starts[rows], self._sizes[rows])

    def _keys(self, rows: slice | Ints) -> tuple[Ints, list[Ints]]:
        numbers = self._numbers[rows].view(np.int64)
        return self._letters[rows].astype(np.int64), [numbers[:, column] for column in range(_NUMBERS)]
