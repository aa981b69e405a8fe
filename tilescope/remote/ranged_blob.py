"""Base of objects that are read by ranges: the state that they had first counts, and short answers are asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilescope.remote.read_ahead import read_ahead, read_at_once
from tilescope.remote.retries import Retries
from tilescope.tiler.blobs import BlobRange, BlobState
from tilescope.tiler.blobs.blob import checked_range
from tilescope.tiler.blobs.noted_state import NotedState
from tilescope.tiler.errors import BlobCut


class RangedBlob:
    """An object of a bucket. A subclass says how its state and a range of it are asked for."""

    def __init__(self, address: str, retries: Retries, state: BlobState | None = None) -> None:
        """`state` is the one that it must have; None: the one that it has when it is asked for first."""
        self._shown = address
        self._retries = retries
        self.noted = NotedState(address, state)

    def look(self) -> BlobState:
        """The state that the object has now, noted. Raises `BlobError`s."""
        raise NotImplementedError

    def get(self, start: int, stop: int) -> bytes:
        """Bytes of the object with the noted state, of another range fewer or more. Raises `BlobError`s."""
        raise NotImplementedError

    @property
    def address(self) -> str:
        return self._shown

    def state(self) -> BlobState:
        return self.noted.now or self.look()

    def read(self, start: int, stop: int) -> bytes:
        checked_range(start, stop)
        stop = min(stop, self.state().size_bytes)
        failures = 0
        while start < stop:
            content = self.get(start, stop)
            if len(content) == stop - start:
                return content
            failures += 1
            if len(content) > stop - start:
                raise BlobCut(self.address, "the bucket sends another range", offset=start, advice="try again")
            if not self._retries.wait(failures):
                raise BlobCut(self.address, "the bucket breaks off", offset=start + len(content), advice="try again")
        return b""

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        return read_at_once(self.read, ranges)

    def stream(self, start: int = 0) -> Iterator[bytes]:
        return read_ahead(self.read, start, self.state().size_bytes)

    def close(self) -> None:
        """Does nothing: connections are shared."""
