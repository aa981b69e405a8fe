"""Memory that is free, but still the process's: kept for the next track as long as there is enough."""

from __future__ import annotations

import time
from typing import Final

from tilescope.tiler import _native
from tilescope.tiler.system import private_bytes

# Of the memory of a build, what is kept of it while it is free.
_FREE_SHARE: Final = 0.12

# From so much of the memory on, what is free is given back: pieces of all sizes leave gaps that nothing fits into.
_FULL_SHARE: Final = 0.6

# Once a second took a seventh more processor time with 100 million events: the system clears what is needed again.
_PAUSE_SECONDS: Final = 4.0


def keep_free_memory(memory_bytes: int) -> None:
    """For a process that only builds, with so much memory: what is freed stays with it for the next track."""
    _native.keep_free_memory(int(memory_bytes * _FREE_SHARE))


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
