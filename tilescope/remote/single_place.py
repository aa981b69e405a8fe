"""One object as a place: of web servers, which list nothing, and of a bucket where just one is meant."""

from __future__ import annotations

from collections.abc import Callable

from tilescope.tiler.blobs import MAX_PAGE_ENTRIES, Blob, BlobEntry, BlobState, EntryPage, HeadBlob, PartWriter
from tilescope.tiler.errors import BlobMissing, UsageError


class SinglePlace:
    """A place in which there is one object. `open_object` opens it, in the state that it gets."""

    def __init__(self, address: str, name: str, open_object: Callable[[BlobState | None], Blob]) -> None:
        """`address` is that of the place: the object's own, without its name."""
        self._address = address
        self._name = name
        self._open_object = open_object
        self._head: tuple[BlobState, bytes] | None = None  # what the first listing read of the object

    @property
    def address(self) -> str:
        return self._address

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        if not self._name.startswith(prefix) or (after is not None and self._name <= after) or limit < 1:
            return EntryPage((), None)
        blob = self._open_object(None)
        if self._head is None:  # a look at the object is what comes next
            first = HeadBlob(blob)
            self._head = first.state(), first.head()
        state = blob.state()
        return EntryPage((BlobEntry(self._name, state.size_bytes, state.etag, 0),), None)

    def open(self, name: str, state: BlobState | None = None) -> Blob:
        if name != self._name:
            raise BlobMissing(f"{self._address}/{name}", "there is only one object here")
        head = self._head
        return HeadBlob(self._open_object(state), head[1] if head is not None and head[0] == state else None)

    def put(self, name: str) -> PartWriter:
        raise UsageError(f"{self._address}/{name}: nothing is written here")

    def close(self) -> None:
        """Does nothing: connections are shared."""
