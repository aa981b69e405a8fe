"""Store in an LMDB environment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import lmdb

from tilescope.tiler.errors import DiskFull, NoStore, StoreError, TilescopeError
from tilescope.tiler.memory_limits import out_of_memory
from tilescope.tiler.store.disk_space import has_room

# Address space, not disk: the file grows as it is written.
_MAP_BYTES = 1 << 40

# Entries a scan copies in one read transaction. Short transactions never keep a writer's old pages alive.
_SCAN_ENTRIES = 64


class LmdbStore:
    """An environment: open for reading, or for writing by the one process that builds it.

    `growing`: for reading while another process writes it. Each read sees all that was committed before it.
    """

    def __init__(self, path: Path, *, write: bool = False, growing: bool = False) -> None:
        self._path = path
        if not write and not (path / "data.mdb").is_file():
            raise NoStore(f"{path}: there is no index here")
        try:
            self._env = lmdb.open(
                str(path),
                map_size=_MAP_BYTES,
                max_dbs=0,
                readonly=not write,
                lock=write or growing,  # a finished generation is never written again, so its readers need none
                sync=False,  # publishing syncs once
                metasync=False,
                readahead=write,
            )
        except lmdb.Error as error:
            raise _store_error(path, "cannot open the index", error) from error

    def get(self, key: bytes, take: Callable[[memoryview], bytes | None] = bytes) -> bytes | None:
        """The value, or None. `take` makes a copy of what is wanted of it: the value is gone when it returns."""
        with self._env.begin(buffers=True) as transaction:
            value = transaction.get(key)
            return None if value is None else take(value)

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""
        while True:
            entries = self._scan_some(first, prefix)
            yield from entries
            if len(entries) < _SCAN_ENTRIES:
                return
            first = entries[-1][0] + b"\x00"

    def _scan_some(self, first: bytes, prefix: bytes) -> list[tuple[bytes, bytes]]:
        entries: list[tuple[bytes, bytes]] = []
        with self._env.begin() as transaction, transaction.cursor() as cursor:
            found = cursor.set_range(first)
            while found and len(entries) < _SCAN_ENTRIES and cursor.key().startswith(prefix):
                entries.append((bytes(cursor.key()), bytes(cursor.value())))
                found = cursor.next()
        return entries

    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, bytes] | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""
        with self._env.begin() as transaction, transaction.cursor() as cursor:
            found = cursor.last() if not cursor.set_range(key) else cursor.key() == key or cursor.prev()
            if not found or not cursor.key().startswith(prefix):
                return None
            return bytes(cursor.key()), bytes(cursor.value())

    def put_many(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all entries, or none. Raises DiskFull when there is no room for them, StoreError otherwise."""
        try:
            with self._env.begin(write=True) as transaction:
                for key, value in entries:
                    transaction.put(key, value)
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def remove(self, entries: Iterable[bytes]) -> None:
        """Removes the entries with these keys, where there are such."""
        try:
            with self._env.begin(write=True) as transaction:
                for key in entries:
                    transaction.delete(key)
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def sync(self) -> None:
        """Everything written so far is on the disk when this returns. Raises DiskFull or StoreError."""
        try:
            self._env.sync(True)
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def size_bytes(self) -> int:
        """Of the file."""
        return (self._path / "data.mdb").stat().st_size

    def moved_to(self, path: Path) -> None:
        """Its folder was renamed while it was open, which it does not mind."""
        self._path = path

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()


def _store_error(path: Path, what: str, error: lmdb.Error) -> TilescopeError:
    """LMDB has an exception for a full disk, but only a text for a quota, and an I/O error for a write cut short."""
    text = str(error)
    if os.strerror(errno.ENOMEM) in text:
        return out_of_memory(f"{path}: {what}: it needs {_MAP_BYTES >> 40} TiB of address space, though not of memory")
    is_full = isinstance(error, lmdb.DiskError | lmdb.MapFullError) or os.strerror(errno.EDQUOT) in text
    if is_full or (os.strerror(errno.EIO) in text and not has_room(path)):
        return DiskFull(f"{path}: {what}: the disk is full")
    return StoreError(f"{path}: {what}: {error}")
