"""Runs by their paths: a store, or a folder of shards."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.errors import NoStore, StoreError
from tilescope.tiler.mount.mounting import WAIT_SECONDS, mount
from tilescope.tiler.shards.folder import RUN, shard_path
from tilescope.tiler.shards.sharded_run import is_run_of_shards, read_sharded_run
from tilescope.tiler.store import current_build_path as current_store_path
from tilescope.tiler.store import is_store, open_build, open_store
from tilescope.tiler.store import published_file as published_store_file
from tilescope.tiler.store.store import Store


def is_mounted(path: Path) -> bool:
    """True if a folder of shards lies at `path`, which is mounted when it is opened."""
    return is_run_of_shards(path) and not is_store(path)  # in this order: an address is not asked


def published_file(path: Path) -> Path:
    """The file that is replaced when the run at `path` is indexed anew; its first KiB say which build it is."""
    return path / RUN if is_mounted(path) else published_store_file(path)


def current_build_path(path: Path) -> Path:
    """A path that names what is published at `path` as long as nothing else is. Raises NoStore, StoreError."""
    return path / f"run-{read_sharded_run(path).id}" if is_mounted(path) else current_store_path(path)


def open_run_build(path: Path, build: str) -> Store:
    """Opens the build of that id of the run at `path`. Raises NoStore where it is not there any more, and as below."""
    if not is_mounted(path):
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
    if not is_mounted(path):
        return [path]
    stores = [shard_path(path, shard.name) for shard in read_sharded_run(path).shards if shard.state == "ready"]
    if not stores:
        raise StoreError(f"{path}: the run has no shard that was indexed")
    return stores


def open_run(path: Path, wait_seconds: float = WAIT_SECONDS) -> Store:
    """Opens the store or the archive at `path`, or all shards there that can be read, as one run.

    Shards that take longer than `wait_seconds` to open are missing. Raises NoStore, StoreVersion or DamagedStore;
    StoreError where no shard can be read.
    """
    return mount(path, read_sharded_run(path), wait_seconds) if is_mounted(path) else open_store(path)
