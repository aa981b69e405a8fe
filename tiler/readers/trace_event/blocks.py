"""A trace-event file block by block, the events of each block read ahead by a worker thread.

Workers leave the GIL alone. They know only their block, and guess where its first event begins; the native stream takes
what they have read where that was right, and reads the block itself where it was not. So the number of workers and the
size of blocks change nothing but the speed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from tilescope.tiler import _native
from tilescope.tiler.readers.source import ByteSource

# Small at first, so that there is something to show soon. Not for long: each block gives about a chunk, and each chunk
# costs the stages after this one something. With 16 MiB it takes 90 MB more, and is slower for all the fresh memory.
FIRST_BLOCK_BYTES = 1 << 20
LARGEST_BLOCK_BYTES = 4 << 20

# One thread puts the parts together. It keeps no more workers than this busy, and each costs memory.
_MOST_WORKERS = 4


def default_workers() -> int:
    """One per core, within reason."""
    return min(os.cpu_count() or 1, _MOST_WORKERS)


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

    Arguments are packed, if there are `texts` for it. Times are in microseconds, or else in nanoseconds.
    """
    spare: list[bytearray] = []
    waiting: deque[tuple[bytearray, int, Future[_native.TraceEventPart]]] = deque()
    size = first_bytes
    with ThreadPoolExecutor(workers, thread_name_prefix="read-events") as pool:
        try:
            ended = False
            while True:
                while not ended and len(waiting) <= workers:
                    memory = spare.pop() if spare else bytearray()
                    if len(memory) < size:
                        memory = bytearray(size)
                    filled = source.read_into(memoryview(memory)[:size])
                    ended = filled < size
                    if filled:
                        reading = pool.submit(_native.TraceEventPart, memoryview(memory)[:filled], texts, nanoseconds)
                        waiting.append((memory, filled, reading))
                    size = min(2 * size, largest_bytes)
                if not waiting:
                    return
                memory, filled, reading = waiting.popleft()
                yield memoryview(memory)[:filled], reading.result()
                spare.append(memory)
        finally:
            pool.shutdown(cancel_futures=True)
