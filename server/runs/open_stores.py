"""Stores that are open for reading: opened when first asked for, kept, closed when unused for a while.

A store that is read by a stream is leased and stays open, also when a newer build has been published meanwhile. A build
that is being made can be read as it grows; when it is published, its readers go on with what they have open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.server.errors import UnknownBuild
from tilescope.tiler.errors import NoStore, NotBuilt, StoreError
from tilescope.tiler.lookup.manifest import run_manifest
from tilescope.tiler.lookup.sources import separated_sources, sources
from tilescope.tiler.mount import is_outdated, open_run_build, published_file
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.schema import RunManifest
from tilescope.tiler.store import open_growing as open_growing_store
from tilescope.tiler.store.extent import RunExtent
from tilescope.tiler.store.store import GrowingStore, Store

DEFAULT_CAPACITY: Final = 32  # open stores that nobody leases; each costs a few file descriptors and address space
_NAME_BYTES: Final = 1024  # of CURRENT that are looked at
IDLE_S: Final = 300.0  # what is open counts as in use, and cannot be removed from a cache that is full


@dataclass(slots=True)
class _Entry:
    """One open generation."""

    path: Path
    generation: bytes  # what CURRENT says of it, now or once it is published; of an archive, the stamp of its file
    store: Store
    used_s: float
    leases: int = 0
    is_given_up: bool = False  # closed once nobody leases it
    is_doubted: bool = False  # what is there may be more by now

    @property
    def is_outdated(self) -> bool:
        """True where opening it anew may give more."""
        return self.is_doubted or is_outdated(self.store)


@dataclass(slots=True)
class _Published:
    """Content of CURRENT when it was last read, and the stamp that tells whether it was replaced since."""

    stamp: tuple[int, int, int]
    generation: bytes
    build: str | None = None  # known once the generation was opened, so that listing runs opens nothing
    sources: tuple[Fingerprint, ...] = ()  # known then, too
    separated: tuple[int, ...] = ()  # likewise: those of the sources that are not in it
    extent: RunExtent | None = None  # likewise
    manifest: RunManifest | None = None


class OpenStores:
    """The open stores by path and build. Not for several threads."""

    def __init__(
        self,
        open_store: Callable[[Path], Store],
        capacity: int = DEFAULT_CAPACITY,
        idle_s: float = IDLE_S,
        *,
        open_growing: Callable[[Path, str], GrowingStore] = open_growing_store,
    ) -> None:
        self._open_store = open_store
        self._open_growing = open_growing
        self._capacity = capacity
        self.idle_s = idle_s
        self._entries: dict[tuple[Path, bytes], _Entry] = {}  # least recently used first
        self._growing: dict[Path, tuple[_Entry, GrowingStore]] = {}
        self._published: dict[Path, _Published] = {}

    def current(self, path: Path) -> Store:
        """The published generation of a store. Raises `StoreError`."""
        return self._entry(path, self._look(path).generation).store

    def current_build(self, path: Path) -> str:
        """The build id of the published generation. Raises `StoreError`."""
        published = self._look(path)
        entry = self._entries.get((path, published.generation))
        if published.build is None or (entry is not None and entry.is_outdated):
            return self.current(path).build
        return published.build

    def is_open(self, path: Path) -> bool:
        """True if the published generation of a store is open, with all that it has by now. Raises `StoreError`."""
        entry = self._entries.get((path, self._look(path).generation))
        return entry is not None and not entry.is_outdated

    def is_described(self, path: Path) -> bool:
        """True if all that lists of runs show of a store is there without opening it. Raises `StoreError`."""
        published = self._look(path)
        entry = self._entries.get((path, published.generation))
        return published.build is not None and (entry is None or not entry.is_outdated)

    def current_sources(self, path: Path) -> tuple[Fingerprint, ...]:
        """Fingerprints of the trace files from which the published generation was built. Raises `StoreError`."""
        published = self._look(path)
        if published.build is None:
            self.current(path)
        return self._look(path).sources

    def current_separated(self, path: Path) -> tuple[int, ...]:
        """Numbers of those sources that are not in it, as they are of another time. Raises `StoreError`."""
        self.current_sources(path)
        return self._look(path).separated

    def current_extent(self, path: Path) -> RunExtent | None:
        """Extent of the published generation, once `current_build` has read its id. Raises `StoreError`."""
        return self._look(path).extent

    def current_manifest(self, path: Path) -> RunManifest:
        """The manifest of the published generation. Raises `StoreError`."""
        published = self._look(path)
        if published.manifest is None:
            published.manifest = run_manifest(self.current(path))
        return published.manifest

    def growing(self, path: Path, build: str) -> Store:
        """A build that is being made, as far as it is. To be called for builds that exist. Raises `StoreError`."""
        return self._growing_entry(path, build).store

    def settle(self, path: Path) -> None:
        """The build of a store has come to its end: its readers keep it if it was published, and lose it otherwise."""
        growing = self._growing.pop(path, None)
        if growing is None:
            return
        entry, store = growing
        try:
            published = self._look(path)
        except NoStore:
            published = None
        if published is None or published.generation != entry.generation:
            store.abandoned()
            self._give_up(entry)
            return
        try:
            store.published()
            self._opened(entry, published)
        except StoreError:  # damaged meanwhile: whoever opens it next is told so
            self._give_up(entry)

    def build(self, path: Path, build: str) -> Store:
        """The generation of that build, if it is open or published. Raises `UnknownBuild`, `StoreError`."""
        return self._of_build(path, build).store

    @contextmanager
    def lease(self, path: Path, build: str, *, is_growing: bool = False) -> Iterator[Store]:
        """The same, or one that `is_growing`, and it stays open for the whole block."""
        entry = self._growing_entry(path, build) if is_growing else self._of_build(path, build)
        entry.leases += 1
        try:
            yield entry.store
        finally:
            entry.leases -= 1
            entry.used_s = time.monotonic()
            if entry.is_given_up:
                self._give_up(entry)
            self._close_unused()

    def opener(self, *, is_growing: bool) -> Callable[[Path, str], Store]:
        """A function that opens a build by its store's path and its id; it can be pickled, for other processes."""
        return self._open_growing if is_growing else open_run_build

    def doubt(self, path: Path) -> bytes:
        """Something of the published generation is damaged: it is opened anew when it is next asked for, which fails
        if the damage is to the whole. Returns what names the generation; nothing where there is none.
        """
        try:
            generation = self._look(path).generation
        except NoStore:
            return b""
        del self._published[path]
        entry = self._entries.pop((path, generation), None)
        if entry is not None:
            self._give_up(entry)
        return generation

    def look_again(self, path: Path) -> None:
        """Opens the published generation anew when it is next asked for; until that is done there is what there was."""
        entry = self._entries.get((path, self._look(path).generation))
        if entry is not None:
            entry.is_doubted = True

    def release(self, path: Path) -> None:
        """Closes what is open of a store, unless it is leased: it may be removed."""
        for entry in [entry for entry in self._entries.values() if entry.path == path]:
            self._close(entry)

    def close_idle(self) -> None:
        """Closes what was not used for `idle_s` seconds. To be called now and then."""
        for entry in [entry for entry in self._entries.values() if time.monotonic() - entry.used_s >= self.idle_s]:
            self._close(entry)

    def close(self) -> None:
        """Closes all, leased or not: for the end of the process."""
        for entry in [*self._entries.values(), *(entry for entry, _ in self._growing.values())]:
            entry.store.close()
        self._entries.clear()
        self._growing.clear()
        self._published.clear()

    def _growing_entry(self, path: Path, build: str) -> _Entry:
        growing = self._growing.get(path)
        if growing is None or growing[0].store.build != build:
            if growing is not None:
                del self._growing[path]
                growing[1].abandoned()
                self._give_up(growing[0])
            store = self._open_growing(path, build)
            growing = _Entry(path, f"gen-{build}\n".encode(), store, time.monotonic()), store
            self._growing[path] = growing
        return growing[0]

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
        if path in self._growing and self._growing[path][0].generation == generation:
            self.settle(path)
        entry = self._entries.get((path, generation))
        if entry is None or entry.is_outdated:
            try:
                store = self._open_store(path)
            except NotBuilt:  # it is being opened: until then there is what there was
                if entry is None:
                    raise
                return self._used(entry)
            now = self._look(path)
            if now.generation != generation:  # another was published just then: which of them is open?
                store.close()
                return self._entry(path, now.generation)
            if entry is not None:
                del self._entries[path, generation]
                self._give_up(entry)
            entry = _Entry(path, generation, store, time.monotonic())
            self._opened(entry, now)
        return self._used(entry)

    def _opened(self, entry: _Entry, published: _Published) -> None:
        published.build = entry.store.build
        published.sources = sources(entry.store)
        published.separated = separated_sources(entry.store)
        published.manifest = run_manifest(entry.store)
        published.extent = RunExtent.from_manifest(published.manifest)
        entry.used_s = time.monotonic()
        for key, other in list(self._entries.items()):
            if other.path == entry.path and other.store.build == entry.store.build:  # a file that was written anew
                del self._entries[key]
                self._give_up(other)
        self._entries[entry.path, entry.generation] = entry
        self._close_unused(keep=entry)

    def _used(self, entry: _Entry) -> _Entry:
        key = (entry.path, entry.generation)
        self._entries[key] = self._entries.pop(key)
        entry.used_s = time.monotonic()
        return entry

    def _look(self, path: Path) -> _Published:
        file = published_file(path)
        try:
            stat = file.stat()
            stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            published = self._published.get(path)
            if published is None or published.stamp != stamp:
                published = _Published(stamp, _generation(path, file, stamp))
                self._published[path] = published
        except OSError as error:
            self._published.pop(path, None)
            raise NoStore(f"{path}: no index is published here ({error.strerror})") from None
        return published

    def _close_unused(self, keep: _Entry | None = None) -> None:
        for entry in list(self._entries.values()):
            if len(self._entries) <= self._capacity:
                return
            if entry is not keep:
                self._close(entry)

    def _close(self, entry: _Entry) -> None:
        if entry.leases == 0:
            del self._entries[entry.path, entry.generation]
            entry.store.close()

    def _give_up(self, entry: _Entry) -> None:
        entry.is_given_up = True
        if entry.leases == 0:
            entry.store.close()


def _generation(path: Path, file: Path, stamp: tuple[int, int, int]) -> bytes:
    """Bytes that name what is published at a path, where `file` is replaced by the next. Raises OSError."""
    if file == path:
        return repr(stamp).encode()
    with file.open("rb") as content:
        return content.read(_NAME_BYTES)
