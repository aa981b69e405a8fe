"""Buckets through fsspec, where it is there and obstore is not: by s3fs, gcsfs or adlfs.

Credentials and endpoints are those of the environment, as these packages read them. They take no condition on a range:
the state of an object is looked at behind each one, so that bytes of another object are never handed out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Protocol, cast

from tilescope.remote.address import Address
from tilescope.remote.ranged_blob import RangedBlob
from tilescope.remote.retries import Retries
from tilescope.remote.scratch_writer import ScratchWriter
from tilescope.tiler.blobs import MAX_PAGE_ENTRIES, BlobEntry, BlobState, EntryPage
from tilescope.tiler.blobs.blob_name import checked_name, name_problem
from tilescope.tiler.blobs.mirror import MAX_OBJECTS
from tilescope.tiler.errors import BlobError, BlobForbidden, BlobMissing, HostUnreachable, UsageError

_LISTED_S: Final = 10.0  # a listing serves its pages so long
_NOTHING_LISTED: Final[tuple[float, list[BlobEntry]]] = (0.0, [])

Info = Mapping[str, object]


class FileSystem(Protocol):
    """The part of `fsspec.AbstractFileSystem` that is used. Paths begin with the bucket."""

    def info(self, path: str) -> Info: ...

    def ls(self, path: str, *, detail: bool) -> Sequence[Info]: ...

    def cat_file(self, path: str, *, start: int, end: int) -> bytes: ...

    def put_file(self, local_path: str, path: str, /) -> None: ...

    def invalidate_cache(self) -> None: ...


@contextmanager
def errors_of(address: str) -> Iterator[None]:
    """Turns what packages of fsspec raise into the errors of blobs. Of their messages nothing is told."""
    try:
        yield
    except (BlobError, UsageError):
        raise
    except FileNotFoundError:
        raise BlobMissing(address, "there is no such object or bucket") from None
    except PermissionError:
        advice = "the credentials of the environment may not read it: use others, or have the bucket allow these"
        raise BlobForbidden(address, "the bucket refuses it", advice=advice) from None
    except Exception as error:  # each package has its own
        if "credential" in type(error).__name__.lower():
            advice = "set them in the environment, as for the tools of the cloud"
            raise BlobForbidden(address, "there are no credentials for the bucket", advice=advice) from None
        what = f"the bucket's host does not answer ({type(error).__name__})"
        raise HostUnreachable(address, what, advice="is the endpoint right?") from None


class FsspecBucket:
    """A place: a bucket, or a prefix of one."""

    def __init__(self, address: Address, files: FileSystem | None = None, retries: Retries | None = None) -> None:
        """`files`: the file system in which the bucket lies; None: that of the address and the environment."""
        self._address = address
        self._files = files or _file_system(address)
        self._retries = retries or Retries()
        self._listed = _NOTHING_LISTED
        prefix = address.path.rstrip("/")
        problem = name_problem(prefix) if prefix else None
        if problem is not None:
            raise UsageError(f"{address.shown[:200]!r}: the name {problem}")
        self._top = f"{address.host}/{prefix}".rstrip("/")

    @property
    def address(self) -> str:
        return self._address.shown

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        entries = self._entries(is_first=after is None)
        matches = [entry for entry in entries if entry.name.startswith(prefix)]
        if after is not None:
            matches = [entry for entry in matches if entry.name.encode() > after.encode()]
        page = tuple(matches[: min(limit, MAX_PAGE_ENTRIES)])
        if len(page) == len(matches):
            self._listed = _NOTHING_LISTED
        shown = tuple(entry for entry in page if name_problem(entry.name) is None)
        return EntryPage(shown, page[-1].name if len(page) < len(matches) else None, len(page) - len(shown))

    def open(self, name: str, state: BlobState | None = None) -> FsspecBlob:
        path = f"{self._top}/{checked_name(name)}"
        return FsspecBlob(f"{self.address.rstrip('/')}/{name}", self._files, path, self._retries, state)

    def put(self, name: str) -> FsspecWriter:
        path = f"{self._top}/{checked_name(name)}"
        return FsspecWriter(f"{self.address.rstrip('/')}/{name}", self._files, path)

    def close(self) -> None:
        """Does nothing: file systems are shared."""

    def _entries(self, *, is_first: bool) -> Sequence[BlobEntry]:
        """All objects, in the order of their names: pages of a listing are of one look. Raises `BlobError`s."""
        listed_s, entries = self._listed
        if not is_first and time.monotonic() - listed_s < _LISTED_S:
            return entries
        with errors_of(self.address):
            self._files.invalidate_cache()
            entries = [_entry(info, self._top) for info in self._objects()]
        entries.sort(key=lambda entry: entry.name.encode(errors="surrogatepass"))
        self._listed = time.monotonic(), entries
        return entries

    def _objects(self) -> Iterator[Info]:
        """All objects, folder by folder: `walk` of fsspec leaves out folders that it may not list, and says nothing."""
        folders, count = [self._top], 0
        while folders:
            folder = folders.pop()
            for info in self._files.ls(folder, detail=True):
                count += 1
                if count > MAX_OBJECTS:
                    what = f"has more than {MAX_OBJECTS:,} objects and folders"
                    raise BlobError(self.address, what, advice="name a prefix of them, or install obstore")
                inner = _path(info).rstrip("/")
                if info["type"] == "directory" and inner.startswith(f"{folder}/"):
                    folders.append(inner)
                else:
                    yield info


class FsspecBlob(RangedBlob):
    """An object of a bucket, whose state is looked at behind each range."""

    def __init__(
        self, address: str, files: FileSystem, path: str, retries: Retries, state: BlobState | None = None
    ) -> None:
        super().__init__(address, retries, state)
        self._files = files
        self._path = path

    def look(self) -> BlobState:
        with errors_of(self.address):
            self._files.invalidate_cache()
            return self.noted.note(_state(self._files.info(self._path), self.address))

    def get(self, start: int, stop: int) -> bytes:
        with errors_of(self.address):
            content = bytes(self._files.cat_file(self._path, start=start, end=stop))
        self.look()
        return content


class FsspecWriter(ScratchWriter):
    """Writes an object."""

    def __init__(self, address: str, files: FileSystem, path: str) -> None:
        super().__init__(address)
        self._files = files
        self._path = path

    def send(self) -> BlobState:
        with errors_of(self.address):
            self._files.put_file(self.scratch.name, self._path)
            self._files.invalidate_cache()
            return _state(self._files.info(self._path), self.address)


def _state(info: Info, address: str) -> BlobState:
    size_bytes, etag = info.get("size"), _first(info, "ETag", "etag")
    if info.get("type") == "directory":
        raise BlobMissing(address, "there is no such object or bucket")
    if not isinstance(size_bytes, int) or size_bytes < 0:
        raise HostUnreachable(address, "the bucket's host tells no size")
    return BlobState(size_bytes, etag if isinstance(etag, str) else None)


def _entry(info: Info, top: str) -> BlobEntry:
    name = _path(info).removeprefix(f"{top}/")
    if info["type"] == "directory":  # a folder without a name: what is in it has a name that no file can have
        return BlobEntry(f"{name}/", 0, None, 0)
    state = _state(info, top)
    modified = _first(info, "LastModified", "last_modified", "mtime", "updated")
    modified_ns = int(modified.timestamp()) * 10**9 if isinstance(modified, datetime) else 0
    return BlobEntry(name, state.size_bytes, state.etag, modified_ns)


def _path(info: Info) -> str:
    """A path as the file system has it, from the bucket on."""
    return str(info["name"]).removeprefix("/")


def _first(info: Info, *names: str) -> object:
    return next((info[name] for name in names if info.get(name) is not None), None)


def _file_system(address: Address) -> FileSystem:
    import fsspec

    with errors_of(address.shown):  # packages may look for credentials here
        try:
            files = fsspec.filesystem(address.scheme)
        except ImportError:
            advice = 'install it with: pip install "tilescope[cloud]"'
            raise UsageError(f"{address.shown}: buckets need the package obstore ({advice})") from None
    return cast("FileSystem", files)
