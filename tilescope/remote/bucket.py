"""Buckets of S3, Google Cloud Storage and Azure, through obstore: the extra `cloud`.

Credentials and endpoints are those of the environment, as obstore reads them (`AWS_…`, `GOOGLE_…`, `AZURE_…`, roles of
machines). Retries with pauses, within a request and for refused ones, are obstore's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tilescope.remote.address import Address
from tilescope.remote.ranged_blob import RangedBlob
from tilescope.remote.read_ahead import PIECE_BYTES, PIECES_AHEAD
from tilescope.remote.retries import Retries
from tilescope.remote.scratch_writer import ScratchWriter
from tilescope.tiler.blobs import MAX_PAGE_ENTRIES, BlobEntry, BlobState, EntryPage
from tilescope.tiler.blobs.blob_name import checked_name, name_problem
from tilescope.tiler.errors import (
    BlobChanged,
    BlobError,
    BlobForbidden,
    BlobMissing,
    HostUnreachable,
    Throttled,
    UsageError,
)

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import ObjectStore

RETRIES: Final = 6
# A request has 30 s, and is continued behind what has come: 32 MiB, four at once, on a line of 6 Mbit/s.
_RETRY_S: Final = 180
_STATUS: Final = re.compile(r"status(?: code)?:? ?(\d{3})\b", re.IGNORECASE)
_THROTTLED: Final = re.compile(r"\b(429|503)\b|SlowDown|TooManyRequests")
_NO_BUCKET: Final = re.compile(r"NoSuchBucket|ContainerNotFound")
_BAD_NAME: Final = re.compile(r"Encountered object with invalid path")
_NO_CREDENTIALS: Final = re.compile(
    r"credential|Account must be specified|169\.254\.169\.254|metadata\.google", re.IGNORECASE
)


@contextmanager
def errors_of(address: str) -> Iterator[None]:
    """Turns the errors of obstore into those of blobs, without the addresses and headers that its messages may have."""
    from obstore import exceptions

    try:
        yield
    except FileNotFoundError:
        raise BlobMissing(address, "there is no such object or bucket") from None
    except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError):
        raise _refusal(address) from None
    except exceptions.PreconditionError:
        raise BlobChanged(address) from None
    except exceptions.BaseError as error:
        raise _failure(address, str(error)) from None


def _failure(address: str, message: str) -> BlobError:
    """The error for a message of obstore, of which nothing but its kind is told."""
    if _BAD_NAME.search(message):  # obstore ends a listing at the first of them
        what = "an object has a name that leads out of its place or cannot be shown: no listing is possible"
        return BlobError(address, what, advice="name a prefix without such objects, or an object")
    if _THROTTLED.search(message):
        return Throttled(address, "the bucket has too many requests, after all pauses", advice="try later")
    if _NO_CREDENTIALS.search(message):
        advice = "set them in the environment, as for the tools of the cloud"
        return BlobForbidden(address, "there are no credentials for the bucket", advice=advice)
    if _NO_BUCKET.search(message):
        return BlobMissing(address, "there is no such bucket")
    status = _STATUS.search(message)
    if status is not None and status[1] in ("401", "403"):  # as it says of a listing
        return _refusal(address)
    what = f"answers with status {status[1]}" if status is not None else "does not answer"
    return HostUnreachable(address, f"the bucket's host {what}", advice="is the endpoint right?")


def _refusal(address: str) -> BlobForbidden:
    advice = "the credentials of the environment may not read it: use others, or have the bucket allow these"
    return BlobForbidden(address, "the bucket refuses it", advice=advice)


class Bucket:
    """A place: a bucket, or a prefix of one."""

    def __init__(self, address: Address, store: ObjectStore | None = None, retries: Retries | None = None) -> None:
        """`store` is of the bucket as a whole; None: that of the environment."""
        self._address = address
        self._prefix = address.path.rstrip("/")
        problem = name_problem(self._prefix) if self._prefix else None
        if problem is not None:
            raise UsageError(f"{address.shown[:200]!r}: the name {problem}")
        self._store = store or _open_store(address)
        self._patience = retries or Retries()

    @property
    def address(self) -> str:
        return self._address.shown

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        import obstore

        limit = min(limit, MAX_PAGE_ENTRIES)
        top = self._key("")
        folder = self._key(prefix.rpartition("/")[0])  # a listing of obstore begins at a folder
        entries: list[BlobEntry] = []
        seen = refused = 0
        last = after
        with errors_of(self.address):
            stream = obstore.list(
                self._store, folder or None, offset=None if after is None else self._key(after), chunk_size=limit + 1
            )
            for batch in stream:
                for item in batch:
                    name = item["path"].removeprefix(f"{top}/") if top else item["path"]
                    if not name.startswith(prefix):
                        if name.encode() > prefix.encode():  # none that comes behind it does
                            return EntryPage(tuple(entries), None, refused)
                        continue
                    if seen == limit:
                        return EntryPage(tuple(entries), last, refused)
                    seen, last = seen + 1, name
                    if name_problem(name) is not None:
                        refused += 1
                        continue
                    modified_ns = int(item["last_modified"].timestamp()) * 10**9  # whole seconds, as S3 has them
                    entries.append(BlobEntry(name, item["size"], item["e_tag"], modified_ns))
        return EntryPage(tuple(entries), None, refused)

    def open(self, name: str, state: BlobState | None = None) -> BucketBlob:
        key = self._key(checked_name(name))
        return BucketBlob(f"{self.address.rstrip('/')}/{name}", self._store, key, self._patience, state)

    def whole(self) -> BucketBlob:
        """The object at this very address."""
        return BucketBlob(self.address, self._store, self._prefix, self._patience)

    def put(self, name: str) -> BucketWriter:
        return BucketWriter(f"{self.address.rstrip('/')}/{name}", self._store, self._key(checked_name(name)))

    def close(self) -> None:
        """Does nothing: obstore closes connections that are not used."""

    def _key(self, name: str) -> str:
        return f"{self._prefix}/{name}".strip("/") if self._prefix else name


class BucketBlob(RangedBlob):
    """An object of a bucket, which takes conditions on ranges."""

    def __init__(
        self, address: str, store: ObjectStore, key: str, retries: Retries, state: BlobState | None = None
    ) -> None:
        super().__init__(address, retries, state)
        self._store = store
        self._key = key

    def look(self) -> BlobState:
        import obstore

        with errors_of(self.address):
            meta = obstore.head(self._store, self._key)
        return self.noted.note(BlobState(meta["size"], meta["e_tag"]))

    def get(self, start: int, stop: int) -> bytes:
        import obstore

        etag = self.state().etag
        condition: GetOptions = {} if etag is None else {"if_match": etag}
        with errors_of(self.address):
            result = obstore.get(self._store, self._key, options={"range": (start, stop), **condition})
            self.noted.note(BlobState(result.meta["size"], result.meta["e_tag"]))
            content = bytes(result.bytes())
        return content if tuple(result.range) == (start, stop) else b""


class BucketWriter(ScratchWriter):
    """Writes an object, in parts."""

    def __init__(self, address: str, store: ObjectStore, key: str) -> None:
        super().__init__(address)
        self._store = store
        self._key = key

    def send(self) -> BlobState:
        import obstore

        try:
            with errors_of(self.address):
                result = obstore.put(
                    self._store, self._key, self.scratch, chunk_size=PIECE_BYTES, max_concurrency=PIECES_AHEAD
                )
            return BlobState(self.size_bytes, result["e_tag"])
        except BlobMissing:  # or its parts were put together, and the answer did not come: then they are gone
            return self._put_together()

    def _put_together(self) -> BlobState:
        """The object, if it is there with these parts. Raises BlobMissing where not."""
        import obstore

        with errors_of(self.address):
            meta = obstore.head(self._store, self._key)
        state = BlobState(meta["size"], meta["e_tag"])
        if state != BlobState(self.size_bytes, self._etag_of_parts()):
            raise BlobMissing(self.address, "the parts of the object were gone before it was whole", advice="try again")
        return state

    def _etag_of_parts(self) -> str:
        """The ETag that S3 gives an object in parts: the MD5 of their MD5s, and how many there are."""
        digests = []
        self.scratch.seek(0)
        while part := self.scratch.read(PIECE_BYTES):
            digests.append(hashlib.md5(part, usedforsecurity=False).digest())
        return f'"{hashlib.md5(b"".join(digests), usedforsecurity=False).hexdigest()}-{len(digests)}"'


def _open_store(address: Address) -> ObjectStore:
    try:
        from obstore.store import from_url
    except ImportError:
        advice = 'install it with: pip install "tilescope[cloud]"'
        raise UsageError(f"{address.shown}: buckets need the package obstore ({advice})") from None

    with errors_of(address.shown):  # without client options: they would take the place of the environment's
        try:
            return from_url(
                address.origin,
                retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=_RETRY_S)},
            )
        except ValueError:
            raise UsageError(f"{address.shown}: no bucket can have this name") from None
