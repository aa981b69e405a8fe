"""Shards that are open only while they are read: of a run of a thousand, some dozens at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tilescope.tiler.records.record import Record
from tilescope.tiler.store.run_store import RunStore, open_generation, open_run_store
from tilescope.tiler.store.store import Entry, NumberedRecord

MOST_OPEN: Final = 64


class _Handle:
    """An open store, and how many read it."""

    def __init__(self, store: RunStore) -> None:
        self.store = store
        self.readers = 0


class ShardHandles:
    """The open shards of a run, for whatever threads: beyond `most`, those that nobody reads are closed."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._handles: OrderedDict[Path, _Handle] = OrderedDict()  # least recently used first

    def __len__(self) -> int:
        return len(self._handles)

    @contextmanager
    def opened(self, path: Path, build: str | None) -> Iterator[RunStore]:
        """The store at `path`, of that build or of the published one, until the block is left.

        Raises NoStore, StoreVersion or DamagedStore.
        """
        handle = self._taken(path, None)
        if handle is None:  # opened without the lock: others read and open meanwhile
            store = open_run_store(path) if build is None else open_generation(path, build)
            handle = self._taken(path, store)
        assert handle is not None
        try:
            yield handle.store
        finally:
            with self._lock:
                handle.readers -= 1
            self._close_unread()

    def close(self) -> None:
        """Closes all, what is read at the moment once it is not."""
        self._most = 0
        self._close_unread()

    def _taken(self, path: Path, store: RunStore | None) -> _Handle | None:
        """The handle of a path for one more reader. `store` is what it becomes where there is none yet."""
        with self._lock:
            handle = self._handles.get(path)
            if handle is None:
                if store is None:
                    return None
                handle = self._handles[path] = _Handle(store)
            handle.readers += 1
            self._handles.move_to_end(path)
        if store is not None and handle.store is not store:  # another thread was faster
            store.close()
        return handle

    def _close_unread(self) -> None:
        with self._lock:
            unread = (path for path, handle in self._handles.items() if handle.readers == 0)
            excess = max(0, len(self._handles) - self._most)
            closed = [self._handles.pop(path).store for path in list(islice(unread, excess))]
        for store in closed:
            store.close()


class ShardStore:
    """The `Store` of one shard, opened when something of it is read. Whoever has its handles closes them."""

    is_growing = False

    fetch = None  # it is on this machine

    def __init__(self, path: Path, build: str, handles: ShardHandles) -> None:
        self.location = str(path)
        self.build = build
        self._path = path
        self._handles = handles

    @classmethod
    def published(cls, path: Path, handles: ShardHandles) -> ShardStore:
        """The shard at `path` as it is published now. Raises NoStore, StoreVersion or DamagedStore."""
        with handles.opened(path, None) as store:
            return cls(path, store.build, handles)

    def opened(self) -> AbstractContextManager[RunStore]:
        """The store, open until the block is left. Raises StoreError."""
        return self._handles.opened(self._path, self.build)

    def ungated(self) -> ShardStore:
        """Returns itself: all of it is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none. Raises StoreError, as all that reads."""
        with self.opened() as store:
            return store.get(record, *numbers)

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        with self.opened() as store:
            return store.at_most(record, *numbers)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        with self.opened() as store:
            yield from store.scan(record, *numbers, start=start)

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys."""
        with self.opened() as store:
            yield from store.records()

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        with self.opened() as store:
            return store.manifest()

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as it is stored."""
        with self.opened() as store:
            return store.internals()

    def close(self) -> None:
        """Does nothing: others may read it."""
