"""Entries of many threads on their way into the store: one thread at a time writes what all have."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from tilescope.tiler.indexing.output.tables import batched
from tilescope.tiler.profile import waiting
from tilescope.tiler.store.store import Entry

# Of entries that wait: a thread that puts more waits until they are written. As much again is being written meanwhile.
_MOST_BYTES: Final = 16 << 20

_ENTRY_BYTES: Final = 128  # of an entry beside its key and its value: a tuple and two objects

# Of one call of `write`: each may change a page of the store, and a transaction holds all of them.
_MOST_ENTRIES: Final = 1024


class EntryQueue:
    """Takes lists of entries, which are written in the order in which they came.

    No thread waits while another writes, unless too many bytes wait. When `write` has failed once, entries are missing:
    nothing more is written, and every later call raises that error.
    """

    def __init__(self, write: Callable[[Sequence[Entry]], None]) -> None:
        self._write = write
        self._batches: list[Sequence[Entry]] = []
        self._bytes = 0
        self._failure: BaseException | None = None
        self._counting = threading.Lock()
        self._writing = threading.Lock()

    def put(self, batch: Sequence[Entry]) -> None:
        """Entries that are written by this thread or by the one that writes now. Raises what `write` raises."""
        size = sum(len(key) + len(value) + _ENTRY_BYTES for key, value in batch)
        with self._counting:
            self._raise_failure()
            self._batches.append(batch)
            self._bytes += size
            is_full = self._bytes > _MOST_BYTES
        if is_full:
            self.flush()
        else:
            self._write_waiting()

    def flush(self) -> None:
        """All entries that came before are written when this returns. Raises what `write` raises."""
        with waiting("the writer"):
            self._writing.acquire()
        try:
            self._write_batches()
        finally:
            self._writing.release()
        self._write_waiting()

    def _write_waiting(self) -> None:
        """Writes what waits, unless another thread does. Whoever ends writing may have missed what came just then."""
        while self._batches and self._writing.acquire(blocking=False):
            try:
                self._write_batches()
            finally:
                self._writing.release()

    def _write_batches(self) -> None:
        """Writes all that waits, while this thread alone may write."""
        with self._counting:
            self._raise_failure()
            batches, self._batches = self._batches, []
            self._bytes = 0
        try:
            for entries in batched(chain.from_iterable(batches), _MOST_ENTRIES):
                self._write(entries)
        except BaseException as error:
            with self._counting:
                self._failure = error
                self._batches.clear()
            raise

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
