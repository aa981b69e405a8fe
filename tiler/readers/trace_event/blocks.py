"""A trace-event file block by block, the events of each block read ahead by a worker thread.

Workers leave the GIL alone. They know only their block, and guess where its first event begins; the native stream takes
what they have read where that was right, and reads the block itself where it was not. So the number of workers and the
size of blocks change nothing but the speed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Final, cast

from tilescope.tiler import _native
from tilescope.tiler.readers.mapped import MappedBytes
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.system import processors

# Small at first, so that there is something to show soon. Not for long: each block gives about a chunk, and each chunk
# costs the stages after this one something. With 16 MiB it takes 90 MB more, and is slower for all the fresh memory.
FIRST_BLOCK_BYTES = 1 << 20
LARGEST_BLOCK_BYTES = 4 << 20

# One thread puts the parts together, in a thirteenth of the time that one worker takes to read them. Each worker costs
# memory: a block, which is one of the system's cache where the file is mapped, and the columns of its part.
_MOST_WORKERS: Final = 8


def default_workers() -> int:
    """One per core that this process may use, within reason."""
    return min(processors(), _MOST_WORKERS)


class _Copies:
    """Blocks that are copied: of text that is inflated, or comes from elsewhere. A thread does so one block ahead."""

    def __init__(self, source: ByteSource, first_bytes: int, largest_bytes: int) -> None:
        self._source = source
        self._size = first_bytes
        self._largest_bytes = largest_bytes
        self._spare: list[bytearray] = []
        self._thread = ThreadPoolExecutor(1, "take-blocks")
        self._next = self._thread.submit(self._read, first_bytes)

    def take(self) -> memoryview:
        """The next block; empty at the end."""
        block = self._next.result()
        if block:
            self._size = min(2 * self._size, self._largest_bytes)
            self._next = self._thread.submit(self._read, self._size)
        return block

    def check(self) -> None:
        """Nothing to check: a copy does not change any more."""

    def give_back(self, block: memoryview) -> None:
        """The block is not needed any more."""
        self._spare.append(cast(bytearray, block.obj))

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown(cancel_futures=True)

    def _read(self, size: int) -> memoryview:
        memory = self._spare.pop() if self._spare else bytearray()
        if len(memory) < size:
            memory = bytearray(size)
        return memoryview(memory)[: self._source.read_into(memoryview(memory)[:size])]


class _Windows:
    """Blocks of a plain file on disk, which is mapped: copies took a sixth of the processor time of reading it.

    It is read as far as it reaches now. Blocks end at multiples of their size: pages are given back by whole regions.
    """

    def __init__(self, source: ByteSource, mapped: MappedBytes, first_bytes: int, largest_bytes: int) -> None:
        self._source = source
        self._mapped = mapped
        self._bytes = mapped.array.data
        self._size = first_bytes
        self._largest_bytes = largest_bytes
        self._begin = self._end = 0  # of what was taken, and not given back

    def take(self) -> memoryview:
        """The next block; empty at the end."""
        begin = self._end
        self._end = min(begin + self._size - begin % self._size, len(self._mapped))
        self._source.skip(self._end - begin)
        self._size = min(2 * self._size, self._largest_bytes)
        return self._bytes[begin : self._end]

    def check(self) -> None:
        """Raises ChangedTrace when the file was shortened, and TraceError when a part of it cannot be read."""
        self._mapped.check_whole()

    def give_back(self, block: memoryview) -> None:
        """The block, which is the oldest, is not needed any more. Raises as `check` does."""
        self.check()
        end = self._begin + len(block)
        self._mapped.release(self._begin, end)
        self._begin = end

    def close(self) -> None:
        """Unmaps the file."""
        self._bytes = memoryview(b"")
        self._mapped.close()


def _blocks_of(source: ByteSource, first_bytes: int, largest_bytes: int) -> _Copies | _Windows:
    """Blocks of a source that has not been read yet. A file of one block is not worth a map."""
    sizes = first_bytes, largest_bytes
    mapped = _mapped(source) if source.size_bytes > largest_bytes else None
    return _Copies(source, *sizes) if mapped is None else _Windows(source, mapped, *sizes)


def _mapped(source: ByteSource) -> MappedBytes | None:
    """The source in a map; None where it cannot have one: some network file systems have none, ulimit -v no room."""
    try:
        return MappedBytes.on_disk(source)
    except OSError:
        return None


def read_blocks(
    source: ByteSource,
    workers: int,
    texts: _native.PackedTexts | None = None,
    first_bytes: int = FIRST_BLOCK_BYTES,
    largest_bytes: int = LARGEST_BLOCK_BYTES,
    *,
    nanoseconds: bool = False,
) -> Iterator[tuple[memoryview, _native.TraceEventPart]]:
    """The blocks of the file in order, and what was read of each. A block is valid until the next one is asked for.

    Arguments are packed, if there are `texts` for it. Times are in microseconds, or else in nanoseconds. Raises
    ChangedTrace when the file is shortened meanwhile, and TraceError where it cannot be read.
    """
    waiting: deque[tuple[memoryview, Future[_native.TraceEventPart]]] = deque()
    ended = False
    with (
        closing(_blocks_of(source, first_bytes, largest_bytes)) as blocks,
        ThreadPoolExecutor(workers, thread_name_prefix="read-events") as pool,
    ):
        try:
            while True:
                while not ended and len(waiting) <= workers:
                    block = blocks.take()
                    ended = not block
                    if block:
                        waiting.append((block, pool.submit(_native.TraceEventPart, block, texts, nanoseconds)))
                if not waiting:
                    return
                block, reading = waiting.popleft()
                part = reading.result()
                blocks.check()  # before zeros, which stand for what is gone, are refused as no JSON
                yield block, part
                blocks.give_back(block)
        finally:
            pool.shutdown(cancel_futures=True)
