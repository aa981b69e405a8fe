"""Reads the pieces of records in an archive by their keys, with everything checked, whatever the file holds.

The root leads to a leaf, and the leaf to the record. Leaves are kept under the common limit of all caches.
"""

from __future__ import annotations

import threading
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Final

from tilescope.tiler.blobs import Blob, BlobRange
from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.store.archive.directory import Directory, DirectoryLevel, decode_directory
from tilescope.tiler.store.archive.header import ENTRIES_PER_LEAF, HEADER_BYTES, Header
from tilescope.tiler.store.archive.ranges import BATCH_BYTES, GAP_BYTES, Ranges
from tilescope.tiler.store.checksum import CHECKSUM_BYTES, checksum, mismatch
from tilescope.tiler.store.store import Entry

# Entries that a scan reads at once.
_SCAN_ENTRIES: Final = 64

# Of a leaf as it is stored, at most: four times what it is without compression.
_LEAF_BYTES: Final = 1 << 20
_ROOT_BYTES: Final = 16 << 20

_LEAVES: Final = KeyedCache["ArchiveReader", int, Directory]("archive_leaves", "Directories of archives")
_VALUES: Final = KeyedCache["ArchiveReader", bytes, bytes]("archive_values", "Records of remote archives")


class ArchiveReader:
    """An open archive, for whatever threads. `keeps_values`: what was read is kept, as reading it again takes long."""

    def __init__(self, blob: Blob, *, keeps_values: bool = False) -> None:
        """Raises NoStore, StoreVersion, DamagedStore, StoreError. The blob is closed with the reader."""
        self._ranges = ranges = Ranges(blob)
        self._keeps_values = keeps_values
        self._summed_leaves: set[int] = set()  # those that were read, whose records have so many bytes together:
        self._summed_bytes = 0
        self._summing = threading.Lock()
        self.location = ranges.location
        self.header = header = Header.decode(ranges.head[:HEADER_BYTES], self.location)
        if ranges.size != header.size:
            what = "is cut short" if ranges.size < header.size else "has bytes behind its end"
            raise DamagedStore(
                f"{self.location}: byte {min(ranges.size, header.size):,}: the archive {what}: {ranges.size:,} bytes, "
                f"not {header.size:,} (copy it anew)"
            )
        root = self._directory(header.root, DirectoryLevel.ROOT, header.leaves, header.leaves_bytes, header.root_crc)
        self._first_keys = root.keys
        self._leaf_starts = [0, *accumulate(root.sizes)]
        if self._leaf_starts[:-1] != root.starts or self._leaf_starts[-1] != header.leaves_bytes:
            raise DamagedStore(f"{self.location}: byte {header.root.start:,}: leaves do not follow each other")
        place, crc = header.boot_directory, header.boot_directory_crc
        self._boot = self._directory(place, DirectoryLevel.BOOT, header.boot_records, header.boot_bytes, crc)

    def get(self, key: bytes) -> bytes | None:
        """The value, or None. Raises DamagedStore, as all that reads does."""
        if self._keeps_values and (value := _VALUES.get(self, key, None)) is not None:
            return value
        entry = self._find(key)
        return None if entry is None else self._read(*entry)

    def fetch(self, keys: Sequence[bytes]) -> None:
        """Reads values that will be asked for and keeps them, up to `BATCH_BYTES`: neighbours in one request.

        Nothing is read while the first of them that there is is kept: a list that moves on is read part by part.
        """
        places: dict[bytes, BlobRange] = {}
        size = 0
        for key in keys:
            is_kept = _VALUES.get(self, key, None) is not None
            if is_kept and not places:
                return
            entry = None if is_kept else self._find(key)
            if entry is not None:
                places[key] = place = self._place(*entry)
                size += place.stop - place.start
                if size > BATCH_BYTES:
                    break
        self._keep(places)

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""
        for number in range(max(0, self._leaf_number(first)), len(self._first_keys)):
            leaf = self._leaf(number)
            index = bisect_left(leaf.keys, first)
            while index < len(leaf.keys):
                batch = self._batch(leaf, index, prefix)
                if not batch:
                    return
                stored = self._ranges.read_many([self._place(leaf, index + row) for row in range(len(batch))])
                for key, record in zip(batch, stored, strict=True):
                    yield key, self._value(key, record)
                index += len(batch)

    def last_at_most(self, key: bytes, prefix: bytes) -> Entry | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""
        number = self._leaf_number(key)
        if number < 0:
            return None
        leaf = self._leaf(number)
        index = leaf.last_at_most(key)
        last = leaf.keys[index]
        if not last.startswith(prefix):
            return None
        return last, self._read(leaf, index)

    def count(self) -> int:
        """Number of entries, as the header gives it."""
        return self.header.records

    def entries_before(self, key: bytes) -> int:
        """Number of entries with smaller keys."""
        number = self._leaf_number(key)
        return 0 if number < 0 else number * ENTRIES_PER_LEAF + bisect_left(self._leaf(number).keys, key)

    def size_bytes(self) -> int:
        """Size of the file."""
        return self.header.size

    def close(self) -> None:
        """Closes the file."""
        self._ranges.close()

    def _find(self, key: bytes) -> tuple[Directory, int] | None:
        """The directory that has a key, and the row of it."""
        index = self._boot.find(key)
        if index is not None:
            return self._boot, index
        number = self._leaf_number(key)
        leaf = None if number < 0 else self._leaf(number)
        index = None if leaf is None else leaf.find(key)
        return None if leaf is None or index is None else (leaf, index)

    def _read(self, directory: Directory, index: int) -> bytes:
        """The value of a row."""
        key = directory.keys[index]
        if not self._keeps_values:
            return self._value(key, self._ranges.read(self._place(directory, index)))
        value = _VALUES.get(self, key, None)
        if value is None:
            rows = self._rows_along(directory, index)
            value = self._keep({directory.keys[row]: self._place(directory, row) for row in rows})[key]
        return value

    def _rows_along(self, directory: Directory, index: int) -> list[int]:
        """The row, and those that follow it in the file: a request takes as long as it takes to get `GAP_BYTES`."""
        rows, start = [index], directory.starts[index]
        end = start + directory.sizes[index]
        for row in range(index + 1, len(directory.keys)):
            if directory.starts[row] != end or end + directory.sizes[row] - start > GAP_BYTES:
                break
            rows.append(row)
            end += directory.sizes[row]
        return rows

    def _keep(self, places: Mapping[bytes, BlobRange]) -> dict[bytes, bytes]:
        """Reads the values at these places, by their keys, and keeps them."""
        stored = self._ranges.read_many(list(places.values()))
        values = {key: self._value(key, record) for key, record in zip(places, stored, strict=True)}
        for key, value in values.items():
            _VALUES.keep(self, key, value)
        return values

    def _leaf_number(self, key: bytes) -> int:
        """The leaf in which a key would be; -1 before the first."""
        position = bisect_left(self._first_keys, key)
        return position if position < len(self._first_keys) and self._first_keys[position] == key else position - 1

    def _leaf(self, number: int) -> Directory:
        leaf = _LEAVES.get(self, number, None)
        return _LEAVES.keep(self, number, self._read_leaf(number)) if leaf is None else leaf

    def _read_leaf(self, number: int) -> Directory:
        header = self.header
        start = header.leaves_start
        place = BlobRange(start + self._leaf_starts[number], start + self._leaf_starts[number + 1])
        entries = min(ENTRIES_PER_LEAF, header.records - number * ENTRIES_PER_LEAF)
        leaf = self._directory(place, DirectoryLevel.LEAF, entries, header.boot_bytes + header.data_bytes)
        following = self._first_keys[number + 1] if number + 1 < len(self._first_keys) else None
        if leaf.keys[0] != self._first_keys[number] or (following is not None and leaf.keys[-1] >= following):
            raise DamagedStore(f"{self.location}: byte {place.start:,}: a leaf has other keys than the root says")
        self._check_boot(leaf, place)
        self._check_sum(number, leaf, place)
        return leaf

    def _check_sum(self, number: int, leaf: Directory, place: BlobRange) -> None:
        """Raises DamagedStore where leaves have more bytes than there are: all of them could be one record."""
        with self._summing:
            if number not in self._summed_leaves:
                self._summed_leaves.add(number)
                self._summed_bytes += sum(leaf.sizes)
            if self._summed_bytes > self.header.boot_bytes + self.header.data_bytes:
                raise DamagedStore(f"{self.location}: byte {place.start:,}: records of leaves overlap")

    def _check_boot(self, leaf: Directory, place: BlobRange) -> None:
        """Raises DamagedStore where the directory of boot records says something else than a leaf."""
        boot = self._boot
        for row in range(bisect_left(boot.keys, leaf.keys[0]), boot.last_at_most(leaf.keys[-1]) + 1):
            index = leaf.find(boot.keys[row])
            if index is None or (leaf.starts[index], leaf.sizes[index]) != (boot.starts[row], boot.sizes[row]):
                raise DamagedStore(f"{self.location}: byte {place.start:,}: a leaf disagrees with the boot directory")

    def _directory(
        self, place: BlobRange, level: DirectoryLevel, entries: int, end: int, crc: int | None = None
    ) -> Directory:
        if place.stop - place.start > (_ROOT_BYTES if level is DirectoryLevel.ROOT else _LEAF_BYTES):
            raise DamagedStore(f"{self.location}: byte {place.start:,}: a directory of impossible size")
        member = self._ranges.read(place)
        with self._located(place):
            if crc not in (None, zlib.crc32(member)):
                raise DamagedStore("a directory was altered (copy the archive anew)")
            return decode_directory(member, level, entries, end)

    def _batch(self, leaf: Directory, index: int, prefix: bytes) -> list[bytes]:
        """Keys from a place in a leaf on that are read at once, as long as they begin with `prefix`."""
        batch: list[bytes] = []
        size = 0
        for key, record_bytes in zip(
            leaf.keys[index : index + _SCAN_ENTRIES], leaf.sizes[index : index + _SCAN_ENTRIES], strict=True
        ):
            size += record_bytes
            if not key.startswith(prefix) or (batch and size > BATCH_BYTES):
                break
            batch.append(key)
        return batch

    def _place(self, directory: Directory, index: int) -> BlobRange:
        place = self.header.place(directory.starts[index], directory.sizes[index])
        if place.start < self.header.leaves_start < place.stop:
            raise DamagedStore(f"{self.location}: byte {place.start:,}: a record runs over the end of its section")
        return place

    def _value(self, key: bytes, record: bytes) -> bytes:
        stored, value = int.from_bytes(record[:CHECKSUM_BYTES], "little"), record[CHECKSUM_BYTES:]
        if checksum(key, value) != stored:
            raise mismatch(self.location, key, stored)
        return value

    @contextmanager
    def _located(self, place: BlobRange) -> Iterator[None]:
        try:
            yield
        except DamagedStore as error:
            raise DamagedStore(f"{self.location}: byte {place.start:,}: {error}") from error
