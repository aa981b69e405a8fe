"""A blob: one object of bytes, wherever it lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct


class BlobState(Struct, frozen=True):
    """Size and version of an object."""

    size_bytes: int
    etag: str | None  # differs when the bytes do; None where the host tells none, and a change is not noticed


class BlobRange(NamedTuple):
    """Bytes from `start`, up to `stop` without it."""

    start: int
    stop: int


class Blob(Protocol):
    """An object, open for reading, from any thread.

    The first call that asks its host notes the object's state; all bytes are of that object. Methods raise the
    `BlobError`s: BlobMissing, BlobForbidden, BlobChanged where another object lies there by now, BlobCut, NoRanges,
    Throttled, HostUnreachable.
    """

    @property
    def address(self) -> str:
        """Path or URL, for messages and indexes: without credentials."""
        ...

    def state(self) -> BlobState:
        """Size and ETag. Costs no request once something has been read."""
        ...

    def read(self, start: int, stop: int) -> bytes:
        """The bytes of a range; fewer only where the object ends before `stop`. `read(0, n)` is a good first call."""
        ...

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        """The bytes of each range, as `read` returns them: several requests at once where the host is remote."""
        ...

    def stream(self, start: int = 0) -> Iterator[bytes]:
        """All bytes from `start` on, in order, read ahead where the host is remote. Close it when it is left early."""
        ...

    def close(self) -> None:
        """Gives back descriptors, connections and buffers."""
        ...


def checked_range(start: int, stop: int) -> BlobRange:
    """The range. Raises ValueError for one that no object has."""
    if not 0 <= start <= stop:
        raise ValueError(f"no range of bytes: {start} to {stop}")
    return BlobRange(start, stop)
