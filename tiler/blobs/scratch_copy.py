"""A copy of a blob in a scratch file, for code that needs a descriptor or a map: of what is in use, not of all.

The file has holes where nothing has been read. Whoever reads a range holds it meanwhile; what nobody holds is dropped
when copies take more space than they may, and read once more when it is needed.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, Protocol

from tilescope.tiler.blobs.blob import Blob
from tilescope.tiler.blobs.file_blob import blob_error
from tilescope.tiler.blobs.scratch_space import BLOCK_BYTES, ScratchSpace
from tilescope.tiler.errors import BlobCut

# What is read at once. An object store has a cost for each request: moto copies the whole object, of 400 MB it took
# 6.7 s of CPU in pieces of 16 MiB, 3.5 s in these; the client took 0.7 s in both (2026-11-30).
PIECE_BYTES: Final = 32 << 20
_PIECE_BLOCKS: Final = PIECE_BYTES // BLOCK_BYTES
_PIECES_AHEAD: Final = 4
_MADV_REMOVE: Final = getattr(mmap, "MADV_REMOVE", None)  # of Linux


class Guard(Protocol):
    """A map of the copy, which is told what of it is not there."""

    def hide(self, begin: int, end: int) -> None: ...

    def show(self, begin: int, end: int) -> None: ...


class ScratchCopy:
    """A blob as a file with a descriptor. Close it."""

    def __init__(self, blob: Blob, space: ScratchSpace) -> None:
        """Raises `BlobError`s and DiskFull."""
        self._blob = blob
        self._space = space
        self.size_bytes = blob.state().size_bytes
        self._blocks = -(-self.size_bytes // BLOCK_BYTES)
        self._present = bytearray(self._blocks)
        self._guards: list[Guard] = []
        self._reading: dict[int, Future[None]] = {}  # by piece
        self._beginning = threading.Lock()
        try:
            space.folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=space.folder, prefix="tilescope-")  # noqa: SIM115 - see close
            self._file.truncate(self.size_bytes)
            self._map = mmap.mmap(self._file.fileno(), self.size_bytes) if self.size_bytes else None
        except OSError as error:
            raise blob_error(space.folder, error) from error
        self._readers = ThreadPoolExecutor(_PIECES_AHEAD, thread_name_prefix="scratch")

    @property
    def address(self) -> str:
        return self._blob.address

    @property
    def hold_bytes(self) -> int:
        """Number of bytes that may well be held at once, beside others that are."""
        return self._space.limit_bytes // 4

    def fileno(self) -> int:
        """The descriptor. What is not held may be zeros."""
        return self._file.fileno()

    @contextmanager
    def hold(self, start: int, stop: int) -> Iterator[None]:
        """Within the block the bytes of this range are there. Raises as `Blob.read` does, and DiskFull.

        Waits until others let go of theirs, where all together would take more space than they may.
        """
        blocks = self._range(start, stop)
        self._space.take(self, blocks)
        try:
            self._bring(blocks)
            yield
        finally:
            self._space.let_go(self, blocks, self._present)

    def keep(self, start: int, stop: int) -> None:
        """Has the bytes of this range there until the copy is closed."""
        blocks = self._range(start, stop)
        self._space.take(self, blocks, for_good=True)
        self._bring(blocks)

    def guard(self, guard: Guard) -> None:
        """Has a map know from now on what of the copy is there: whatever else is read of it is an error, not zeros."""
        with self._space.unchanged():
            self._guards.append(guard)
            guard.hide(0, self.size_bytes)
            for block in range(self._blocks):
                if self._present[block]:
                    guard.show(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)

    def unguard(self, guard: Guard) -> None:
        """Ends that. All of the map can be read, whatever that gives."""
        with self._space.unchanged():
            self._guards.remove(guard)
            guard.show(0, self.size_bytes)

    def show(self, block: int) -> None:
        for guard in self._guards:
            guard.show(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
        self._present[block] = 1

    def drop(self, block: int) -> bool:
        if self._map is None or _MADV_REMOVE is None:
            return False
        start = block * BLOCK_BYTES
        for guard in self._guards:
            guard.hide(start, start + BLOCK_BYTES)
        try:
            self._map.madvise(_MADV_REMOVE, start, min(BLOCK_BYTES, self.size_bytes - start))
        except OSError:  # a file system without holes
            for guard in self._guards:
                guard.show(start, start + BLOCK_BYTES)
            return False
        self._present[block] = 0
        return True

    def close(self) -> None:
        """Removes the copy. Nobody may hold any of it."""
        self._readers.shutdown(cancel_futures=True)
        self._space.closed(self, sum(self._present))
        if self._map is not None:
            self._map.close()
        self._file.close()

    def _range(self, start: int, stop: int) -> range:
        return range(start // BLOCK_BYTES, -(-min(stop, self.size_bytes) // BLOCK_BYTES))

    def _bring(self, blocks: range) -> None:
        """Waits until blocks that are held have been read, and has those behind them read ahead."""
        first = blocks.start // _PIECE_BLOCKS
        end = -(-blocks.stop // _PIECE_BLOCKS)
        while not all(self._present[blocks.start : blocks.stop]):
            started = [
                self._begin(piece)
                for piece in range(first, end)
                if not all(self._present[block] for block in self._in_piece(piece) if block in blocks)
            ]
            for future in started:
                future.result()
        for piece in range(end, min(end + _PIECES_AHEAD, -(-self._blocks // _PIECE_BLOCKS))):
            if not any(self._present[block] for block in self._in_piece(piece)):
                if not self._space.has_room((len(self._reading) + 1) * _PIECE_BLOCKS):
                    break
                self._begin(piece)

    def _begin(self, piece: int) -> Future[None]:
        """The reading of a piece, which may have begun before."""
        with self._beginning:
            future = self._reading.get(piece)
            if future is None:
                future = self._reading[piece] = self._readers.submit(self._read, piece)
            return future

    def _in_piece(self, piece: int) -> range:
        return range(piece * _PIECE_BLOCKS, min((piece + 1) * _PIECE_BLOCKS, self._blocks))

    def _read(self, piece: int) -> None:
        """Reads the blocks of a piece that are not there."""
        try:
            absent = [block for block in self._in_piece(piece) if not self._present[block]]
            while absent:
                run = 1
                while run < len(absent) and absent[run] == absent[0] + run:
                    run += 1
                self._copy(absent[0] * BLOCK_BYTES, min((absent[0] + run) * BLOCK_BYTES, self.size_bytes))
                for block in absent[:run]:
                    self._space.added(self, block)
                del absent[:run]
        finally:
            with self._beginning:
                del self._reading[piece]

    def _copy(self, start: int, stop: int) -> None:
        view = memoryview(self._blob.read(start, stop))
        if len(view) < stop - start:
            raise BlobCut(self.address, "ends before its size", offset=start + len(view))
        try:
            while view:
                written = os.pwrite(self.fileno(), view, start)
                start, view = start + written, view[written:]
        except OSError as error:
            raise blob_error(self._space.folder, error) from error
