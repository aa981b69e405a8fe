"""A blob as a file for reading: from front to back as a stream, and as a descriptor for what needs one."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.tiler.blobs.blob import Blob
from tilescope.tiler.blobs.head_blob import HEAD_BYTES
from tilescope.tiler.blobs.scratch_copy import ScratchCopy
from tilescope.tiler.blobs.scratch_space import ScratchSpace
from tilescope.tiler.blobs.trace_errors import trace_errors

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class BlobFile(io.RawIOBase):
    """Reads a blob, which is closed with it. Raises `TraceError`s of the path that stands for it, and DiskFull."""

    def __init__(self, path: Path, blob: Blob, scratch: ScratchSpace) -> None:
        super().__init__()
        self._path = path
        self.blob = blob
        self._scratch = scratch
        self._position = 0
        self._head: bytes | None = None
        self._stream: Iterator[bytes] | None = None
        self._piece = memoryview(b"")  # what comes next of the stream
        self._copy: ScratchCopy | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer).cast("B")
        if not self._piece:
            with trace_errors(self._path):
                self._piece = self._next_piece()
        count = min(len(target), len(self._piece))
        target[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        self._position += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """A place that is not the next one ends what is read ahead."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position}.get(whence)
        target = (self.size_bytes if base is None else base) + offset
        if target != self._position:
            self._leave_stream()
            self._position = max(0, target)
        return self._position

    def tell(self) -> int:
        return self._position

    @property
    def size_bytes(self) -> int:
        """Size of the blob."""
        with trace_errors(self._path):
            return self.blob.state().size_bytes

    def fileno(self) -> int:
        """The descriptor of a scratch copy of the whole blob."""
        copy = self.scratch_copy()
        with trace_errors(self._path):
            copy.keep(0, copy.size_bytes)
        return copy.fileno()

    def scratch_copy(self) -> ScratchCopy:
        """The scratch copy, which is closed with this file."""
        if self._copy is None:
            with trace_errors(self._path):
                self._copy = ScratchCopy(self.blob, self._scratch)
        return self._copy

    def close(self) -> None:
        if not self.closed:
            self._leave_stream()
            if self._copy is not None:
                self._copy.close()
            self.blob.close()
        super().close()

    def _next_piece(self) -> memoryview:
        if self._stream is None and self._position < HEAD_BYTES:
            if self._head is None:
                self._head = self.blob.read(0, HEAD_BYTES)
            if self._position < len(self._head):
                return memoryview(self._head)[self._position :]
        if self._stream is None:
            self._stream = iter(self.blob.stream(self._position))
        return memoryview(next(self._stream, b""))

    def _leave_stream(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()
        self._stream = None
        self._piece = memoryview(b"")
