"""A trace's uncompressed bytes as one mapped array, without holding them in memory.

A plain file is mapped as it lies there. Anything compressed is inflated to an unnamed temporary file first, because an
XSpace is read in several passes. Mapped pages that were read are given back, so that resident memory stays bounded.
"""

from __future__ import annotations

import errno
import mmap
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedTrace, DiskFull, TraceError
from tilescope.tiler.readers.source import ByteSource

_COPY_BYTES = 4 * 1024 * 1024


class MappedBytes:
    """`array` is all bytes, read-only. Drop every reference to it before `close`.

    Shortening the file while it is mapped kills the process, as with any mapped file. Profilers write their files once.
    """

    def __init__(self, mapping: mmap.mmap | None) -> None:
        self._mapping = mapping
        self.array: NDArray[np.uint8] = np.frombuffer(mapping if mapping is not None else b"", dtype=np.uint8)

    @classmethod
    def mapping(cls, source: ByteSource, scratch_dir: Path | None) -> Generator[None, None, Self]:
        """Maps a source that has not been read yet. Yields now and then while it is inflated, for progress.

        Raises `DamagedTrace` when the compressed stream is cut short or damaged, `DiskFull` without room for it.
        """
        descriptor = source.file_descriptor()
        if descriptor is not None:
            return cls(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) if source.size_bytes else None)
        size = 0
        try:
            with tempfile.TemporaryFile(dir=scratch_dir, prefix="tilescope-") as file:
                while piece := source.read(_COPY_BYTES):
                    file.write(piece)
                    size += len(piece)
                    yield
                if source.problem is not None:
                    advice = "copy the file again or capture again"
                    raise DamagedTrace(source.path, source.problem, offset=source.bytes_read, advice=advice)
                file.flush()
                return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else None)
        except OSError as error:
            where = scratch_dir or tempfile.gettempdir()
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                # What is still to come grows as what has come so far, which is gone again by now.
                needed = size * source.size_bytes // max(source.bytes_read, 1) + _COPY_BYTES
                what = f"the disk is full: {source.path.name} takes about {needed / 1e6:,.0f} MB when it is inflated"
                raise DiskFull(f"{where}: {what}", needed) from error
            advice = f"make room in {where}, or inflate the file yourself"
            raise TraceError(source.path, f"cannot be inflated: {error.strerror or error}", advice=advice) from error

    def __len__(self) -> int:
        return len(self.array)

    def release(self, begin: int, end: int) -> None:
        """Gives the pages that lie within [begin, end) back to the system; they are read again when touched again."""
        begin += -begin % mmap.PAGESIZE
        end -= end % mmap.PAGESIZE
        if self._mapping is not None and begin < end and hasattr(mmap, "MADV_DONTNEED"):
            self._mapping.madvise(mmap.MADV_DONTNEED, begin, end - begin)

    def close(self) -> None:
        """Unmaps; where somebody still refers to the array, the mapping goes with the last reference."""
        mapping, self._mapping = self._mapping, None
        self.array = np.empty(0, dtype=np.uint8)
        if mapping is not None:
            try:
                mapping.close()
            except BufferError:
                return
