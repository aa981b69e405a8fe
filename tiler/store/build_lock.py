"""The lock of a store's folder: one process at a time builds in it or clears it up, the others wait.

    STORE/LOCK      locked (flock) by the process whose turn it is; its time says when the store was last used

The lock goes with its process, however that ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from tilescope.tiler import system
from tilescope.tiler.errors import StoreError
from tilescope.tiler.store.readership import PRIVATE
from tilescope.tiler.store.shifts import SHIFTS, SHIFTS_LOCK

CURRENT = "CURRENT"
LOCK = "LOCK"


class Turn(Struct, frozen=True):
    """It lasts as long as the `with` that gave it."""

    store: Path
    waited: bool  # for another process, which may have done what we were about to do


@contextmanager
def turn(store: Path, on_wait: Callable[[], None] = lambda: None, mode: int = PRIVATE) -> Iterator[Turn]:
    """Waits for the turn; `on_wait` is called first when somebody else has it. Makes the folder, of a mode, if need be.

    Folders that were made are removed again when the block fails and nothing is published. Raises StoreError where
    there can be no store.
    """
    waited = False
    while True:
        made = _make(store, mode)
        try:
            lock = _open_lock(store)
        except FileNotFoundError:  # whoever failed here has removed the folder just now
            continue
        except OSError as error:
            raise StoreError(f"{store}: cannot be written: {error.strerror}") from error
        if not _take(lock, store):
            if not waited:
                on_wait()
            waited = True
            system.lock(lock)
        if _is_at(lock, store / LOCK):
            break
        lock.close()
    with lock:
        try:
            yield Turn(store, waited)
        except BaseException:
            if not (store / CURRENT).exists():
                (store / LOCK).unlink(missing_ok=True)
                for folder in made:
                    with suppress(OSError):
                        folder.rmdir()
            raise


@contextmanager
def turn_if_free(store: Path) -> Iterator[Turn | None]:
    """The turn if nobody has it, else None; None, too, where there is no folder, or none that may be written to."""
    try:
        lock = _open_lock(store)
    except OSError:
        yield None
        return
    with lock:
        yield Turn(store, waited=False) if _take(lock, store) and _is_at(lock, store / LOCK) else None


def is_taken(store: Path) -> bool:
    """True while a process has its turn there: a store that nobody can open yet is being built. Changes nothing."""
    try:
        lock = os.fdopen(os.open(store / LOCK, os.O_RDONLY | system.OF_THIS_PLACE), "rb")
    except OSError:
        return False
    with lock:
        try:
            system.lock(lock, shared=True, wait=False)
        except BlockingIOError:
            return True
        except OSError:  # no locks on this disk
            return False
        return False


def mark_used(store: Path) -> None:
    """Remembers that the store is used now. A store that is read-only, or a copy without a lock, has no such mark."""
    now_ns = time.time_ns()  # the kernel's own stamps are some milliseconds coarse
    with suppress(OSError):
        os.utime(store / LOCK, ns=(now_ns, now_ns))


def last_used_ns(store: Path) -> int:
    """Time at which the store was last built, opened or closed, ns since the epoch; 0 if there is none."""
    times = [0]
    for name in (LOCK, CURRENT):
        with suppress(OSError):
            times.append((store / name).stat().st_mtime_ns)
    return max(times)


def _make(store: Path, mode: int) -> list[Path]:
    """Makes the folder, and those above it for us alone. Returns the folders that were missing, innermost first."""
    missing = [folder for folder in (store, *store.parents) if not folder.exists()]
    if store.exists() and not store.is_dir():
        raise StoreError(f"{store}: is a file, but a store is a folder")
    if store.is_dir() and not is_ours(store):
        raise StoreError(f"{store}: is not empty and not a store (name another folder)")
    try:
        for folder in reversed(missing):
            folder.mkdir(mode if folder == store else PRIVATE, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{store}: cannot be made: {error.strerror}") from error
    return missing


def is_ours(store: Path) -> bool:
    """True if there is nothing in the folder but what belongs to a store, or was going to be one."""
    try:
        names = {entry.name for entry in store.iterdir()}
    except FileNotFoundError:  # removed just now
        return True
    if all(
        name in (LOCK, CURRENT, f"{CURRENT}.part", SHIFTS, SHIFTS_LOCK) or name.startswith("gen-") for name in names
    ):
        return True
    return CURRENT in names and _names_generation(store / CURRENT)


def _names_generation(current: Path) -> bool:
    """Other databases have a file of that name, too."""
    try:
        with current.open("rb") as file:
            return file.read(4) == b"gen-"
    except OSError:
        return False


def _open_lock(store: Path) -> BinaryIO:
    """A file of this folder, and of no other: links are not followed, and a pipe does not make us wait."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | system.OF_THIS_PLACE
    return os.fdopen(os.open(store / LOCK, flags, 0o666), "ab")


def _take(lock: BinaryIO, store: Path) -> bool:
    try:
        system.lock(lock, wait=False)
    except BlockingIOError:
        return False
    except OSError as error:
        why = f"cannot be locked: {error.strerror} (name a folder on a local disk)"
        raise StoreError(f"{store / LOCK}: {why}") from error
    return True


def _is_at(lock: BinaryIO, path: Path) -> bool:
    """True if the file that is locked is still the one at the path."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except OSError:
        return False
