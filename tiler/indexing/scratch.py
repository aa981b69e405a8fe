"""Scratch space: arrays of a build that are too many for memory lie in files.

The first arrays are made in memory. Beyond a budget they are mapped from files without names in a scratch folder: their
space is reserved when they are made, so that a full disk is an error and not a crash, and it is free again when the
last array of a file is gone, or the process dies. The kernel counts mapped pages as memory of the process until it
drops them; a thread drops them as soon as they exceed their share, so that memory stays bounded whatever is read or
written how. Nothing is lost by that: the pages stay in the page cache, and go to the disk if need be.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler import system
from tilescope.tiler.errors import DiskFull

_T = TypeVar("_T", bound=np.generic)
Ints = NDArray[np.int64]

# One file holds many arrays: a process may have only some thousands of files and maps.
_FILE_BYTES = 256 << 20
_ALIGNMENT = 64

# Arrays are made and copied in parts of this many values, so that what numpy needs between does not count.
_PART = 1 << 18

# Smaller arrays are made in memory and not counted: 100,000 short tracks make 1.5 million of them, and counting them
# took a third of the time (4.5 s of processor time for 25,000, now 2.8). A block that is being built has 2 MB at most.
SMALL_BYTES = 4096

_TRIM_SECONDS = 0.02


class Scratch:
    """Makes arrays. `memory_bytes` may be in memory, and about `mapped_bytes` of the mapped files at a time."""

    def __init__(self, folder: Path | None = None, memory_bytes: int = 1 << 62, mapped_bytes: int = 1 << 62) -> None:
        self.folder = folder
        self._memory_bytes = memory_bytes
        self._small_bytes = min(SMALL_BYTES, memory_bytes >> 10)
        self._mapped_bytes = mapped_bytes
        self._in_memory = 0
        self._lock = threading.Lock()
        self._file: mmap.mmap | None = None
        self._descriptor = -1
        self._used = 0
        self._files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._closed = threading.Event()
        self._trimmer: threading.Thread | None = None

    def empty(self, n: int, dtype: DTypeLike) -> NDArray[np.generic]:
        """An array of shape (n,) with any content. Raises DiskFull when the disk is full."""
        if n <= self._small_bytes >> 4:  # of values of up to 16 bytes
            return np.empty(n, dtype)
        return self._make(n, np.dtype(dtype))[0]

    def keep(self, array: NDArray[_T]) -> NDArray[_T]:
        """The array, moved to a file when there is no room for it in memory. One that lies in a file stays there."""
        if array.nbytes < self._small_bytes or is_mapped(array):
            return array
        with self._lock:
            if self.folder is None or self._in_memory + array.nbytes <= self._memory_bytes:
                self._count(array)
                return array
        return self.fill(len(array), array.dtype, lambda part: array[part])

    def spill(self, array: NDArray[_T]) -> NDArray[_T]:
        """The array in a file, if there is a folder for it."""
        if self.folder is None or array.nbytes < self._small_bytes or is_mapped(array):
            return array
        made, place = self._make(len(array), array.dtype, in_file=True)
        assert place is not None
        _write(*place, array)
        return made  # type: ignore[return-value]

    def fill(self, n: int, dtype: np.dtype[_T], values: Callable[[slice], NDArray[_T]]) -> NDArray[_T]:
        """An array of shape (n,), made part by part."""
        made, place = self._make(n, dtype)
        out: NDArray[_T] = made  # type: ignore[assignment]
        for part in parts(n):
            if place is None:
                out[part] = values(part)
            else:
                # Written, not stored through the map: 256 MB took 0.11 s of system time instead of 0.49 s.
                _write(place[0], place[1] + part.start * dtype.itemsize, values(part).astype(dtype, copy=False))
        return out

    def pick(self, column: NDArray[_T], order: Ints | NDArray[np.uint32] | None) -> NDArray[_T]:
        """The column in this order; None: as it is."""
        if order is not None and len(order) * column.itemsize < self._small_bytes:
            return column[order]
        return column if order is None else self.fill(len(order), column.dtype, lambda part: column[order[part]])

    def close(self) -> None:
        """Ends the thread. Arrays stay valid."""
        self._closed.set()
        if self._trimmer is not None:
            self._trimmer.join()
        self._file = None

    def _count(self, array: NDArray[np.generic]) -> None:
        self._in_memory += array.nbytes
        weakref.finalize(array, self._uncount, array.nbytes).atexit = False

    def _uncount(self, size: int) -> None:
        # Runs whenever an array dies, perhaps while this very thread holds the lock: so it does without.
        self._in_memory -= size

    def _make(
        self, n: int, dtype: np.dtype[Any], in_file: bool = False
    ) -> tuple[NDArray[np.generic], tuple[int, int] | None]:
        """An array, and its place when it lies in a file: descriptor and offset."""
        size = n * dtype.itemsize
        if size < self._small_bytes:
            return np.empty(n, dtype), None
        with self._lock:
            if self.folder is None or (not in_file and self._in_memory + size <= self._memory_bytes):
                array = np.empty(n, dtype)
                self._count(array)
                return array, None
            size = -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
            if self._file is None or self._used + size > len(self._file):
                self._file, self._descriptor = self._new_file(max(size, _FILE_BYTES))
                self._used = 0
            place = self._descriptor, self._used
            self._used += size
            return np.frombuffer(self._file, np.uint8, size, place[1]).view(dtype)[:n], place

    def _new_file(self, size: int) -> tuple[mmap.mmap, int]:
        assert self.folder is not None
        with tempfile.TemporaryFile(dir=self.folder, prefix="scratch-") as file:
            try:
                # Pages of a file that has only been made long kill the process when the disk is full.
                system.reserve(file.fileno(), size)
            except OSError as error:
                raise DiskFull(
                    f"{self.folder}: no room for {size / 1e6:,.0f} MB of scratch space: {error.strerror}", size
                ) from error
            mapped = mmap.mmap(file.fileno(), size)
            descriptor = os.dup(file.fileno())
        weakref.finalize(mapped, os.close, descriptor)  # with the last array in it
        self._files.add(mapped)
        if self._trimmer is None:
            self._trimmer = threading.Thread(target=self._trim, name="scratch-trimmer", daemon=True)
            self._trimmer.start()
        return mapped, descriptor

    def _trim(self) -> None:
        while not self._closed.wait(_TRIM_SECONDS):
            if system.mapped_bytes() > self._mapped_bytes:
                for file in list(self._files):
                    file.madvise(mmap.MADV_DONTNEED)


class PassingScratch(Scratch):
    """Makes arrays of which most are gone when their track is built: those that are not large in memory, not counted.

    Those that stay are settled in `scratch` then. What is decoded straight into a mapped file costs a page fault and a
    cleared page for each 4 kB, and arguments, which go at once, are half of all bytes: 100 million events took 8.7 to
    9.4 s of system time instead of 11.1 to 12.5 s. Each thread has some ten such arrays at a time, of one track.
    """

    def __init__(self, scratch: Scratch, at_most_bytes: int) -> None:
        super().__init__(scratch.folder)
        self._scratch = scratch
        self._at_most_bytes = at_most_bytes

    def settled(self, array: NDArray[_T]) -> NDArray[_T]:
        """The array, to be kept: moved to a file when there is no room for it in memory."""
        return self._scratch.keep(array) if self._passes(array.nbytes) else array

    def _passes(self, size_bytes: int) -> bool:
        return self.folder is None or size_bytes <= self._at_most_bytes

    def _make(
        self, n: int, dtype: np.dtype[Any], in_file: bool = False
    ) -> tuple[NDArray[np.generic], tuple[int, int] | None]:
        if not in_file and self._passes(n * dtype.itemsize):
            return np.empty(n, dtype), None
        return self._scratch._make(n, dtype, in_file)


def _write(descriptor: int, offset: int, values: NDArray[Any]) -> None:
    left = np.ascontiguousarray(values).view(np.uint8).data
    while len(left):
        written = os.pwrite(descriptor, left, offset)
        left, offset = left[written:], offset + written


def parts(n: int) -> Iterator[slice]:
    """Slices that cover range(n)."""
    for first in range(0, n, _PART):
        yield slice(first, min(first + _PART, n))


def is_mapped(array: NDArray[np.generic]) -> bool:
    """True if an array lies in a mapped file."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)
