"""Every error that Tilescope raises on purpose.

    TilescopeError
    ├── TraceError            the trace is bad: path, byte offset, advice
    │   ├── UnknownFormat     not a trace that we know
    │   ├── DamagedTrace      was one once
    │   ├── TooMany           has more tracks or names than there is memory for
    │   ├── FormatFailed      the format of another package is broken: which, and where
    │   ├── ChangedTrace      is another one than when we began to read it
    │   └── TooLarge          inflates to more than it may
    ├── StoreError            the store is bad
    │   ├── NoStore           nothing published there
    │   ├── NotBuilt          not there yet: the store is still being built
    │   │   └── StoredLast    what is stored for the run as a whole, when all of its tracks are done
    │   ├── StoreVersion      written by another version
    │   ├── DiskFull          no room to write it: how much is needed, how much is free
    │   └── DamagedStore      a page or a record is wrong: track, level, tile
    ├── BlobError             bytes at an address cannot be read or written
    │   ├── BlobMissing       there is nothing
    │   ├── BlobForbidden     the credentials that are there do not suffice, or there are none
    │   ├── BlobChanged       is another object than when we began to read it
    │   ├── BlobCut           ends, or its host breaks off, before what was asked for
    │   ├── NoRanges          its host serves it only whole
    │   ├── Throttled         its host has too many requests, and had after all pauses
    │   └── HostUnreachable   its host does not answer
    ├── OutOfMemory           the system gives no more memory, address space or threads
    ├── Cancelled             somebody asked for the work to stop
    ├── NotAvailable          the run has no answer to a question: why, and what to record to get one
    ├── ToolFailed            a tool of another package is broken: which, and where
    └── UsageError            the command line asks for something impossible

They know nothing of HTTP or exit codes: `tilescope.cli` and `tilescope.server` have one table each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilescope.tiler.path_names import path_name

NOTHING_THERE: Final = "there is no such file or folder"  # behind a path, whatever should have been there


class TilescopeError(Exception):
    """Base of all. `str()` is one line that a person can act on."""


class TraceError(TilescopeError):
    """The trace cannot be read."""

    def __init__(self, path: Path | str, what: str, *, offset: int | None = None, advice: str = "") -> None:
        self.path = path_name(path)
        self.what = what
        self.offset = offset
        self.advice = advice
        where = self.path if offset is None else f"{self.path}: byte {offset:,}"
        super().__init__(f"{where}: {what}" + (f" ({advice})" if advice else ""))


class UnknownFormat(TraceError):
    """The content is of no format that we know."""


class DamagedTrace(TraceError):
    """The format is known, the content is damaged beyond what may be skipped."""


class TooMany(TraceError):
    """It has more of what must be kept in memory than indexing may take."""


class FormatFailed(TraceError):
    """The format of another package raised what it must not, or gave what are no events."""


class ChangedTrace(TraceError):
    """The file was written, or shortened, while it was read: what has been read of it may be wrong."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path, "changed while it was read", advice="index it again when it is complete")


class TooLarge(TraceError):
    """The content inflates to more bytes than are allowed."""


class StoreError(TilescopeError):
    """The store cannot be used."""


class NoStore(StoreError):
    """There is no published generation."""


class NotBuilt(StoreError):
    """The store is still being built, and what was asked for is not in it yet."""


class StoredLast(NotBuilt):
    """A record of the run as a whole is not stored yet: the last of its tracks are still being built."""


class StoreVersion(StoreError):
    """The store was written by another version of Tilescope."""


class DiskFull(StoreError):
    """There is no room left to write the store, or what is needed to make it.

    The message says about how much is needed, and how much is free. `needed_bytes` is what could not be had at once.
    """

    def __init__(self, message: str, needed_bytes: int = 0) -> None:
        self.needed_bytes = needed_bytes
        super().__init__(message)


class DamagedStore(StoreError):
    """A record of the store is not what it should be. The message names track, level and tile."""


class StoresDiffer(TilescopeError):
    """Two stores that should hold the same do not. The message names the first entry that differs."""


class BlobError(TilescopeError):
    """Bytes that lie at an address, local or remote, cannot be read or written. Addresses are without credentials."""

    def __init__(self, address: str, problem: str, *, offset: int | None = None, advice: str = "") -> None:
        self.address = address
        self.problem = problem
        self.offset = offset
        self.advice = advice
        where = address if offset is None else f"{address}: byte {offset:,}"
        super().__init__(f"{where}: {problem}" + (f" ({advice})" if advice else ""))


class BlobMissing(BlobError):
    """Nothing lies at the address: no object, or no bucket or folder that could hold one."""


class BlobForbidden(BlobError):
    """The host refuses it to this process and its credentials."""


class BlobChanged(BlobError):
    """The object was replaced while it was read: bytes of two objects never mix."""

    def __init__(self, address: str) -> None:
        super().__init__(address, "changed while it was read", advice="read it again when it is complete")


class BlobCut(BlobError):
    """Fewer bytes came than the object's size promises, after all attempts."""


class NoRanges(BlobError):
    """The host does not serve ranges of bytes, and they are needed."""


class Throttled(BlobError):
    """The host has refused too many requests, in spite of pauses between them."""


class HostUnreachable(BlobError):
    """The host does not answer, or not as a host of objects does."""


class OutOfMemory(TilescopeError):
    """There is no more memory to be had. The message names the limits that are set."""


class Cancelled(TilescopeError):
    """The work was stopped on request."""


class NotAvailable(TilescopeError):
    """The trace does not have what a tool needs. The message says what that is, and what to record to get it."""


class ToolFailed(TilescopeError):
    """A tool of another package raised what it must not, or gave what is no answer."""


class UsageError(TilescopeError):
    """The request makes no sense."""
