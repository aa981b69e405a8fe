"""A place: what holds objects by name, such as a folder, or a prefix of a bucket."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Protocol, Self

from msgspec import Struct

from tilescope.tiler.blobs.blob import Blob, BlobState

MAX_PAGE_ENTRIES: Final = 1000  # what S3, GCS and Azure send at most for one request


class BlobEntry(Struct, frozen=True):
    """An object as it is listed, without being opened."""

    name: str  # below the place, folders separated by `/`
    size_bytes: int
    etag: str | None
    modified_ns: int  # since the epoch; 0 where the host does not tell


class EntryPage(Struct, frozen=True):
    """A part of a listing."""

    entries: tuple[BlobEntry, ...]  # in the order of their names in UTF-8
    next_after: str | None  # `after` of the next page; None behind the last one
    refused: int = 0  # names that are left out of this page: `blob_name` says why


class PartWriter(Protocol):
    """Writes one object in parts. As a context it is aborted where it was not committed."""

    def write(self, data: bytes, /) -> None:
        """Appends bytes, as many as one likes. Raises `BlobError`s and DiskFull."""
        ...

    def commit(self) -> BlobState:
        """Publishes the object under its name, in place of what is there: at once, and whole."""
        ...

    def abort(self) -> None:
        """Leaves nothing of it. Does nothing after `commit`."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.abort()


class BlobPlace(Protocol):
    """Objects by their names, from any thread. Methods raise `BlobError`s, and UsageError for a name that none has."""

    @property
    def address(self) -> str:
        """Path or URL, for messages and indexes: without credentials."""
        ...

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        """Up to `limit` objects whose names begin so and come behind `after`, in all folders below the place."""
        ...

    def open(self, name: str, state: BlobState | None = None) -> Blob:
        """The object of this name, which must be in the state that was listed, if there is one. Asks nobody yet."""
        ...

    def put(self, name: str) -> PartWriter:
        """Begins to write the object of this name."""
        ...

    def close(self) -> None:
        """Gives back connections."""
        ...
