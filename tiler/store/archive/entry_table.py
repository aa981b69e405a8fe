"""Keys and sizes of all pieces of records that an archive will have: about 50 bytes for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.store.archive.directory import KEY_COLUMNS, DirectoryLevel, Ints, encode_directory
from tilescope.tiler.store.archive.header import ENTRIES_PER_LEAF
from tilescope.tiler.store.archive.order import data_order, first_screen
from tilescope.tiler.store.archive.pieces import PIECES, piece_of
from tilescope.tiler.store.checksum import CHECKSUM_BYTES
from tilescope.tiler.store.store import unexpected

# Of the boot section: what a first screen shows. The finer tiles in view, which are read behind it, take as much again,
# and both together a second at 10 Mbit/s.
BOOT_BYTES: Final = 512 << 10

# Of a run of which all is read at once: a click takes no further request.
SMALL_BYTES: Final = 768 << 10

_NUMBERS: Final = len(KEY_COLUMNS)


class EntryTable:
    """Filled in the order of keys of each kind; then `arranged` in the order of the archive."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._letters = array("B")
        self._numbers = array("Q")  # so many for each record
        self._sizes = array("Q")

    def add(self, key: bytes, value_bytes: int) -> None:
        """Adds a record. Raises DamagedStore for one of no kind."""
        record = piece_of(key)
        if record is None:
            raise unexpected(self._location, key)
        numbers = record.numbers_in(key)
        self._letters.append(key[0])
        self._numbers.extend(numbers + (0,) * (_NUMBERS - len(numbers)))
        self._sizes.append(value_bytes + CHECKSUM_BYTES)

    def arranged(self, root_level: int) -> ArrangedEntries:
        """The same, with the place of each record."""
        letters = np.frombuffer(self._letters, np.uint8)
        by_key = np.argsort(letters, kind="stable")
        letters = letters[by_key]
        numbers = np.frombuffer(self._numbers, np.uint64).reshape(-1, _NUMBERS)[by_key]
        sizes = np.frombuffer(self._sizes, np.int64)[by_key]
        columns = [numbers[:, column] for column in range(_NUMBERS)]
        order = data_order(letters, columns, root_level)
        is_first = first_screen(letters, columns, root_level)[order]
        starts = np.empty(len(sizes), np.int64)
        starts[order] = np.cumsum(sizes[order]) - sizes[order]
        first_records = int(np.argmin(np.append(is_first, False)))
        return ArrangedEntries(letters, numbers, sizes, starts, order, first_records)


class ArrangedEntries:
    """Pieces in the order of their keys, with the place of each; `order`: their rows in the order of the archive.

    `first_records`: how many of that order a first screen shows.
    """

    def __init__(
        self,
        letters: NDArray[np.uint8],
        numbers: NDArray[np.uint64],
        sizes: Ints,
        starts: Ints,
        order: Ints,
        first_records: int,
    ) -> None:
        self._letters = letters
        self._numbers = numbers
        self._sizes = sizes
        self._starts = starts
        self._order = order
        ends = (starts + sizes)[order[:ENTRIES_PER_LEAF]]
        if self.size_bytes <= SMALL_BYTES:
            self.boot_records = len(ends)
        else:
            self.boot_records = max(1, min(first_records, int(np.searchsorted(ends, BOOT_BYTES, side="right"))))
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
                record = PIECES[letter]
                yield record.key(*numbers[: len(record.numbers)]), size

    def _encode(self, level: DirectoryLevel, rows: slice | Ints) -> bytes:
        return encode_directory(level, *self._keys(rows), self._starts[rows], self._sizes[rows])

    def _keys(self, rows: slice | Ints) -> tuple[Ints, list[Ints]]:
        numbers = self._numbers[rows].view(np.int64)
        return self._letters[rows].astype(np.int64), [numbers[:, column] for column in range(_NUMBERS)]
