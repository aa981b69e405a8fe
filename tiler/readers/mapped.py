"""A trace's uncompressed bytes as one mapped array, without holding them in memory.

A plain file is mapped as it lies there, an object elsewhere as a copy that is filled as it is read. Anything compressed
is inflated to an unnamed temporary file first, because an XSpace is read in several passes. Mapped pages that were read
are given back, so that resident memory stays bounded.

A file that shrinks under its map would end the process by SIGBUS. `_native.GuardedMap` puts zeros where nothing is
left, or where a copy has nothing yet or any more, and `check` raises: so nothing of what was read may be passed on
before it.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.blobs import ScratchCopy, trace_errors
from tilescope.tiler.errors import ChangedTrace, DamagedTrace, DiskFull, TraceError
from tilescope.tiler.readers.source import ByteSource

_COPY_BYTES = 4 * 1024 * 1024


class MappedBytes:
    """`array` is all bytes, read-only. Nobody may read it after `close`."""

    def __init__(
        self,
        path: Path,
        mapping: mmap.mmap | None,
        descriptor: int | None = None,
        copy: ScratchCopy | None = None,
    ) -> None:
        """`descriptor`: of the file itself; None for a copy that nobody else can write. `copy`: of an object elsewhere,
        of which only what is held is there.
        """
        self._path = path
        self._mapping = mapping
        self._copy = copy
        self._descriptor = descriptor
        self._stamp = _stamp(descriptor)
        if self._stamp is not None and self._stamp[0] != (0 if mapping is None else len(mapping)):
            raise ChangedTrace(path)
        self.array: NDArray[np.uint8] = np.frombuffer(mapping if mapping is not None else b"", np.uint8)
        self._guarded = None if mapping is None else _native.GuardedMap(self.array)
        if copy is not None and self._guarded is not None:
            copy.guard(self._guarded)

    @classmethod
    def mapping(cls, source: ByteSource, scratch_dir: Path | None) -> Generator[None, None, Self]:
        """Maps a source that has not been read yet. Yields now and then while it is inflated, for progress.

        Of a compressed stream that is cut short what there is; `source.problem` says so then. Raises `DamagedTrace`
        when it is damaged, and `DiskFull` without room for it.
        """
        plain = cls.on_disk(source)
        if plain is not None:
            return plain
        copy = source.scratch_copy()
        if copy is not None:
            return cls(source.path, _map(copy.fileno(), copy.size_bytes, source.path), copy=copy)
        size = 0
        try:
            with tempfile.TemporaryFile(dir=scratch_dir, prefix="tilescope-") as file:
                while piece := source.read(_COPY_BYTES):
                    file.write(piece)
                    size += len(piece)
                    yield
                if source.problem is not None and not source.is_cut_short:
                    advice = "copy the file again or capture again"
                    raise DamagedTrace(source.path, source.problem, offset=source.bytes_read, advice=advice)
                file.flush()
                return cls(source.path, _map(file.fileno(), size, source.path))
        except OSError as error:
            where = scratch_dir or tempfile.gettempdir()
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                # What is still to come grows as what has come so far, which is gone again by now.
                needed = size * source.size_bytes // max(source.bytes_read, 1) + _COPY_BYTES
                what = f"the disk is full: {source.path.name} takes about {needed / 1e6:,.0f} MB when it is inflated"
                raise DiskFull(f"{where}: {what}", needed) from error
            advice = f"make room in {where}, or inflate the file yourself"
            raise TraceError(source.path, f"cannot be inflated: {error.strerror or error}", advice=advice) from error

    @classmethod
    def on_disk(cls, source: ByteSource) -> Self | None:
        """Maps a file that lies on disk as it is delivered; None for others."""
        descriptor = source.file_descriptor()
        if descriptor is None:
            return None
        return cls(source.path, _map(descriptor, os.fstat(descriptor).st_size, source.path), descriptor)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def hold_bytes(self) -> int | None:
        """Number of bytes that may well be held at once; None where all bytes are there, whether they are or not."""
        return None if self._copy is None else self._copy.hold_bytes

    @contextmanager
    def hold(self, begin: int, end: int) -> Iterator[None]:
        """Within the block the bytes of [begin, end) are there: those of objects elsewhere come when they are needed.

        Raises `TraceError` and `DiskFull`.
        """
        if self._copy is None:
            yield
            return
        with ExitStack() as held:
            with trace_errors(self._path):
                held.enter_context(self._copy.hold(begin, end))
            yield

    def keep(self, begin: int, end: int) -> None:
        """Has them there until this is closed. Raises as `hold` does."""
        if self._copy is not None:
            with trace_errors(self._path):
                self._copy.keep(begin, end)

    def check(self) -> None:
        """Raises `ChangedTrace` when the file is not what it was when it was mapped: what was read may be wrong.

        Costs less than a microsecond. Raises `TraceError` as `check_whole` does.
        """
        self.check_whole()
        if _stamp(self._descriptor) != self._stamp:
            raise ChangedTrace(self._path)

    def check_whole(self) -> None:
        """Raises `ChangedTrace` when something was read that the file no longer has. It may have changed otherwise.

        Raises `TraceError` where the file is as it was and its disk did not give a part of it, and where something was
        read of a copy that nobody held.
        """
        if self._guarded is None or not self._guarded.broken:
            return
        if self._copy is not None:
            raise TraceError(self._path, "a part was read that is not in its copy: this is a fault of Tilescope")
        if _stamp(self._descriptor) == self._stamp:
            raise TraceError(self._path, "a part of it cannot be read", advice="look for errors of its disk or network")
        raise ChangedTrace(self._path)

    def release(self, begin: int, end: int) -> None:
        """Gives the pages of [begin, end) back to the system; they are read again when touched again."""
        guarded = self._guarded
        if guarded is not None:
            guarded.release(begin, end)  # without Python's lock: it takes 0.25 ms for 4 MB

    def close(self) -> None:
        """Unmaps; where somebody still refers to the array, the mapping goes with the last reference."""
        mapping, self._mapping = self._mapping, None
        self.array = np.empty(0, dtype=np.uint8)
        if self._copy is not None and self._guarded is not None:
            self._copy.unguard(self._guarded)
        self._guarded = None
        if mapping is not None:
            try:
                mapping.close()
            except BufferError:
                return


def _map(descriptor: int, size: int, path: Path) -> mmap.mmap | None:
    try:
        return mmap.mmap(descriptor, size, access=mmap.ACCESS_READ) if size else None
    except ValueError as error:  # it has become shorter since its size was asked for
        raise ChangedTrace(path) from error


def _stamp(descriptor: int | None) -> tuple[int, int] | None:
    """Size and time of the last change."""
    if descriptor is None:
        return None
    stat = os.fstat(descriptor)
    return stat.st_size, stat.st_mtime_ns
