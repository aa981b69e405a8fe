"""What the rest of Tilescope knows of storage: a few verbs.

LMDB's format is behind them now; a read-only archive file can be tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

Entry = tuple[bytes, bytes]  # key and value of a record


class RecordReader(Protocol):
    """An ordered map from bytes to bytes. Whatever reads raises DamagedStore where it is not what was written."""

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""

    def last_at_most(self, key: bytes, prefix: bytes) -> tuple[bytes, bytes] | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""

    def close(self) -> None: ...


class Writer(Protocol):
    """Where such a map is written."""

    def put_many(self, entries: Iterable[Entry]) -> None:
        """Writes all entries, or none."""

    def remove(self, entries: Iterable[bytes]) -> None:
        """Removes entries by their keys."""

    def close(self) -> None: ...
