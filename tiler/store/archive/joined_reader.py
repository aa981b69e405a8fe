"""Reads the records of a store from the pieces that an archive has of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.store.archive.pieces import RESIDUAL, residual_key
from tilescope.tiler.store.archive.reader import ArchiveReader
from tilescope.tiler.store.store import Entry

_PAGE: Final = PAGE.letter
_RESIDUAL: Final = RESIDUAL.letter
_BEHIND_RESIDUALS: Final = bytes([_RESIDUAL[0] + 1])


class JoinedReader:
    """A `RecordReader` of an archive: pages are there with what was rounded off their bins."""

    def __init__(self, pieces: ArchiveReader) -> None:
        """`pieces` is closed with it."""
        self._pieces = pieces

    def get(self, key: bytes) -> bytes | None:
        """The value, or None. Raises DamagedStore, as all that reads does."""
        if key[:1] == _RESIDUAL:  # a piece is no record
            return None
        value = self._pieces.get(key)
        return value if value is None else self._whole(key, value)

    def fetch(self, keys: Sequence[bytes]) -> None:
        """As `ArchiveReader.fetch`."""
        self._pieces.fetch(keys)
        self._pieces.fetch([residual_key(key) for key in keys if key[:1] == _PAGE])

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        """Entries from `first` on in key order, as long as keys begin with `prefix`."""
        residuals: Iterator[Entry] | None = None
        residual: Entry | None = None
        for key, value in self._pieces.scan(first, prefix):
            if key[:1] == _RESIDUAL:
                break
            if key[:1] != _PAGE:
                yield key, value
                continue
            wanted = residual_key(key)
            if residuals is None:
                # A scan beside the other one: a page at a time would be a request for each.
                start = residual_key(first) if first[:1] == _PAGE else _RESIDUAL
                residuals = self._pieces.scan(start, _RESIDUAL + prefix[1:])
                residual = next(residuals, None)
            if residual is not None and residual[0] < wanted:
                raise self._without_page(residual[0])
            rest = b""
            if residual is not None and residual[0] == wanted:
                rest, residual = residual[1], next(residuals, None)
            yield key, value + rest
        else:
            return
        if residual is not None:
            raise self._without_page(residual[0])
        yield from self._pieces.scan(max(first, _BEHIND_RESIDUALS), prefix)

    def last_at_most(self, key: bytes, prefix: bytes) -> Entry | None:
        """The entry with the greatest key that is at most `key`, if it begins with `prefix`."""
        entry = self._pieces.last_at_most(key, prefix)
        return None if entry is None else (entry[0], self._whole(*entry))

    def count(self) -> int:
        """Number of records. Reads up to two leaves."""
        pieces = self._pieces
        residuals = pieces.entries_before(_BEHIND_RESIDUALS) - pieces.entries_before(_RESIDUAL)
        return pieces.count() - residuals

    def size_bytes(self) -> int:
        """Size of the file."""
        return self._pieces.size_bytes()

    def close(self) -> None:
        """Closes the file."""
        self._pieces.close()

    def _without_page(self, key: bytes) -> DamagedStore:
        what = RESIDUAL.describe(*RESIDUAL.numbers_in(key))
        return DamagedStore(f"{self._pieces.location}: {what}: there is no such page")

    def _whole(self, key: bytes, value: bytes) -> bytes:
        return value + (self._pieces.get(residual_key(key)) or b"") if key[:1] == _PAGE else value
