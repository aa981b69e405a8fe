"""Generations: a build writes into a directory of its own, and becomes visible in one step.

    STORE/CURRENT              names the published generation
    STORE/gen-<build>/         LMDB environment of a finished build
    STORE/gen-<build>.part/    one that is being written, or was when its process died
    STORE/LOCK                 held by the process that builds: build_lock.py

`CURRENT` is replaced by rename, so a crash at any moment leaves the old generation or the new one, never half of one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler.errors import NOTHING_THERE, NoStore, StoreError
from tilescope.tiler.store.build_lock import CURRENT, Turn, mark_used
from tilescope.tiler.store.disk_space import Need, is_full, require_room
from tilescope.tiler.store.lmdb_writer import LmdbWriter
from tilescope.tiler.store.readership import PRIVATE
from tilescope.tiler.store.sweep import sweep_in_turn

# Of CURRENT: no name is as long, whatever somebody has put there.
_NAME_CHARACTERS = 1024


def is_store(path: Path) -> bool:
    """True if a published store lies at `path`."""
    return (path / CURRENT).is_file()


def current(path: Path) -> Path:
    """Directory of the published generation. Raises NoStore or StoreError."""
    name = _published_name(path)
    while name.startswith("gen-") and "/" not in name:
        try:
            if (path / name).is_dir():
                return path / name
        except OSError as error:  # no name at all
            raise StoreError(f"{path / CURRENT}: does not name a generation: {error.strerror}") from error
        before, name = name, _published_name(path)
        if name == before:  # else a newer one was published meanwhile, and that one removed
            break
    raise NoStore(f"{path}: names a generation that is not there (index the trace again)")


class Generation:
    """A build in progress. Whoever writes its entries says now and then how many of them there are."""

    def __init__(self, store: Path, build: str, mode: int = PRIVATE) -> None:
        self.build = build
        self._share = 0.0
        self._share_bytes = 0
        self._store = store
        self._part = store / f"gen-{build}.part"
        self._part.mkdir(mode)
        try:
            self.data = LmdbWriter(self._part)
        except BaseException:
            shutil.rmtree(self._part, ignore_errors=True)
            raise

    @property
    def scratch(self) -> Path:
        """A folder for what the build needs meanwhile: files without names, which vanish with the process."""
        return self._part

    def wrote(self, share: float) -> None:
        """That share of what is to come is stored by now: all that tells how much room the rest needs."""
        self._share = share
        self._share_bytes = self.data.size_bytes()

    def need(self, source_bytes: int) -> Need:
        """Room that is missing, and that there is, if the disk is full now."""
        try:
            written_bytes = self.data.size_bytes()
        except FileNotFoundError:  # all of it was written, and renamed
            written_bytes = self._share_bytes
        return Need.estimate(self._store, source_bytes, written_bytes, self._share_bytes, self._share)

    def publish(self) -> None:
        """Makes this generation the current one, and removes those before it that nobody reads."""
        self.data.sync()
        self.data.close()
        (self._part / "lock.mdb").unlink(missing_ok=True)
        _sync(self._part)
        final = self._store / f"gen-{self.build}"
        self._part.rename(final)
        _sync(self._store)
        pending = self._store / f"{CURRENT}.part"
        if pending.is_symlink():  # to anything
            pending.unlink()
        with pending.open("w") as file:
            file.write(final.name + "\n")
            file.flush()
            os.fsync(file.fileno())
        pending.replace(self._store / CURRENT)
        _sync(self._store)
        mark_used(self._store)
        sweep_in_turn(self._store)

    def abandon(self) -> None:
        """Removes what was written."""
        self.data.close()
        shutil.rmtree(self._part, ignore_errors=True)
        sweep_in_turn(self._store)  # what was already renamed, but not yet named by CURRENT


@contextmanager
def building_in(turn: Turn, source_bytes: int = 0, mode: int = PRIVATE) -> Iterator[Generation]:
    """A new generation of the store whose turn it is; `source_bytes` is the size of what is indexed.

    Published when the block ends well; otherwise nothing is left of it. Raises DiskFull, with an estimate of what is
    missing, when the block fails for want of room.
    """
    sweep_in_turn(turn.store)
    require_room(turn.store, source_bytes)
    generation = Generation(turn.store, os.urandom(12).hex(), mode)
    try:
        yield generation
        generation.publish()
    except BaseException as error:
        need = generation.need(source_bytes) if is_full(error) else None
        generation.abandon()
        if need is not None:
            raise need.at_least(error).error(turn.store) from error
        raise


def _published_name(path: Path) -> str:
    try:
        with (path / CURRENT).open() as file:
            return file.read(_NAME_CHARACTERS).strip()
    except (FileNotFoundError, NotADirectoryError) as error:
        what, place = ("this folder is not a store", "STORE") if path.is_dir() else (NOTHING_THERE, path)
        raise NoStore(f"{path}: {what} (make one with: tilescope index TRACE -o {place})") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path / CURRENT}: cannot be read: {error}") from error


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
