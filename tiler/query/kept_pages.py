"""Pages that are kept inflated: a viewer that moves, and a search that goes on, read the same ones again."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar
from weakref import WeakSet

from tilescope.tiler.caches import CACHES

# Of all open stores of a process together, if a third of the limit of all caches is as much: the leaves of ten million
# events have 160 MB.
KEPT_BYTES: Final = 160 << 20

K = TypeVar("K")


class SharedRoom:
    """A limit of bytes that several caches share. Without room left, the cache used longest ago drops first."""

    name: Final = "pages"
    title: Final = "Pages and records of stores, inflated"

    def __init__(self, limit: int) -> None:
        self._most = self._limit = limit
        self._at_most = 0  # bytes that are kept, and of those who are gone some that were
        self._sharing: WeakSet[KeptBytes[object]] = WeakSet()  # who is gone, has nothing
        self._turns = itertools.count()
        self._lock = threading.RLock()

    @property
    def size_bytes(self) -> int:
        """Bytes that all who share it keep."""
        with self:
            return sum(cache.size_bytes for cache in self._sharing)

    @property
    def entries(self) -> int:
        """Number of pages and records."""
        with self:
            return sum(cache.entries for cache in self._sharing)

    def clear(self) -> None:
        """Has all dropped."""
        with self:
            for cache in self._sharing:
                while cache.entries:
                    cache.drop()
            self._at_most = 0

    def fit(self, share_bytes: int) -> None:
        """Has all drop what exceeds the share, if it is less than the room; there is no more from then on."""
        with self:
            self._limit = min(self._most, share_bytes)
            self.add(0)

    def __enter__(self) -> int:
        """Nobody else keeps or drops anything in this block. Returns its number."""
        self._lock.acquire()
        return next(self._turns)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def share(self, cache: KeptBytes[object]) -> None:
        """One more takes of it."""
        with self:
            self._sharing.add(cache)

    def add(self, size_bytes: int) -> None:
        """So much more is kept. Has dropped what is too much."""
        self._at_most += size_bytes
        if self._at_most <= self._limit:
            return
        sharing = sorted(self._sharing, key=lambda cache: cache.used)
        left = sum(cache.size_bytes for cache in sharing) - self._limit
        for cache in sharing:
            while left > 0 and cache.size_bytes:
                left -= cache.drop()
        self._at_most = self._limit + left


_OF_THIS_PROCESS: Final = SharedRoom(KEPT_BYTES)
CACHES.add_shared(_OF_THIS_PROCESS)


class KeptBytes(Generic[K]):
    """Values read last, as far as there is room. For whatever thread."""

    def __init__(self, make: Callable[[K], bytes], room: SharedRoom = _OF_THIS_PROCESS) -> None:
        self._make = make
        self._room = room
        self._kept: OrderedDict[K, bytes] = OrderedDict()
        self.size_bytes = 0
        self.used = 0  # when: the greatest was last
        room.share(self)  # type: ignore[arg-type]  # of whatever keys

    def __call__(self, key: K) -> bytes:
        """The bytes that `make` returns for this key."""
        content = self.get(key)
        return self.keep(key, self._make(key)) if content is None else content

    def get(self, key: K) -> bytes | None:
        """The bytes of a key, if they are there."""
        with self._room as used:
            content = self._kept.get(key)
            if content is not None:
                self.used = used
                self._kept.move_to_end(key)
            return content

    def keep(self, key: K, content: bytes) -> bytes:
        """Keeps the bytes of a key as far as there is room. Returns them."""
        with self._room as self.used:
            if key not in self._kept:
                self._kept[key] = content
                self.size_bytes += len(content)
                self._room.add(len(content))
        return content

    @property
    def entries(self) -> int:
        """Number of pages or records."""
        return len(self._kept)

    def __contains__(self, key: K) -> bool:
        """True if the bytes of a key are there now."""
        return key in self._kept

    def drop(self) -> int:
        """Forgets what was not asked for longest. Returns its size."""
        size = len(self._kept.popitem(last=False)[1])
        self.size_bytes -= size
        return size
