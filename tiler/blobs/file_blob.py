"""A local file as a blob."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tilescope.tiler.blobs.blob import BlobRange, BlobState, checked_range
from tilescope.tiler.blobs.noted_state import NotedState
from tilescope.tiler.errors import NOTHING_THERE, BlobError, BlobForbidden, BlobMissing, DiskFull

_STREAM_BYTES: Final = 1 << 20


class _Descriptor:
    """An open file, closed with the last reference to it: never under a thread that reads from it."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


class FileBlob:
    """A file. Its ETag is made of inode, size and time of the last change, so a file that is written to has another."""

    def __init__(self, path: Path, state: BlobState | None = None) -> None:
        """`state` is the one that it must have; None: the one that it has when it is opened."""
        self.path = path
        self._descriptor: _Descriptor | None = None
        self._is_closed = False
        self._state = NotedState(str(path), state)
        self._opening = threading.Lock()

    @property
    def address(self) -> str:
        return str(self.path)

    def state(self) -> BlobState:
        return self._checked()[1]

    def read(self, start: int, stop: int) -> bytes:
        checked_range(start, stop)
        descriptor, state = self._checked()
        stop = min(stop, state.size_bytes)  # the system takes memory for as much as it is asked for
        try:
            parts: list[bytes] = []
            while start < stop and (part := os.pread(descriptor.number, stop - start, start)):
                parts.append(part)
                start += len(part)
        except OSError as error:
            raise blob_error(self.path, error) from error
        self._check(descriptor)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        return [self.read(start, stop) for start, stop in ranges]

    def stream(self, start: int = 0) -> Iterator[bytes]:
        while part := self.read(start, start + _STREAM_BYTES):
            yield part
            start += len(part)

    def close(self) -> None:
        """Reads that are under way end as they would have; what is read later raises ValueError."""
        with self._opening:
            self._descriptor = None
            self._is_closed = True

    def _checked(self) -> tuple[_Descriptor, BlobState]:
        """The open file and its state. Raises BlobChanged where it was written to, or another one lies there."""
        with self._opening:
            if self._is_closed:
                raise ValueError(f"{self.path}: is closed")
            try:
                if self._descriptor is None:
                    self._descriptor = _Descriptor(os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK))
            except OSError as error:
                raise blob_error(self.path, error) from error
            return self._descriptor, self._check(self._descriptor)

    def _check(self, descriptor: _Descriptor) -> BlobState:
        """The state of an open file. Raises BlobChanged."""
        try:
            return self._state.note(file_state(os.fstat(descriptor.number)))
        except OSError as error:
            raise blob_error(self.path, error) from error


def file_state(stat: os.stat_result) -> BlobState:
    """Size and ETag of a file."""
    return BlobState(stat.st_size, f"{stat.st_ino:x}-{stat.st_size:x}-{stat.st_mtime_ns:x}")


def blob_error(path: Path, error: OSError) -> BlobError | DiskFull:
    """The error of a local path for one of the system."""
    address = str(path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{address}: the disk is full (make room, or name a folder on another disk)")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return BlobMissing(address, NOTHING_THERE)
    if error.errno in (errno.EACCES, errno.EPERM):
        return BlobForbidden(address, f"cannot be opened: {error.strerror}")
    return BlobError(address, f"cannot be read or written: {error.strerror or error}")
