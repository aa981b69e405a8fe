"""What the rest of Tilescope knows of storage: four verbs.

LMDB is behind it now; a read-only archive file can be tomorrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol


class Store(Protocol):
    """An ordered map from bytes to bytes."""

    def get(self, key: bytes, take: Callable[[memoryview], bytes | None] = bytes) -> bytes | None:
        """The value, or None. `take` makes a copy of what is wanted of it: the value is gone when it returns."""

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""

    def put_many(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all entries, or none."""

    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, bytes] | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""

    def close(self) -> None: ...
