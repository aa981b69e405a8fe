"""A blob whose beginning is read once and kept: a look at what it is shares the request with what reads it then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilescope.tiler.blobs.blob import Blob, BlobRange, BlobState, checked_range

HEAD_BYTES: Final = 64 << 10  # of an archive: header, root, boot directory and, of a small run, all boot records


class HeadBlob:
    """A blob. Its state and its first `HEAD_BYTES` come with the first request."""

    def __init__(self, blob: Blob, head: bytes | None = None) -> None:
        """`head`: the first bytes, where they were read before, of the object in the state that `blob` must have."""
        self._blob = blob
        self._head = head

    @property
    def address(self) -> str:
        return self._blob.address

    def head(self) -> bytes:
        """The first `HEAD_BYTES`, or the whole object."""
        if self._head is None:
            self._head = self._blob.read(0, HEAD_BYTES)
        return self._head

    def state(self) -> BlobState:
        self.head()
        return self._blob.state()

    def read(self, start: int, stop: int) -> bytes:
        checked_range(start, stop)
        head = self.head()
        return head[start:stop] if self._is_in_head(stop) else self._blob.read(start, stop)

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        head = self.head()
        behind = iter(self._blob.read_many([place for place in ranges if not self._is_in_head(place.stop)]))
        return [head[slice(*place)] if self._is_in_head(place.stop) else next(behind) for place in ranges]

    def stream(self, start: int = 0) -> Iterator[bytes]:
        return self._blob.stream(start)

    def close(self) -> None:
        self._blob.close()

    def _is_in_head(self, stop: int) -> bool:
        return stop <= len(self.head()) or len(self.head()) < HEAD_BYTES
