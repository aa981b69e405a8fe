"""Merged records of a run, kept beside its shards, so that opening it opens none of them."""

from __future__ import annotations

import os
from pathlib import Path

from tilescope.tiler.errors import StoreError
from tilescope.tiler.mount.merged_records import MergedRecords
from tilescope.tiler.mount.shard_place import ShardPlace, read_places
from tilescope.tiler.shards.folder import MERGED
from tilescope.tiler.store.archive import open_archive
from tilescope.tiler.store.archive.writer import write_archive
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


def write_merge(folder: Path, merged: MergedRecords) -> None:
    """Writes them as an archive without pages, in one step. Raises StoreError."""
    path = folder / MERGED
    part = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
    try:
        with part.open("wb") as file:
            write_archive(merged, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


class KeptMerge:
    """Merged records that are kept, and the places of the shards that they are of."""

    def __init__(self, store: Store, places: list[ShardPlace]) -> None:
        self.store = store
        self.places = places

    @property
    def present(self) -> list[ShardPlace]:
        """The places of shards that were there."""
        return [place for place in self.places if place.build]


def open_merge(folder: Path) -> KeptMerge | None:
    """Merged records that are kept of a run; None where there are none that can be read."""
    try:
        store = open_archive(folder / MERGED)
    except StoreError:
        return None
    try:
        with must_make_sense(store.location):
            return KeptMerge(store, read_places(store.internals()))
    except StoreError:
        store.close()
        return None
