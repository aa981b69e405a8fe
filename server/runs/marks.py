"""Marks of runs, in one file each beside their stores in the cache directory.

Times are kept as picoseconds since the epoch: a run that is indexed anew may have other ticks.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from tilescope.server.errors import BadRequest, PreconditionFailed
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.schema import Mark, MarkList
from tilescope.tiler.ticks import TICK_LIMIT

FILE: Final = "marks.json"
_VERSION: Final = 1
_PS_PER_NS: Final = 1000


class _Stored(msgspec.Struct):
    version: int
    marks: Sequence[Mark]  # `start` and `end` are picoseconds since the epoch


class MarksNow(NamedTuple):
    """Marks, and a tag that changes with them."""

    marks: Sequence[Mark]
    etag: str


@dataclass(frozen=True, slots=True)
class BuildTicks:
    """What the ticks of a build are."""

    tick_ps: int
    origin_ns: int

    def to_ps(self, ticks: str) -> str:
        """Picoseconds since the epoch. Raises `BadRequest`."""
        value = int(ticks) if len(ticks) <= 20 else TICK_LIMIT
        if not -TICK_LIMIT < value < TICK_LIMIT:
            raise BadRequest(f"{ticks[:30]}: no event can be there")
        return str(self.origin_ns * _PS_PER_NS + value * self.tick_ps)

    def to_ticks(self, ps: str) -> str:
        """The tick in which this is."""
        return str((int(ps) - self.origin_ns * _PS_PER_NS) // self.tick_ps)


class MarkFiles:
    """Below the root of a cache directory. Each call takes milliseconds: not for an event loop."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, run_id: str, clock: BuildTicks) -> MarksNow:
        """The marks in the ticks of a build. Raises `DamagedStore`."""
        text = self._text(run_id)
        return MarksNow([_moved(mark, clock.to_ticks) for mark in self._parsed(run_id, text)], _etag(text))

    def write(self, run_id: str, marks: MarkList, clock: BuildTicks, expected: str) -> str:
        """Keeps these in place of those that have the tag `expected`; the tag of the new ones.

        Raises `PreconditionFailed` when somebody else was quicker, `BadRequest`, OSError.
        """
        if len({mark.id for mark in marks.marks}) < len(marks.marks):
            raise BadRequest("two marks have the same id")
        stored = _Stored(_VERSION, [_moved(mark, clock.to_ps) for mark in marks.marks])
        text = msgspec.json.encode(stored)
        folder = self._root / run_id
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if _etag(self._text(run_id)) != expected:
                raise PreconditionFailed("the marks were changed meanwhile: read them again")
            _replace(folder / FILE, text)
        return _etag(text)

    def _text(self, run_id: str) -> bytes:
        try:
            return (self._root / run_id / FILE).read_bytes()
        except FileNotFoundError:
            return b""

    def _parsed(self, run_id: str, text: bytes) -> Sequence[Mark]:
        if not text:
            return ()
        try:
            stored = msgspec.json.decode(text, type=_Stored)
            if stored.version == _VERSION:
                return stored.marks
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # said below
        path = self._root / run_id / FILE
        raise DamagedStore(f"{path}: the marks cannot be read (move the file away to begin again)")


def _moved(mark: Mark, convert: Callable[[str], str]) -> Mark:
    return structs.replace(mark, start=convert(mark.start), end=None if mark.end is None else convert(mark.end))


def _etag(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else writes marks in this folder, in whatever process."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _replace(path: Path, text: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
