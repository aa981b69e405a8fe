"""Archives whose members are read: each is gone through once, however many of its members are wanted.

Members of a zip and of a plain tar are read where they lie. A compressed tar can only be read from front to back: a
single member is streamed, several are copied to an unnamed scratch file as they come, and read from there.
"""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from tilescope.tiler.errors import DamagedTrace, DiskFull, TilescopeError, TraceError, UnknownFormat
from tilescope.tiler.readers.container import member_path
from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.member_streams import FileSlice, TapeStream, ZipStream
from tilescope.tiler.readers.source import ByteSource, RawFile, StreamDamage, open_raw
from tilescope.tiler.readers.tar_stream import TarKind, TarMember, TarReader
from tilescope.tiler.readers.zip_directory import ZipDamage, ZipEntry, zip_entries

_COPY_BYTES: Final = 1 << 20


class Archive(Protocol):
    """Opens its members, several at a time, by whatever thread. Close it after them."""

    path: Path

    def open(self, name: str, check: Callable[[], None]) -> ByteSource:
        """The bytes of a member. `check` is called now and then, and may raise.

        Raises `TraceError`, and `DiskFull` without room for what is copied.
        """

    def close(self) -> None: ...


class ZipArchive:
    """A zip archive. Its directory is read once, when the first member is opened."""

    def __init__(self, path: Path, names: Sequence[str], max_inflated: int | None) -> None:
        self.path = path
        self._wanted = frozenset(names)
        self._file = open_raw(path)
        self._inflation = Inflation(path, os.fstat(self._file.fileno()).st_size, max_inflated)
        self._entries: dict[str, ZipEntry] | None = None
        self._lock = threading.Lock()

    def open(self, name: str, check: Callable[[], None]) -> ByteSource:
        """A member, where it lies."""
        path, file = self.path / name, self._file.fileno()
        try:
            with self._lock:
                if self._entries is None:
                    self._entries = self._read_entries(check)
            entry = self._entries.get(name)
            if entry is None:
                raise UnknownFormat(path, f"{self.path.name} has no such member")
            if entry.obstacle:
                raise DamagedTrace(path, entry.obstacle)
            stored = FileSlice(file, entry.data_offset(file), entry.stored_bytes)
            return ByteSource(path, ZipStream(entry, stored, self._inflation), entry.size_bytes, self._inflation)
        except (ZipDamage, StreamDamage, OSError) as error:
            raise DamagedTrace(path, f"cannot be read from the archive ({error})", advice="copy it again") from error

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _read_entries(self, check: Callable[[], None]) -> dict[str, ZipEntry]:
        entries: dict[str, ZipEntry] = {}
        try:
            for entry in zip_entries(self._file.fileno()):
                check()
                name = member_path(entry.name)
                if name in self._wanted and not entry.name.endswith("/"):
                    entries.setdefault(name, entry)
        except ZipDamage:
            if not entries:
                raise
        return entries


class _Place(Struct, frozen=True):
    """Place of a member in a file."""

    offset: int
    size_bytes: int


class TarArchive:
    """A tar archive, compressed or not. It is gone through when the first member is opened."""

    def __init__(self, path: Path, names: Sequence[str], max_inflated: int | None, scratch_dir: Path | None) -> None:
        self.path = path
        self._wanted = frozenset(names)
        self._max_inflated = max_inflated
        self._scratch_dir = scratch_dir
        self._inflation: Inflation | None = None
        self._file: RawFile | None = None  # that the members lie in
        self._places: dict[str, _Place] = {}
        self._problem: str | None = None
        self._failure: TilescopeError | None = None  # that ended the pass: what one thread meets holds for all
        self._lock = threading.Lock()

    def open(self, name: str, check: Callable[[], None]) -> ByteSource:
        """A member: as it comes, if it is the only one of a compressed archive that is wanted."""
        with self._lock:
            if self._failure is not None:
                raise self._failure.with_traceback(None)
            if self._file is None:
                try:
                    streamed = self._go_through(check)
                except TilescopeError as error:
                    self._failure = error
                    raise
                if streamed is not None:
                    return streamed
        place = self._places.get(name)
        if place is None:
            raise self._missing(name, self._problem)
        assert self._file is not None
        stored = FileSlice(self._file.fileno(), place.offset, place.size_bytes, self._problem)
        return ByteSource(self.path / name, stored, place.size_bytes, self._inflation)

    def close(self) -> None:
        """Closes the archive, or removes what was copied."""
        if self._file is not None:
            self._file.close()

    def _go_through(self, check: Callable[[], None]) -> ByteSource | None:
        """Finds where the members lie, or copies them. The member, instead, if it can be streamed."""
        source = ByteSource.open(self.path, self._max_inflated)
        try:
            self._inflation = source.inflation
            tape = TarReader(source, check)
            if source.is_compressed and len(self._wanted) == 1:
                return self._stream(source, tape, check)
            if source.is_compressed:
                self._file = self._copy(source, tape, check)
            else:
                for name, member in self._members(tape, check):
                    self._places[name] = _Place(member.offset, member.size_bytes)
                self._file = open_raw(self.path)
            self._problem = tape.problem
        except BaseException:
            source.close()
            raise
        source.close()
        return None

    def _stream(self, source: ByteSource, tape: TarReader, check: Callable[[], None]) -> ByteSource:
        for name, member in self._members(tape, check):
            streamed = ByteSource(self.path / name, TapeStream(tape), member.size_bytes, source.inflation)
            streamed.also_close(source.close)
            return streamed
        raise self._missing(next(iter(self._wanted)), tape.problem)

    def _copy(self, source: ByteSource, tape: TarReader, check: Callable[[], None]) -> RawFile:
        """A scratch file with all members that are wanted, one behind the other."""
        copied = 0
        try:
            file = tempfile.TemporaryFile(dir=self._scratch_dir, prefix="tilescope-", buffering=0)  # noqa: SIM115
            try:
                for name, member in self._members(tape, check):
                    self._places[name] = _Place(copied, member.size_bytes)
                    while piece := tape.read(_COPY_BYTES):
                        check()
                        _write(file.fileno(), piece)
                        copied += len(piece)
                    if tape.member_left:
                        break  # cut short: the last one
            except BaseException:
                file.close()
                raise
        except OSError as error:
            where = self._scratch_dir or tempfile.gettempdir()
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                needed = copied * source.size_bytes // max(source.bytes_read, 1) + _COPY_BYTES
                what = f"the disk is full: the traces in {self.path.name} take about {needed / 1e6:,.0f} MB"
                raise DiskFull(f"{where}: {what}", needed) from error
            advice = f"make room in {where}, or unpack the archive yourself"
            raise TraceError(self.path, f"cannot be unpacked: {error.strerror or error}", advice=advice) from error
        return file

    def _members(self, tape: TarReader, check: Callable[[], None]) -> Iterator[tuple[str, TarMember]]:
        """Members that are wanted, each once. Ends with the last of them."""
        missing = set(self._wanted)
        for member in tape.members():
            check()
            name = member_path(member.name)
            if member.kind is TarKind.FILE and name in missing:
                missing.remove(name)
                yield name, member
                if not missing:
                    return

    def _missing(self, name: str, problem: str | None) -> TraceError:
        path = self.path / name
        if problem is None:
            return UnknownFormat(path, f"{self.path.name} has no such member")
        return DamagedTrace(path, f"the archive is damaged: {problem}", advice="copy it again")


def _write(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
