"""Marks of runs, in one file each beside their stores in the cache directory.

Times are kept as picoseconds since the epoch, tracks by their names: a run that is indexed anew may have other ticks,
and its tracks other numbers.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from tilescope.server.errors import BadRequest, PreconditionFailed
from tilescope.server.runs.lasting_tracks import LastingTracks
from tilescope.server.runs.small_file import read_file, replace_file, write_errors
from tilescope.tiler.confinement import is_within
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.schema import Mark, MarkKind, MarkList
from tilescope.tiler.schema.marks import MAX_MARKS
from tilescope.tiler.system import lock
from tilescope.tiler.ticks import TICK_LIMIT

FILE: Final = "marks.json"
_VERSION: Final = 2
_NUMBERED: Final = 1  # tracks are numbers of the build in which they were marked
_MOST_BYTES: Final = 8_000_000  # of a file: names of tracks are longer than their numbers
_PS_PER_NS: Final = 1000


_Ps = Annotated[str, msgspec.Meta(pattern="^-?[0-9]{1,40}$")]  # since the epoch


class _StoredMark(msgspec.Struct, omit_defaults=True):
    id: str
    kind: MarkKind
    start: _Ps
    end: _Ps | None = None
    name: str = ""
    tracks: Sequence[str | int] = ()  # names; numbers in the first version
    colour: int = 0


class _Stored(msgspec.Struct):
    version: int
    marks: Annotated[Sequence[_StoredMark], msgspec.Meta(max_length=MAX_MARKS)]


class MarksNow(NamedTuple):
    """Marks, and a tag that changes with them."""

    marks: Sequence[Mark]
    etag: str


@dataclass(frozen=True, slots=True)
class BuildPlaces:
    """Ticks and tracks of a build: where its marks stand."""

    tick_ps: int
    origin_ns: int
    tracks: LastingTracks

    def stored(self, mark: Mark, before: _StoredMark | None) -> _StoredMark:
        """As it is kept, with the tracks of the one before that this build does not have. Raises `BadRequest`."""
        names = [self.tracks.name(track) for track in mark.tracks]
        if None in names:
            raise BadRequest(f"the mark {mark.id} names a track that this build does not have")
        unseen = [name for name in before.tracks if self._track(name) is None] if before is not None else []
        return _StoredMark(
            id=mark.id,
            kind=mark.kind,
            start=self.to_ps(mark.start),
            end=None if mark.end is None else self.to_ps(mark.end),
            name=mark.name,
            tracks=[*(name for name in names if name is not None), *unseen],
            colour=mark.colour,
        )

    def shown(self, mark: _StoredMark) -> Mark:
        """As this build has it: without tracks that are not in it."""
        tracks = (self._track(name) for name in mark.tracks)
        return Mark(
            id=mark.id,
            kind=mark.kind,
            start=self.to_ticks(mark.start),
            end=None if mark.end is None else self.to_ticks(mark.end),
            name=mark.name,
            tracks=[track for track in tracks if track is not None],
            colour=mark.colour,
        )

    def _track(self, name: str | int) -> int | None:
        if isinstance(name, str):
            return self.tracks.track(name)
        return None if self.tracks.name(name) is None else name

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
        self._resolved = root.resolve()

    def read(self, run_id: str, places: BuildPlaces) -> MarksNow:
        """The marks in the ticks of a build. Raises `DamagedStore`."""
        text = self._text(run_id)
        return MarksNow([places.shown(mark) for mark in self._parsed(run_id, text)], _etag(text))

    def write(self, run_id: str, marks: MarkList, places: BuildPlaces, expected: str) -> str:
        """Keeps these in place of those that have the tag `expected`; the tag of the new ones.

        Raises `PreconditionFailed` when somebody else was quicker, `BadRequest`, `DamagedStore`; `DiskFull`, or
        `Forbidden` where the server may not write: the marks are as they were.
        """
        if len({mark.id for mark in marks.marks}) < len(marks.marks):
            raise BadRequest("two marks have the same id")
        folder = self._folder(run_id)
        with write_errors(folder / FILE, "the marks"), _alone(folder):
            now = self._text(run_id)
            if _etag(now) != expected:
                raise PreconditionFailed("the marks were changed meanwhile: read them again")
            before = {mark.id: mark for mark in self._parsed(run_id, now)}
            stored = [places.stored(mark, before.get(mark.id)) for mark in marks.marks]
            text = msgspec.json.encode(_Stored(_VERSION, stored))
            if len(text) > _MOST_BYTES:
                raise BadRequest(f"with their tracks the marks take {len(text):,} bytes, the limit is {_MOST_BYTES:,}")
            replace_file(folder / FILE, text)
        return _etag(text)

    def _text(self, run_id: str) -> bytes:
        return read_file(self._folder(run_id) / FILE, _MOST_BYTES)

    def _folder(self, run_id: str) -> Path:
        folder = self._root / run_id
        if not is_within(folder, (self._resolved,)):
            raise DamagedStore(f"{folder}: a symbolic link leads out of the cache directory (remove it)")
        return folder

    def _parsed(self, run_id: str, text: bytes) -> Sequence[_StoredMark]:
        if not text:
            return ()
        try:
            stored = msgspec.json.decode(text, type=_Stored)
            if stored.version in (_VERSION, _NUMBERED):
                return stored.marks
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # said below
        path = self._root / run_id / FILE
        raise DamagedStore(f"{path}: the marks cannot be read (move the file away to begin again)")


def _etag(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else writes marks in this folder, in whatever process. It is made where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)
