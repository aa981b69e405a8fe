"""Runs by their paths: a store, or a folder of shards."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tilescope.tiler.descriptors import allow_open
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError
from tilescope.tiler.lookup.sources import axis_of
from tilescope.tiler.mount.mounted_store import MountedStore
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.shards.folder import RUN, shard_path
from tilescope.tiler.shards.sharded_run import Shard, is_run_of_shards, read_sharded_run
from tilescope.tiler.store import current_build_path as current_store_path
from tilescope.tiler.store import is_store, open_build, open_run_store, open_store
from tilescope.tiler.store import published_file as published_store_file
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import Store


def is_run(path: Path) -> bool:
    """True if a store lies at `path`, or a folder of shards."""
    return is_store(path) or is_run_of_shards(path)


def published_file(path: Path) -> Path:
    """The file that is replaced when the run at `path` is indexed anew; its first KiB say which build it is."""
    return path / RUN if is_run_of_shards(path) and not is_store(path) else published_store_file(path)


def current_build_path(path: Path) -> Path:
    """A path that names what is published at `path` as long as nothing else is. Raises NoStore, StoreError."""
    if is_store(path) or not is_run_of_shards(path):
        return current_store_path(path)
    return path / f"run-{read_sharded_run(path).id}"


def open_run_build(path: Path, build: str) -> Store:
    """Opens the build of that id of the run at `path`. Raises NoStore where it is not there any more, and as below."""
    if is_store(path) or not is_run_of_shards(path):
        return open_build(path, build)
    store = open_run(path)
    if store.build != build:
        store.close()
        raise NoStore(f"{path}: there is no build {build} any more")
    return store


def stores_of(path: Path) -> list[Path]:
    """The stores of the run at `path`: itself, or those of its shards but the ones that failed.

    Raises StoreVersion or DamagedStore; StoreError where all failed.
    """
    if is_store(path) or not is_run_of_shards(path):
        return [path]
    stores = [shard_path(path, shard.name) for shard in read_sharded_run(path).shards if shard.state == "ready"]
    if not stores:
        raise StoreError(f"{path}: the run has no shard that was indexed")
    return stores


def open_run(path: Path) -> Store:
    """Opens the store or the archive at `path`, or all shards there that can be read, as one run.

    Raises NoStore, StoreVersion or DamagedStore; StoreError where no shard can be read.
    """
    if is_store(path) or not is_run_of_shards(path):
        return open_store(path)
    run = read_sharded_run(path)
    allow_open(len(run.shards))
    notes, shards = [f"{shard.title} is missing: {shard.error}" for shard in run.failed], list[ShardRecords]()
    with ExitStack() as opened:
        for shard in run.shards:
            if shard.state == "failed":
                continue
            if shard.is_apart:
                notes.append(
                    f"{shard.title} is missing: it lies beyond the time axis of the run (index it with --force)"
                )
                continue
            try:
                store = _open_shard(path, shard, run.axis)
                opened.callback(store.close)
                shards.append(ShardRecords.read(shard.title, store))
            except StoreError as error:
                notes.append(f"{shard.title} is missing: {error}")
        if not shards:
            first = f": {notes[0]}" if notes else ""
            raise StoreError(f"{path}: no shard of the run can be read{first}")
        mounted = MountedStore(path, shards, notes)
        opened.pop_all()
    return mounted


def _open_shard(path: Path, shard: Shard, axis: str) -> RunStore:
    """The store of a shard. Raises StoreError, DamagedStore where it is of another axis."""
    store = open_run_store(shard_path(path, shard.name))
    try:
        if axis_of(store) != axis:
            raise DamagedStore(f"{store.location}: is of another time axis than the run")
    except BaseException:
        store.close()
        raise
    return store
