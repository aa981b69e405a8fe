"""Generations: a build writes into a directory of its own, and becomes visible in one step.

    STORE/CURRENT              names the published generation
    STORE/gen-<build>/         LMDB environment of a finished build
    STORE/gen-<build>.part/    one that is being written, or was when its process died
    STORE/LOCK                 held by the process that builds

`CURRENT` is replaced by rename, so a crash at any moment leaves the old generation or the new one, never half of one.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tilescope.tiler.errors import NoStore, StoreError
from tilescope.tiler.store.lmdb_store import LmdbStore

_CURRENT = "CURRENT"
_LOCK = "LOCK"


def is_store(path: Path) -> bool:
    """Whether a published store lies at `path`."""
    return (path / _CURRENT).is_file()


def current(path: Path) -> Path:
    """Directory of the published generation. Raises NoStore."""
    try:
        name = (path / _CURRENT).read_text().strip()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoStore(f"{path}: no store here (make one with: tilescope index TRACE -o {path})") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path / _CURRENT}: cannot be read: {error}") from error
    if not name.startswith("gen-") or "/" in name or not (path / name).is_dir():
        raise NoStore(f"{path}: names a generation that is not there (index the trace again)")
    return path / name


class Generation:
    """A build in progress."""

    def __init__(self, store: Path, build: str) -> None:
        self.build = build
        self._store = store
        self._part = store / f"gen-{build}.part"
        self._part.mkdir()
        self.data = LmdbStore(self._part, write=True)

    @property
    def scratch(self) -> Path:
        """A folder for what the build needs meanwhile: files without names, which vanish with the process."""
        return self._part

    def publish(self) -> None:
        """Makes this generation the current one, and removes those before it."""
        self.data.sync()
        self.data.close()
        (self._part / "lock.mdb").unlink(missing_ok=True)
        _sync(self._part)
        final = self._store / f"gen-{self.build}"
        self._part.rename(final)
        _sync(self._store)
        pending = self._store / f"{_CURRENT}.part"
        with pending.open("w") as file:
            file.write(final.name + "\n")
            file.flush()
            os.fsync(file.fileno())
        pending.replace(self._store / _CURRENT)
        _sync(self._store)
        _remove_generations(self._store, keep=final.name)

    def abandon(self) -> None:
        """Removes what was written."""
        self.data.close()
        shutil.rmtree(self._part, ignore_errors=True)


@contextmanager
def building(store: Path) -> Iterator[Generation]:
    """A new generation of the store at `store`, which is made if need be.

    Published when the block ends well; otherwise nothing is left of it. Waits while another process builds here.
    """
    made = _make(store)
    with (store / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for part in store.glob("gen-*.part"):  # of a process that died
            shutil.rmtree(part, ignore_errors=True)
        generation = Generation(store, secrets.token_hex(12))
        try:
            yield generation
            generation.publish()
        except BaseException:
            generation.abandon()
            if not is_store(store):
                (store / _LOCK).unlink(missing_ok=True)
                for folder in made:
                    with suppress(OSError):
                        folder.rmdir()
            raise


def _make(store: Path) -> list[Path]:
    """Makes the folder. Returns the folders that were missing, innermost first."""
    missing = [folder for folder in (store, *store.parents) if not folder.exists()]
    if store.exists() and not store.is_dir():
        raise StoreError(f"{store}: is a file, a store is a folder")
    if store.is_dir() and not is_store(store) and not _is_ours(store):
        raise StoreError(f"{store}: is not empty and not a store (name another folder)")
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{store}: cannot be made: {error.strerror}") from error
    return missing


def _is_ours(store: Path) -> bool:
    return all(entry.name in (_LOCK, f"{_CURRENT}.part") or entry.name.startswith("gen-") for entry in store.iterdir())


def _remove_generations(store: Path, keep: str) -> None:
    for folder in store.glob("gen-*"):
        if folder.name != keep:
            shutil.rmtree(folder, ignore_errors=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
