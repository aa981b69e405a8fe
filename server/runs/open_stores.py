"""Stores that are open for reading: opened when first asked for, kept, closed when long unused.

A store that is read by a stream is leased and stays open, also when a newer build has been published meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tilescope.server.errors import UnknownBuild
from tilescope.server.runs.store import RunStore
from tilescope.tiler.errors import NoStore
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.turn import CURRENT

DEFAULT_CAPACITY = 32  # open stores that nobody leases; each costs a few file descriptors and address space


@dataclass(slots=True)
class _Entry:
    """One open generation."""

    path: Path
    generation: bytes  # content of CURRENT when it was opened
    store: RunStore
    leases: int = 0


@dataclass(slots=True)
class _Published:
    """What CURRENT said when it was last read, and the stamp that tells whether it was replaced since."""

    stamp: tuple[int, int, int]
    generation: bytes
    build: str | None = None  # known once the generation was opened, so that listing runs opens nothing
    sources: tuple[Fingerprint, ...] = ()  # known then, too


class OpenStores:
    """The open stores by path and build. Not for several threads: py-lmdb opens an environment once per process."""

    def __init__(self, open_store: Callable[[Path], RunStore], capacity: int = DEFAULT_CAPACITY) -> None:
        self._open_store = open_store
        self._capacity = capacity
        self._entries: dict[tuple[Path, bytes], _Entry] = {}  # least recently used first
        self._published: dict[Path, _Published] = {}

    def current(self, path: Path) -> RunStore:
        """The published generation of a store. Raises `StoreError`."""
        return self._entry(path, self._look(path).generation).store

    def current_build(self, path: Path) -> str:
        """The build id of the published generation. Raises `StoreError`."""
        published = self._look(path)
        return published.build or self.current(path).build

    def current_sources(self, path: Path) -> tuple[Fingerprint, ...]:
        """What the trace files were of which the published generation is an index. Raises `StoreError`."""
        published = self._look(path)
        if published.build is None:
            self.current(path)
        return self._look(path).sources

    def build(self, path: Path, build: str) -> RunStore:
        """The generation of that build, if it is open or published. Raises `UnknownBuild`, `StoreError`."""
        return self._of_build(path, build).store

    @contextmanager
    def lease(self, path: Path, build: str) -> Iterator[RunStore]:
        """The same, and it stays open for the whole block."""
        entry = self._of_build(path, build)
        entry.leases += 1
        try:
            yield entry.store
        finally:
            entry.leases -= 1
            self._close_unused()

    def release(self, path: Path) -> None:
        """Closes what is open of a store, unless it is leased: it may be removed."""
        for key, entry in list(self._entries.items()):
            if entry.path == path and entry.leases == 0:
                del self._entries[key]
                entry.store.close()

    def close(self) -> None:
        """Closes all, leased or not: for the end of the process."""
        for entry in self._entries.values():
            entry.store.close()
        self._entries.clear()
        self._published.clear()

    def _of_build(self, path: Path, build: str) -> _Entry:
        for entry in self._entries.values():
            if entry.path == path and entry.store.build == build:
                return self._used(entry)
        try:
            entry = self._entry(path, self._look(path).generation)
        except NoStore:
            raise UnknownBuild(f"there is no build {build}: the run has no index any more") from None
        if entry.store.build != build:
            raise UnknownBuild(f"there is no build {build} any more: fetch the manifest again")
        return entry

    def _entry(self, path: Path, generation: bytes) -> _Entry:
        entry = self._entries.get((path, generation))
        if entry is None:
            store = self._open_store(path)
            now = self._look(path).generation
            if now != generation:  # another was published just then: which of them is open?
                store.close()
                return self._entry(path, now)
            self._published[path].build = store.build
            self._published[path].sources = store.sources()
            entry = _Entry(path, generation, store)
            self._entries[path, generation] = entry
            self._close_unused(keep=entry)
        return self._used(entry)

    def _used(self, entry: _Entry) -> _Entry:
        key = (entry.path, entry.generation)
        self._entries[key] = self._entries.pop(key)
        return entry

    def _look(self, path: Path) -> _Published:
        file = path / CURRENT
        try:
            stat = file.stat()
            stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            published = self._published.get(path)
            if published is None or published.stamp != stamp:
                published = _Published(stamp, file.read_bytes())
                self._published[path] = published
        except OSError as error:
            self._published.pop(path, None)
            raise NoStore(f"{path}: no index is published here ({error.strerror})") from None
        return published

    def _close_unused(self, keep: _Entry | None = None) -> None:
        surplus = len(self._entries) - self._capacity
        for key, entry in list(self._entries.items()):
            if surplus <= 0:
                return
            if entry.leases == 0 and entry is not keep:
                del self._entries[key]
                entry.store.close()
                surplus -= 1
