"""Leftovers in a store's folder, the room that they take, and their removal.

Left over are generations before the published one, what a process that died was writing, and all of a store that was
given up. A generation that somebody still reads is not: it is left over once its readers are gone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from tilescope.tiler.errors import StoreError
from tilescope.tiler.store.build_lock import CURRENT, LOCK, is_ours, turn_if_free
from tilescope.tiler.store.generation_lock import Use, claim
from tilescope.tiler.store.shifts import SHIFTS, SHIFTS_LOCK


class Leftover(Struct, frozen=True):
    """A file or folder that nobody needs."""

    path: Path
    size_bytes: int


def sweep(store: Path, *, dry_run: bool = False) -> list[Leftover]:
    """Removes what is left over, if nobody builds here at the moment, and says what it was."""
    if not store.is_dir() or not is_ours(store):
        return []
    with turn_if_free(store) as turn:
        return [] if turn is None else sweep_in_turn(store, dry_run=dry_run)


def sweep_in_turn(store: Path, *, dry_run: bool = False) -> list[Leftover]:
    """The same for the process whose turn it is."""
    leftovers = []
    published = _published(store)
    for path in sorted([*store.glob("gen-*"), *store.glob(f"{CURRENT}.part")]):
        if path.name.encode() == published:
            continue
        with _claimed([path]) as free:
            if free:
                leftovers.append(Leftover(path, size_of(path)))
                if not dry_run:
                    _remove(path)
    return leftovers


def evict(store: Path, *, dry_run: bool = False) -> Leftover | None:
    """Removes a whole store. None when somebody reads it or builds in it: then nothing is removed."""
    if not store.is_dir() or not is_ours(store):
        return None
    with turn_if_free(store) as turn, _claimed(sorted(store.glob("gen-*"))) as free:
        if turn is None or not free:
            return None
        evicted = Leftover(store, size_of(store))
        if not dry_run:
            (store / CURRENT).unlink(missing_ok=True)  # first: from now on there is no store, rather than half of one
            for path in store.glob("gen-*"):
                _remove(path)
            (store / f"{CURRENT}.part").unlink(missing_ok=True)
            (store / SHIFTS).unlink(missing_ok=True)
            (store / SHIFTS_LOCK).unlink(missing_ok=True)
            (store / LOCK).unlink(missing_ok=True)
            with suppress(OSError):
                store.rmdir()
    return evicted


def size_of(path: Path) -> int:
    """Bytes that the file, or all files below the folder, take on the disk."""
    total = 0
    for file in [path, *path.rglob("*")]:
        with suppress(OSError):  # removed meanwhile
            if file.is_file():
                total += file.stat().st_blocks * 512
    return total


def _published(store: Path) -> bytes:
    """Content of CURRENT; nothing where there is none. One that is damaged names nothing, so that nothing is kept."""
    try:
        return (store / CURRENT).read_bytes().strip()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StoreError(f"{store / CURRENT}: cannot be read: {error.strerror}") from error


@contextmanager
def _claimed(generations: list[Path]) -> Iterator[bool]:
    """True if nobody reads any of them; nobody can begin to until the block ends."""
    claims: list[Use] = []
    try:
        for generation in generations:
            use = claim(generation)
            if use is None:
                break
            claims.append(use)
        yield len(claims) == len(generations)
    finally:
        for use in claims:
            use.close()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
