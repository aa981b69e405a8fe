"""Places in a folder of shards."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tilescope.tiler import system
from tilescope.tiler.errors import StoreError, UsageError
from tilescope.tiler.store import is_store
from tilescope.tiler.store.build_lock import is_ours
from tilescope.tiler.store.shifts import SHIFTS, SHIFTS_LOCK

RUN: Final = "run.json"
AXIS: Final = "axis.json.gz"
MERGED: Final = "merged.tsarc"
SURVEYS: Final = "surveys"
SHARDS: Final = "shards"
SESSION: Final = "session-"
_LOCK: Final = "LOCK"
_SURVEY_SUFFIX: Final = ".json.gz"
_NAME: Final = re.compile(r"[0-9a-f]{16}(\.json\.gz)?$")
_OURS: Final = frozenset({RUN, AXIS, MERGED, SHIFTS, SHIFTS_LOCK, SURVEYS, SHARDS, _LOCK})


def shard_name(files: Sequence[Path]) -> str:
    """The name of the shard of these files: 16 hexadecimal digits of their paths, the same in each command."""
    paths = "\0".join(str(file.absolute()) for file in files)
    return hashlib.sha256(paths.encode(errors="surrogateescape")).hexdigest()[:16]


def survey_path(folder: Path, name: str) -> Path:
    """Place of the survey of a shard."""
    return folder / SURVEYS / (name + _SURVEY_SUFFIX)


def shard_path(folder: Path, name: str) -> Path:
    """Place of its store."""
    return folder / SHARDS / name


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder for this command alone, made if need be. Raises UsageError, or StoreError where another one has it."""
    if is_store(folder):
        raise UsageError(f"{folder}: is a store already: name another folder for shards")
    try:
        for part in (folder / SURVEYS, folder / SHARDS):
            if part == folder / SURVEYS and folder.is_dir() and not _is_ours(folder):
                raise UsageError(f"{folder}: is not empty and has no shards (name another folder)")
            part.mkdir(parents=True, exist_ok=True)
        file = (folder / _LOCK).open("ab")
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from error
    with file:
        try:
            system.lock(file, wait=False)
        except BlockingIOError as error:
            raise StoreError(f"{folder}: another command is indexing into this folder") from error
        except OSError as error:
            raise StoreError(f"{folder / _LOCK}: cannot be locked: {error.strerror}") from error
        yield


def sweep(folder: Path, surveyed: Collection[str], shards: Collection[str]) -> None:
    """Removes surveys and stores of files that are not in the run any more, and nothing else that lies there."""
    for survey in _named(folder / SURVEYS):
        if survey.name.removesuffix(_SURVEY_SUFFIX) not in surveyed:
            survey.unlink(missing_ok=True)
    for store in _named(folder / SHARDS):
        if store.name not in shards and store.is_dir() and is_ours(store):
            shutil.rmtree(store, ignore_errors=True)


def _named(folder: Path) -> list[Path]:
    """Entries that are named as shards are; none where the folder is a link to another place."""
    return [] if folder.is_symlink() else [entry for entry in folder.iterdir() if _NAME.match(entry.name)]


def _is_ours(folder: Path) -> bool:
    """True if it holds what a folder of shards has, and nothing else."""
    names = {entry.name for entry in folder.iterdir()}
    return all(name in _OURS or name.startswith((SESSION, ".")) for name in names)
