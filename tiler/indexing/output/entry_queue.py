"""Entries of many threads on their way into the store: one thread at a time writes what all have."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from tilescope.tiler.profile import waiting
from tilescope.tiler.store.store import Entry

_MOST_BYTES: Final = 16 << 20  # of entries that wait: a thread that has more waits for the writing


class EntryQueue:
    """Takes lists of entries, which are written in the order in which they came.

    No thread waits while another writes, unless too many bytes wait.
    """

    def __init__(self, write: Callable[[Sequence[Entry]], None]) -> None:
        self._write = write
        self._batches: deque[Sequence[Entry]] = deque()
        self._bytes = 0
        self._counting = threading.Lock()
        self._writing = threading.Lock()

    def put(self, batch: Sequence[Entry]) -> None:
        """Entries that are written by this thread or by the one that writes now. Raises what `write` raises."""
        with self._counting:
            self._batches.append(batch)
            self._bytes += sum(len(value) for _, value in batch)
            is_full = self._bytes > _MOST_BYTES
        if is_full:
            self.flush()
        # Whoever ends writing may have missed what came just then.
        while self._batches and self._writing.acquire(blocking=False):
            self._write_all()

    def flush(self) -> None:
        """All entries that came before are written when this returns."""
        with waiting("the writer"):
            self._writing.acquire()
        self._write_all()

    def _write_all(self) -> None:
        try:
            with self._counting:
                batches = [*self._batches]
                self._batches.clear()
                self._bytes = 0
            if batches:
                self._write([*chain.from_iterable(batches)])
        finally:
            self._writing.release()
