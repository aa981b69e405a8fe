"""Pages that are kept inflated: a viewer that moves, and a search that goes on, read the same ones again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

# Of one open store. The leaves of ten million events have 160 MB.
KEPT_BYTES: Final = 96 << 20

K = TypeVar("K")


class KeptBytes(Generic[K]):
    """What was asked for last, up to a number of bytes. For whatever thread."""

    def __init__(self, make: Callable[[K], bytes], limit: int = KEPT_BYTES) -> None:
        self._make = make
        self._limit = limit
        self._kept: OrderedDict[K, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def __call__(self, key: K) -> bytes:
        """What `make` returns of this key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = self._make(key)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._size += len(found)
            while self._size > self._limit and self._kept:
                self._size -= len(self._kept.popitem(last=False)[1])
        return found
