"""A directory: the keys of records in order, with the place and the size of each.

It is a column container (docs/page-format.md) in one gzip member. The root is a directory as well: its records are the
leaves, under their first keys.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from enum import IntEnum
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.compress import MAX_DECODED_BYTES, compress_container, decompress
from tilescope.tiler.pages.container import ARCHIVE_DIRECTORY_MAGIC, decode, encode
from tilescope.tiler.store.archive.pieces import PIECES
from tilescope.tiler.store.checksum import CHECKSUM_BYTES

Ints = NDArray[np.int64]

KEY_COLUMNS: Final = (Col.ENTRY_FIRST, Col.ENTRY_SECOND, Col.ENTRY_THIRD, Col.ENTRY_FOURTH)
MAX_RECORD_BYTES: Final = MAX_DECODED_BYTES + CHECKSUM_BYTES

_UNSIGNED: Final = (1 << 64) - 1
_ROW_BYTES: Final = 8 * (len(KEY_COLUMNS) + 3)
_HEAD_BYTES: Final = 1024  # of a container with seven columns, and to spare


class DirectoryLevel(IntEnum):
    """The kind of a directory: the level of its container."""

    LEAF = 0
    ROOT = 1
    BOOT = 2


class Directory(Struct, frozen=True, gc=False):
    """Entries in the order of their keys."""

    keys: list[bytes]
    starts: list[int]
    sizes: list[int]

    def find(self, key: bytes) -> int | None:
        """The place of a key in the lists."""
        index = bisect_left(self.keys, key)
        return index if index < len(self.keys) and self.keys[index] == key else None

    def last_at_most(self, key: bytes) -> int:
        """The place of the greatest key that is not above this one; -1 where there is none."""
        return bisect_right(self.keys, key) - 1


def encode_directory(level: DirectoryLevel, letters: Ints, numbers: list[Ints], starts: Ints, sizes: Ints) -> bytes:
    """The gzip member of a directory. Columns of shape (n,); `numbers`: those of the keys, unsigned 64 bits each."""
    gaps = starts.copy()
    gaps[1:] -= starts[:-1] + sizes[:-1]
    columns: dict[int, Ints] = {Col.ENTRY_LETTER: letters, Col.ENTRY_SIZE: sizes, Col.ENTRY_GAP: gaps}
    columns.update(zip(KEY_COLUMNS, numbers, strict=True))
    return compress_container(encode(ARCHIVE_DIRECTORY_MAGIC, level, len(letters), 0, columns))


def decode_directory(member: bytes, level: DirectoryLevel, entries: int, end: int) -> Directory:
    """The directory in a gzip member, which has so many entries; their places are below `end`.

    Raises DamagedStore where it has others, keys are not ascending, or entries overlap: `entries` bounds the memory.
    """
    data = decompress(member, _HEAD_BYTES + entries * _ROW_BYTES)
    container = decode(data, max_rows=entries * (len(KEY_COLUMNS) + 3))
    columns = [container.ints(column) for column in (Col.ENTRY_LETTER, *KEY_COLUMNS, Col.ENTRY_SIZE, Col.ENTRY_GAP)]
    if (container.magic, container.level, container.n_tiles) != (ARCHIVE_DIRECTORY_MAGIC, level, entries):
        raise DamagedStore(f"a record is not the directory with {entries:,} entries that should be here")
    if any(len(column) != entries for column in columns):
        raise DamagedStore("a directory has columns of different lengths")
    letters, *numbers, sizes, gaps = columns
    if not entries:
        return Directory([], [], [])
    if int(sizes.min()) < CHECKSUM_BYTES or int(sizes.max()) > MAX_RECORD_BYTES:
        raise DamagedStore("a directory has records of impossible sizes")
    starts = _starts(sizes, gaps, end)
    keys = _keys(letters, numbers)
    if any(key >= following for key, following in pairwise(keys)):
        raise DamagedStore("the keys of a directory are not in ascending order")
    return Directory(keys, starts, sizes.tolist())


def _starts(sizes: Ints, gaps: Ints, end: int) -> list[int]:
    """Places of entries. In Python's integers: sums of hostile ones exceed 64 bits."""
    starts: list[int] = []
    position = 0
    for size, gap in zip(sizes.tolist(), gaps.tolist(), strict=True):
        position += gap
        if not 0 <= position <= end - size:
            raise DamagedStore("a directory points outside of the records")
        starts.append(position)
        position += size
    by_start = np.argsort(np.array(starts, np.int64), kind="stable")
    ordered = np.array(starts, np.int64)[by_start]
    if bool((ordered[1:] < ordered[:-1] + sizes[by_start][:-1]).any()):
        raise DamagedStore("records of a directory overlap")
    return starts


def _keys(letters: Ints, numbers: list[Ints]) -> list[bytes]:
    keys: list[bytes] = []
    for letter, *key_numbers in zip(letters.tolist(), *(column.tolist() for column in numbers), strict=True):
        record = PIECES.get(letter)
        if record is None:
            raise DamagedStore(f"a directory has records of an unknown kind ({letter})")
        count = len(record.numbers)
        if any(key_numbers[count:]):
            raise DamagedStore("a directory has keys with too many numbers")
        try:
            keys.append(record.key(*(number & _UNSIGNED for number in key_numbers[:count])))
        except struct.error:
            raise DamagedStore("a directory has keys with impossible numbers") from None
    return keys
