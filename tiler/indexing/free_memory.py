"""Memory that is free, but still the process's: kept for the next track as long as there is enough."""

from __future__ import annotations

import time
from typing import Final

from tilescope.tiler import _native
from tilescope.tiler.system import private_bytes, processors

# Of the memory of a build, what is kept of it while it is free.
_FREE_SHARE: Final = 0.12

# Parts of the heap that threads share, one for a few processors: each has gaps and an end of its own, of no use to
# others, and the system gets back the end of the first part alone. With one for each thread, as malloc has it, 2.5
# million events of eight ranks on Ascend took 300 MB within 256 MiB, and now 208. On two processors that took no more
# processor time, with one part or with two.
_LEAST_PARTS: Final = 2
_PROCESSORS_OF_PART: Final = 4

# From so much of the memory on, what is free is given back: pieces of all sizes leave gaps that nothing fits into.
_FULL_SHARE: Final = 0.6

# Once a second took a seventh more processor time with 100 million events: the system clears what is needed again.
_PAUSE_SECONDS: Final = 4.0


def keep_free_memory(memory_bytes: int) -> None:
    """For a process that only builds, with so much memory: what is freed stays with it for the next track."""
    parts = max(_LEAST_PARTS, processors() // _PROCESSORS_OF_PART)
    _native.keep_free_memory(int(memory_bytes * _FREE_SHARE), parts)


class FreeMemory:
    """Free memory of a process that may take so much."""

    def __init__(self, memory_bytes: int) -> None:
        self._full_bytes = memory_bytes * _FULL_SHARE
        self._next = 0.0

    def release_when_full(self) -> None:
        """Gives back what is free when the process has nearly all its memory, mapped files aside; not too often."""
        now = time.monotonic()
        if now >= self._next and private_bytes() > self._full_bytes:
            _native.release_free_memory()
            self._next = now + _PAUSE_SECONDS
