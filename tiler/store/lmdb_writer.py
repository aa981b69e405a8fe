"""Writes records into an LMDB environment: for the one process that builds it.

LMDB is for writing alone. Records are read by position (`lmdb_reader.py`): LMDB maps the file, and a damaged or
shortened one would end the process that reads it.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import lmdb

from tilescope.tiler.errors import DiskFull, StoreError, TilescopeError
from tilescope.tiler.memory_limits import out_of_memory
from tilescope.tiler.profile import stage, unlocked, waiting
from tilescope.tiler.store.checksum import sealed
from tilescope.tiler.store.disk_space import has_room
from tilescope.tiler.store.flusher import Flusher
from tilescope.tiler.store.generation_lock import DATA_FILE
from tilescope.tiler.store.store import Entry

# Address space, not disk: the file grows as it is written.
_MAP_BYTES: Final = 1 << 40

# Whoever writes looks at pages that were written before, and the system maps their neighbours with them: a tenth of
# the file counts as memory of this process then. When the file has grown by so much, it is mapped anew, and brought to
# the disk meanwhile.
_GROWTH_BYTES: Final = 32 << 20


class LmdbWriter:
    """An environment that is open for writing. Other processes may read what was committed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()  # one writes at a time, and nobody while the file is mapped anew
        self._written_bytes = 0  # since then
        self._flusher = Flusher(path / DATA_FILE)
        try:
            # Readers by position rely on pages being written before what names them: never with `writemap`.
            self._env = lmdb.open(
                os.fsencode(path),  # LMDB takes no text with bytes that are no UTF-8
                map_size=_MAP_BYTES,
                max_dbs=0,
                sync=False,  # publishing syncs once
                metasync=False,
                writemap=False,
            )
        except lmdb.Error as error:
            raise _store_error(path, "cannot open the index", error) from error

    def put_many(self, entries: Iterable[Entry]) -> None:
        """Writes all entries, each with its checksum, or none. Raises DiskFull or StoreError."""
        try:
            with self._writing():
                with self._env.begin(write=True) as transaction:
                    for key, value in entries:
                        transaction.put(key, sealed(key, value))
                        self._written_bytes += len(value)
                self._give_pages_back()
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def remove(self, entries: Iterable[bytes]) -> None:
        """Removes the entries with these keys, where there are such."""
        try:
            with self._writing(), self._env.begin(write=True) as transaction:
                for key in entries:
                    transaction.delete(key)
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def begin_flush(self) -> None:
        """Begins to bring to the disk what was written so far, and does not wait for it."""
        self._flusher.begin()

    def sync(self) -> None:
        """Everything written so far is on the disk when this returns. Raises DiskFull or StoreError."""
        try:
            self._lengthen()
            with unlocked("sync"):
                self._env.sync(True)
        except lmdb.Error as error:
            raise _store_error(self._path, "cannot write the index", error) from error

    def size_bytes(self) -> int:
        """Size of the file."""
        return (self._path / DATA_FILE).stat().st_size

    def close(self) -> None:
        """Closes the environment."""
        self._flusher.close()
        self._env.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with waiting("the writer"):
            self._turn.acquire()
        try:
            with stage("writing"), unlocked("LMDB"):
                yield
        finally:
            self._turn.release()

    def _give_pages_back(self) -> None:
        if self._written_bytes >= _GROWTH_BYTES:
            self._written_bytes = 0
            self._env.set_mapsize(_MAP_BYTES)  # the same size: it is unmapped and mapped
            self._flusher.begin()

    def _lengthen(self) -> None:
        """LMDB does not write last pages that it took and gave back: with them, a file that is shorter was cut."""
        whole = self._taken_bytes()
        if self.size_bytes() < whole:
            os.truncate(self._path / DATA_FILE, whole)

    def _taken_bytes(self) -> int:
        return (self._env.info()["last_pgno"] + 1) * self._env.stat()["psize"]


def _store_error(path: Path, what: str, error: lmdb.Error) -> TilescopeError:
    """LMDB has an exception for a full disk, but only a text for a quota, and an I/O error for a write cut short."""
    text = str(error)
    if os.strerror(errno.ENOMEM) in text:
        return out_of_memory(f"{path}: {what}: it needs {_MAP_BYTES >> 40} TiB of address space, though not of memory")
    is_full = isinstance(error, lmdb.DiskError | lmdb.MapFullError) or os.strerror(errno.EDQUOT) in text
    if is_full or (os.strerror(errno.EIO) in text and not has_room(path)):
        return DiskFull(f"{path}: {what}: the disk is full")
    return StoreError(f"{path}: {what}: {error}")
