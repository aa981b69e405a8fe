"""A store that can be read while it is built: what is there so far, and what becomes of it when it is published.

The process that builds commits a block's shape record last, so a block that has one is complete, and stays as it is.
Manifest, track tree, names and overview are written anew until reading is done, and the manifest says so by a higher
revision. Publication renames the folder under the open file, which goes on being read; no file is opened twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from tilescope.tiler.errors import NoStore, StoredLast, StoreError
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store.gate import is_readable
from tilescope.tiler.store.generation_lock import Use, hold
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.run_store import RunStore, give_back
from tilescope.tiler.store.store import Entry, NumberedRecord

_OPEN_TRIES: Final = 5  # the folder may be renamed between looking for it and opening it


class GrowingRunStore:
    """One generation from the moment when there is something to show: a `Store`.

    Until `published` is called its answers may change, and `gate` says which records can be read.
    """

    fetch = None  # it is on this machine

    def __init__(self, data: LmdbReader, path: Path, use: Use) -> None:
        self.location = str(path)
        self._data = data
        self._path = path
        self._use = use
        self._manifest: bytes | None = None  # as it was stored when `_now` was made
        self._now: RunStore
        self._done: set[int] = set()  # complete blocks
        self.is_growing = True
        self.build = self.ungated().build

    def ungated(self) -> RunStore:
        """Returns what is written so far, under the manifest as it is now."""
        if self.is_growing:
            self._read_manifest()
        return self._now

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """As `Store.get`. Raises NotBuilt, StoredLast."""
        return self._now.get(record, *numbers) if self._is_readable(record, numbers) else None

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """As `Store.at_most`. Raises NotBuilt, StoredLast."""
        return self._now.at_most(record, *numbers) if self._is_readable(record, numbers) else None

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """As `Store.scan`. Raises NotBuilt, StoredLast."""
        return self._now.scan(record, *numbers, start=start) if self._is_readable(record, numbers) else iter(())

    def records(self) -> Iterator[Entry]:
        """As `Store.records`. Raises StoredLast."""
        if self.is_growing:
            raise StoredLast("the run is still being indexed: all records can be read when that is done")
        return self._now.records()

    def manifest(self) -> dict[str, Any]:
        """As `Store.manifest`: of what is known so far."""
        return self.ungated().manifest()

    def internals(self) -> Mapping[str, Any]:
        """As `Store.internals`: of what is known so far."""
        return self.ungated().internals()

    def published(self) -> None:
        """It is the current generation now, and complete: from here on its answers stay as they are."""
        self._data.published(self._path / f"gen-{self.build}")
        self._read_manifest()
        self.is_growing = False

    def abandoned(self) -> None:
        """It will not be published. What is open can be read on, but others may remove the folder."""
        self._use.close()

    def close(self) -> None:
        """Closes the store, and lets others remove it."""
        self._now.close()

    def _read_manifest(self) -> None:
        manifest = self._data.get(MANIFEST.key())
        if manifest is None:
            raise NoStore(f"{self._path}: there is nothing to be shown of this build yet")
        if manifest != self._manifest:
            release = partial(give_back, self._path, self._use)
            self._now, self._manifest = RunStore(self._data, self.location, release), manifest

    def _is_readable(self, record: Record, numbers: tuple[int, ...]) -> bool:
        return not self.is_growing or is_readable(record, numbers, self._is_done)

    def _is_done(self, block: int) -> bool:
        if block not in self._done and self._now.get(SHAPE, block) is not None:
            self._done.add(block)
        return block in self._done


def open_growing(path: Path, build: str) -> GrowingRunStore:
    """Opens a build of the store at `path` that another process writes, or has just published.

    Raises NoStore when there is nothing to be read of it, and as `open_run_store` does.
    """
    for _ in range(_OPEN_TRIES):
        for folder in (path / f"gen-{build}.part", path / f"gen-{build}"):
            use = hold(folder)
            if use is not None:
                try:
                    return _open(folder, path, use)
                except StoreError:
                    use.close()
                    if folder.is_dir():
                        raise
    raise NoStore(f"{path}: there is nothing to be read of build {build}")


def _open(folder: Path, path: Path, use: Use) -> GrowingRunStore:
    data = LmdbReader(folder, growing=folder.suffix == ".part")
    try:
        return GrowingRunStore(data, path, use)
    except BaseException:
        data.close()
        raise
