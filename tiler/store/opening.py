"""Opens whatever lies at a path as a store: the published generation of a folder, or an archive."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.errors import NoStore
from tilescope.tiler.store import generation
from tilescope.tiler.store.archive import archive_build, is_archive_file, open_archive
from tilescope.tiler.store.build_lock import CURRENT
from tilescope.tiler.store.run_store import open_generation, open_run_store
from tilescope.tiler.store.store import Store


def is_store(path: Path) -> bool:
    """True if a published store or an archive lies at `path`."""
    return generation.is_store(path) or is_archive_file(path)


def open_store(path: Path) -> Store:
    """Opens the store or the archive at `path`, which stays what it is until it is closed.

    Raises NoStore, StoreVersion, DamagedStore or StoreError.
    """
    return open_archive(path) if is_archive_file(path) else open_run_store(path)


def open_build(path: Path, build: str) -> Store:
    """Opens a build that is published at `path`, be it the current one or not.

    Raises NoStore when it is not there any more, StoreVersion or DamagedStore.
    """
    if not is_archive_file(path):
        return open_generation(path, build)
    store = open_archive(path)
    if store.build != build:
        store.close()
        raise NoStore(f"{path}: there is no build {build} any more")
    return store


def current_build_path(path: Path) -> Path:
    """A path that names the current build of the store at `path`: its folder; of an archive, one like it.

    Raises NoStore, StoreVersion, DamagedStore or StoreError.
    """
    return path / f"gen-{archive_build(path)}" if is_archive_file(path) else generation.current(path)


def published_file(path: Path) -> Path:
    """The file that is replaced when another build is published at `path`; its beginning names the build."""
    return path if path.is_file() else path / CURRENT
