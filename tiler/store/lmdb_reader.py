"""Reads the records of an LMDB file, by position and with everything checked, whatever the file holds.

A file that is damaged, or cut short while it is open, is a `DamagedStore` and nothing worse; see `tiler/native/tree/`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.tiler._native import FileDamage, TreeReader
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError
from tilescope.tiler.store.checksum import checksum, mismatch
from tilescope.tiler.store.generation_lock import DATA_FILE
from tilescope.tiler.store.store import Entry

# Entries that a scan reads at once.
_SCAN_ENTRIES: Final = 64

_ERRORS: Final = (FileDamage, RuntimeError)


class LmdbReader:
    """An open file of records, for whatever threads.

    `growing`: another process writes it. Each read sees all that was committed before it.
    """

    def __init__(self, path: Path, *, growing: bool = False) -> None:
        self._file = path / DATA_FILE
        self._growing = growing
        try:
            descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not make us wait
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NoStore(f"{path}: there is no index here") from error
        except OSError as error:
            raise StoreError(f"{self._file}: cannot be read: {error.strerror}") from error
        try:
            self._tree = TreeReader(descriptor, growing)
        except _ERRORS as error:
            raise self._store_error(error) from error

    def get(self, key: bytes) -> bytes | None:
        """The value, or None. Raises DamagedStore, as all that reads does."""
        try:
            stored_record = self._tree.get(key)
        except _ERRORS as error:
            raise self._store_error(error) from error
        if stored_record is None:
            return None
        stored, value = stored_record
        if checksum(key, value) != stored:  # as `_checked`, without a call: pages are read one by one
            raise mismatch(str(self._file), key, stored)
        return value

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""
        while True:
            try:
                entries = self._tree.scan(first, prefix, _SCAN_ENTRIES)
            except _ERRORS as error:
                raise self._store_error(error) from error
            if not entries:
                return
            for key, stored, value in entries:
                yield key, self._checked(key, stored, value)
            first = entries[-1][0] + b"\x00"

    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, bytes] | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""
        try:
            stored_record = self._tree.last_at_most(key, prefix)
        except _ERRORS as error:
            raise self._store_error(error) from error
        if stored_record is None:
            return None
        found_key, stored, value = stored_record
        return found_key, self._checked(found_key, stored, value)

    def count(self) -> int:
        """Number of entries, as the file gives it."""
        try:
            return self._tree.entries
        except _ERRORS as error:
            raise self._store_error(error) from error

    def size_bytes(self) -> int:
        """Size of the file, also where its folder has just been renamed because it is published."""
        folder = self._file.parent
        try:
            if self._growing:
                with suppress(FileNotFoundError):
                    return self._file.stat().st_size
                return (folder.with_suffix("") / DATA_FILE).stat().st_size
            return self._file.stat().st_size
        except FileNotFoundError as error:
            raise NoStore(f"{folder}: there is no index here any more") from error
        except OSError as error:
            raise StoreError(f"{self._file}: cannot be read: {error.strerror}") from error

    def published(self, path: Path) -> None:
        """Its folder was renamed while it was open, which it does not mind, and its file stays as it is now."""
        self._file = path / DATA_FILE
        self._growing = False
        try:
            self._tree.settle()
        except _ERRORS as error:
            raise self._store_error(error) from error

    def close(self) -> None:
        """Closes the file. What reads it at the moment ends well."""
        self._tree.close()

    def _checked(self, key: bytes, stored: int, value: bytes) -> bytes:
        if checksum(key, value) != stored:
            raise mismatch(str(self._file), key, stored)
        return value

    def _store_error(self, error: Exception) -> StoreError:
        """The error for what the native reader has found."""
        if not isinstance(error, FileDamage):
            return StoreError(f"{self._file}: cannot be read: {error}")
        what, offset = error.args
        return DamagedStore(f"{self._file}: byte {offset:,}: {what}: the index is damaged (index the trace again)")
