"""Bytes of an archive: neighbours in one range, the beginning of the file kept, errors of blobs as those of stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from tilescope.tiler.blobs import Blob, BlobRange
from tilescope.tiler.blobs.head_blob import HEAD_BYTES
from tilescope.tiler.errors import BlobChanged, BlobError, BlobMissing, DamagedStore, NoStore, StoreError

# A request costs a round trip of 30 to 100 ms: as long as it takes to get 32 kB at 5 Mbit/s.
GAP_BYTES: Final = 32 << 10

# Of ranges that are read at once.
BATCH_BYTES: Final = 4 << 20


@contextmanager
def store_errors(location: str) -> Iterator[None]:
    """Within the block a `BlobError` is a StoreError, BlobMissing a NoStore."""
    try:
        yield
    except BlobMissing as error:
        raise NoStore(str(error)) from error
    except BlobChanged as error:
        raise StoreError(f"{location}: the archive was replaced while it was open (open it again)") from error
    except BlobError as error:
        raise StoreError(str(error)) from error


class Ranges:
    """Reads places in a blob. The first `HEAD_BYTES` are read once and kept."""

    def __init__(self, blob: Blob) -> None:
        """Raises NoStore, StoreError."""
        self._blob = blob
        self.location = blob.address
        with store_errors(self.location):
            self._head = blob.read(0, HEAD_BYTES)
            self.size = blob.state().size_bytes

    @property
    def head(self) -> bytes:
        """The beginning of the file."""
        return self._head

    def read(self, place: BlobRange) -> bytes:
        """Returns the bytes of a place. Raises StoreError; DamagedStore where the file ends before."""
        if place.stop <= len(self._head):
            return self._head[place.start : place.stop]
        with store_errors(self.location):
            return self._whole(self._blob.read(*place), place)

    def read_many(self, places: Sequence[BlobRange]) -> list[bytes]:
        """Returns the bytes of places, in order. Those that lie less than `GAP_BYTES` apart are read together."""
        merged = merge_neighbours([place for place in places if place.stop > len(self._head)])
        with store_errors(self.location):
            parts = [self._whole(part, span) for part, span in zip(self._blob.read_many(merged), merged, strict=True)]
        return [self._cut(place, merged, parts) for place in places]

    def close(self) -> None:
        """Closes the blob."""
        self._blob.close()

    def _cut(self, place: BlobRange, merged: Sequence[BlobRange], parts: Sequence[bytes]) -> bytes:
        if place.stop <= len(self._head):
            return self._head[place.start : place.stop]
        for span, part in zip(merged, parts, strict=True):
            if span.start <= place.start and place.stop <= span.stop:
                return part[place.start - span.start : place.stop - span.start]
        raise AssertionError(f"{place} is in none of the ranges")

    def _whole(self, data: bytes, place: BlobRange) -> bytes:
        if len(data) != place.stop - place.start:
            end = place.start + len(data)
            raise DamagedStore(f"{self.location}: byte {end:,}: the archive is cut short (copy it anew)")
        return data


def merge_neighbours(places: Sequence[BlobRange]) -> list[BlobRange]:
    """Ranges that hold all places, in the order of the file: of `BATCH_BYTES` at most, unless one place is longer."""
    merged: list[BlobRange] = []
    for place in sorted(places):
        if merged and place.start - merged[-1].stop <= GAP_BYTES and place.stop - merged[-1].start <= BATCH_BYTES:
            merged[-1] = BlobRange(merged[-1].start, max(merged[-1].stop, place.stop))
        else:
            merged.append(place)
    return merged
