"""Archives: zip and tar files whose members are traces.

A member is named by a path that goes on behind the archive's, `traces.zip/host0.json`: it travels wherever paths do.
What is in an archive is found in one pass, from the first bytes of each member. Nothing is kept of those that are no
traces.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct, field, structs

from tilescope.tiler.errors import DamagedTrace, TooLarge, TraceError, UnknownFormat
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.compression import compression_of
from tilescope.tiler.readers.folder_listing import is_looked_into
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.layouts.ascend_ranks import (
    MAX_RANK_FILE_BYTES,
    NO_RANK,
    CaptureRank,
    is_rank_file,
    read_rank,
)
from tilescope.tiler.readers.layouts.registry import look_at
from tilescope.tiler.readers.left_out import LeftOut
from tilescope.tiler.readers.member_streams import FileSlice, JoinedStream, Readable, ZipStream
from tilescope.tiler.readers.other_tools import other_tool
from tilescope.tiler.readers.run_files import is_host_file
from tilescope.tiler.readers.signature import HEAD_BYTES, recognise
from tilescope.tiler.readers.source import ByteSource, StreamDamage, open_raw
from tilescope.tiler.readers.tar_stream import TarKind, TarReader, is_tar
from tilescope.tiler.readers.transcoding import transcoder_of
from tilescope.tiler.readers.zip_directory import MAGICS, ZipDamage, zip_entries

_FIRST_BYTES: Final = 4096  # show of nearly all members that are no traces that they are none
_TAR_HEAD_BYTES: Final = 512
_MAX_MEMBERS: Final = 1_000_000
_KEPT_LISTINGS: Final = 65_536
_NAMED_OBSTACLES: Final = 10
_FRAMEWORK_MARK: Final = "_ascend_"  # in the names of folders of captures that have ranks
_RANK_FILES_BYTES: Final = 64 << 20  # that are kept of them, while an archive is listed
_ENTRY_BYTES: Final = 512  # of a file beside its text
_MAX_NAME_CHARS: Final = 1000  # a path must not have more than 4,096 bytes


class Member(Struct, frozen=True):
    """A member that is a trace, as far as its first bytes show."""

    path: Path  # `archive.zip/member`
    is_empty: bool
    is_certain: bool  # its first bytes show events, or a plane
    looks: Mapping[str, object] = field(default_factory=dict)  # what layouts made of these, by their ids


class Listing(Struct, frozen=True):
    """Content of an archive."""

    members: tuple[Member, ...]  # in natural order
    notes: tuple[str, ...]  # what was left out and why, a line each
    ranks: Mapping[Path, CaptureRank] = field(default_factory=dict)  # of captures of Ascend devices, by folder
    size_bytes: int = 0  # of the archive
    modified_ns: int = 0

    def rank_of(self, folder: Path) -> CaptureRank:
        """The rank that files in a folder say."""
        return self.ranks.get(folder, NO_RANK)


class _Judged(NamedTuple):
    why_not: str | None  # None: it may be a trace
    is_empty: bool = False
    is_certain: bool = False
    looks: Mapping[str, object] = MappingProxyType({})


class _Key(NamedTuple):
    """Changes when the file does."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int


def list_archive(path: Path, max_inflated: int | None = None) -> Listing | None:
    """Content of an archive; None for a file that is none. An archive that did not change is read once.

    Raises `UnknownFormat` for an archive without a trace, `DamagedTrace` for one that cannot be read, `TooLarge`.
    """
    try:
        stat = path.stat()
    except OSError as error:
        raise TraceError(path, f"cannot be opened: {error.strerror or error}") from error
    key = _Key(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    listing = _list_archive(path, key, max_inflated)
    if isinstance(listing, TraceError):
        raise listing.with_traceback(None)  # it is raised again and again
    return listing


def trace_paths(path: Path | str, max_inflated: int | None = None) -> tuple[Path, ...]:
    """The traces in an archive as paths for `open_source`; just `path` for a file that is no archive.

    Raises as `list_archive` does.
    """
    path = Path(path)
    listing = list_archive(path, max_inflated) if holding_archive(path) is None else None
    return (path,) if listing is None else tuple(member.path for member in listing.members)


def holding_archive(path: Path) -> Path | None:
    """The archive that a path goes on behind; None for one of a file."""
    if not path.exists():
        for parent in path.parents:
            if parent.is_file():
                return parent if is_archive(parent) else None
    return None


def is_archive(path: Path) -> bool:
    """True if a file begins as a zip or tar archive, compressed or not. Raises TraceError."""
    with ByteSource.open(path) as source:
        return _is_archive_head(source.peek(_TAR_HEAD_BYTES))


def is_zip(path: Path) -> bool:
    """True if a file begins as a zip archive. Raises TraceError."""
    with open_raw(path) as file:
        return file.read(4) in MAGICS


def member_path(name: str) -> str:
    """A member's name as a path below the archive, without what `tar` puts before it; empty if it leads out of it."""
    parts = [part for part in name.replace("\0", "\ufffd").split("/") if part not in ("", ".")]
    return "" if ".." in parts else "/".join(parts)


@lru_cache(_KEPT_LISTINGS)
def _list_archive(path: Path, key: _Key, max_inflated: int | None) -> Listing | TraceError | None:
    try:
        if is_zip(path):
            listing = _list_zip(path, max_inflated)
        else:
            with ByteSource.open(path, max_inflated) as source:
                if not is_tar(source.peek(_TAR_HEAD_BYTES)):
                    return None
                listing = _list_tar(source)
        return structs.replace(listing, size_bytes=key.size_bytes, modified_ns=key.modified_ns)
    except (UnknownFormat, DamagedTrace, TooLarge) as error:
        return error  # what the content says is remembered
    except OSError as error:
        raise TraceError(path, f"cannot be read: {error.strerror or error}") from error


class _Collector:
    """Takes members one by one, in the order of the archive."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._members_by_name: dict[str, Member] = {}
        self._strangers = LeftOut("more members are left out: they are no traces")
        self._rank_texts: dict[str, dict[str, bytes]] = {}  # by folder and name
        self._rank_room = _RANK_FILES_BYTES
        self._obstacles = LeftOut("more members are left out: they cannot be read", _NAMED_OBSTACLES)
        self._count = 0
        self._is_full = False
        self.problem: str | None = None  # a clause that says why the archive ended early

    def accept(self, name: str) -> str | None:
        """The member's plain name if it is to be looked at; None for those that nobody means."""
        plain = member_path(name)
        if not plain or len(plain) > _MAX_NAME_CHARS:
            why = "has a very long name" if plain else "has no name that lies in the archive"
            self._obstacles.add(name[:100] or "a member", why)
            return None
        return None if plain.startswith("__MACOSX/") or plain.rpartition("/")[2].startswith(".") else plain

    def is_full(self) -> bool:
        """Counts a member; True when there are too many."""
        self._count += 1
        self._is_full = self._count > _MAX_MEMBERS
        return self._is_full

    def refuse(self, name: str, why: str) -> None:
        """A member that cannot be read."""
        self._obstacles.add(name, why)

    def take(self, name: str, stream: Readable, size_bytes: int, inflation: Inflation) -> None:
        """Looks at a member of so many bytes. Raises StreamDamage."""
        folder, _, own_name = name.rpartition("/")
        if is_rank_file(own_name) and _FRAMEWORK_MARK in folder and self._rank_room > 0:
            text = _whole(stream, min(MAX_RANK_FILE_BYTES, self._rank_room))
            self._rank_room -= len(text) + _ENTRY_BYTES
            self._rank_texts.setdefault(folder, {}).setdefault(own_name, text)
        else:
            self.judged(name, _judge(self._path / name, stream, size_bytes, inflation))

    def judged(self, name: str, judged: _Judged) -> None:
        """A member of which the first bytes were seen."""
        if judged.why_not is not None:
            self._strangers.add(name, judged.why_not)
        elif name in self._members_by_name:
            self._obstacles.add(name, "is there a second time; the first one is read")
        else:
            self._members_by_name[name] = Member(self._path / name, judged.is_empty, judged.is_certain, judged.looks)

    def listing(self) -> Listing:
        """All that was found. Raises TraceError when that is nothing."""
        members = self._meant()
        notes = [*self._obstacles.notes(), *self._strangers.notes()]
        if self._is_full:
            notes.append(f"the archive has more than {_MAX_MEMBERS:,} members: the others were not looked at")
        if self.problem is not None:
            notes.append(f"the archive is damaged: {self.problem}")
        if not self._members_by_name:
            if self.problem is not None:
                raise DamagedTrace(self._path, f"is a damaged archive ({self.problem})", advice="copy the file again")
            raise UnknownFormat(self._path, "is an archive that contains no trace", advice="; ".join(notes))
        ranks = {self._path / folder: read_rank(texts) for folder, texts in self._rank_texts.items()}
        return Listing(members, tuple(notes), ranks)

    def _meant(self) -> tuple[Member, ...]:
        """The members in natural order, without those that only begin as a trace does, where others are certain."""
        named = [(name, self._members_by_name[name]) for name in sorted(self._members_by_name, key=natural_key)]
        if any(member.is_certain for _, member in named):
            for name, member in named:
                if not (member.is_certain or member.is_empty or is_host_file(member.path)):
                    self._strangers.add(name, "has no events in its first bytes")
                    del self._members_by_name[name]
        return tuple(member for name, member in named if name in self._members_by_name)


def _list_tar(source: ByteSource) -> Listing:
    tape, collector = TarReader(source), _Collector(source.path)
    for member in tape.members():
        if collector.is_full():
            break
        if member.kind in (TarKind.FOLDER, TarKind.OTHER) or (name := collector.accept(member.name)) is None:
            continue
        if member.kind is not TarKind.FILE:
            collector.refuse(name, f"is {member.kind}")
            continue
        collector.take(name, tape, member.size_bytes, source.inflation)
    collector.problem = tape.problem
    return collector.listing()


def _list_zip(path: Path, max_inflated: int | None) -> Listing:
    collector = _Collector(path)
    with open_raw(path) as raw:
        file = raw.fileno()
        inflation = Inflation(path, os.fstat(file).st_size, max_inflated)
        try:
            for entry in zip_entries(file):
                if collector.is_full():
                    break
                if entry.name.endswith("/") or (name := collector.accept(entry.name)) is None:
                    continue
                if entry.obstacle:
                    collector.refuse(name, entry.obstacle)
                    continue
                try:
                    stored = FileSlice(file, entry.data_offset(file), entry.stored_bytes)
                    stream = ZipStream(entry, stored, inflation)
                    collector.take(name, stream, entry.size_bytes, inflation)
                except (ZipDamage, StreamDamage) as error:
                    collector.refuse(name, f"cannot be read: {error}")
        except ZipDamage as error:
            collector.problem = str(error)
    return collector.listing()


def _whole(stream: Readable, most_bytes: int) -> bytes:
    """The bytes of a small member, as far as these. Raises StreamDamage."""
    parts: list[bytes] = []
    while (room := most_bytes - sum(map(len, parts))) > 0 and (more := stream.read(room)):
        parts.append(more)
    return b"".join(parts)


def _judge(path: Path, stream: Readable, size_bytes: int, inflation: Inflation) -> _Judged:
    """Judges whether a member of so many bytes may be a trace. Raises StreamDamage."""
    head = b""
    for wanted in (_FIRST_BYTES, HEAD_BYTES):
        while len(head) < wanted and (more := stream.read(wanted - len(head))):
            head += more
        if compression_of(head) is not None or transcoder_of(head) is not None:
            with ByteSource(path, JoinedStream(head, stream), size_bytes, inflation) as source:
                text = source.peek(HEAD_BYTES)
                return _judge_text(path, text, len(text) < HEAD_BYTES and source.problem is None)
        judged = _judge_text(path, head, len(head) >= size_bytes)
        if judged.why_not is not None or len(head) < wanted:
            break
    return judged


def _judge_text(path: Path, text: bytes, is_whole: bool) -> _Judged:
    """Judges whether a text that begins so may be a trace. `is_whole`: nothing follows."""
    if _is_archive_head(text):
        return _Judged("is an archive itself (unpack it first)")
    is_named = is_looked_into(path.name)
    if not text and is_whole and is_named:
        return _Judged(None, is_empty=True)
    try:
        signature = recognise(text, path)
    except UnknownFormat as error:
        return _Judged(error.what)
    if signature.likeness is Likeness.BEGINS and is_whole:
        tool = other_tool(text)
        return _Judged(signature.format.nothing_follows if tool is None else f"is {tool.what}, not a trace")
    is_certain = signature.likeness is Likeness.CERTAIN
    if not is_certain and not is_named:  # a text in quotes begins as a plane does
        return _Judged("has no events in its first bytes")
    return _Judged(None, is_whole and not text.strip(), is_certain, look_at(text) if is_certain else {})


def _is_archive_head(head: bytes) -> bool:
    return head.startswith(MAGICS) or is_tar(head)
