"""A store, as everything else in Tilescope sees it.

`Store` is what an open run is, wherever it lies: a generation that is published or that grows, today in LMDB's format.
It knows letters and numbers of records (`tiler/records`), and neither paths nor files. Functions that decode what it
returns are in `tiler/lookup`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tilescope.tiler.errors import DamagedStore, NotBuilt
from tilescope.tiler.records.record import Available, Record

Entry = tuple[bytes, bytes]  # key and value of a record
RecordName = tuple[Record, tuple[int, ...]]  # a kind of record, and the numbers of a key
NumberedRecord = tuple[tuple[int, ...], bytes]  # the numbers of its key, and its value

Fetch = Callable[[Sequence[RecordName]], None]


class RecordReader(Protocol):
    """An open file of records, for whatever threads: methods that read compare checksums, and raise StoreErrors."""

    def get(self, key: bytes) -> bytes | None:
        """Returns the value; None where there is none."""
        ...

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        """Yields entries from `first` on in the order of keys, as long as keys begin with `prefix`."""
        ...

    def last_at_most(self, key: bytes, prefix: bytes) -> Entry | None:
        """Returns the entry with the greatest key that is not above this one, if it begins with `prefix`."""
        ...

    def count(self) -> int:
        """Number of entries, as the file gives it."""
        ...

    def size_bytes(self) -> int:
        """Size of the file."""
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """One build of a run, open for reading, from any thread.

    Values are returned as they are stored, most of them one gzip member. While a build grows, methods that read return
    nothing of a record that is not there yet, or raise NotBuilt, as `records.record.Available` has it. They raise
    DamagedStore where a record is not what was written. A store has a `__dict__`, where
    `tiler/lookup` keeps what it has decoded.
    """

    @property
    def build(self) -> str:
        """Id of the build."""
        ...

    @property
    def location(self) -> str:
        """Path or address of the store, for messages."""
        ...

    @property
    def is_growing(self) -> bool:
        """True as long as it is being built, so that its answers may change."""
        ...

    @property
    def fetch(self) -> Fetch | None:
        """Reads records that will be asked for, in few requests; None where nobody waits for one record.

        Where there is one, any read may wait for another machine: an event loop leaves it to a thread.
        """
        ...

    def ungated(self) -> Store:
        """Returns the same records without regard to `Available`: of a store that grows, those written so far."""
        ...

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none."""
        ...

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        ...

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        ...

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys. Raises DamagedStore, too few at the end."""
        ...

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        ...

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as it is stored, with what the API does not show."""
        ...

    def close(self) -> None: ...


class GrowingStore(Store, Protocol):
    """A store that another process is building: it grows until one of these methods is called."""

    def published(self) -> None:
        """Takes note that the build was published: from here on its answers stay as they are."""

    def abandoned(self) -> None:
        """Takes note that it will not be: readers may go on, but nobody needs to keep it."""


def unexpected(location: str, key: bytes) -> DamagedStore:
    """Returns the error for a record that no store has."""
    return DamagedStore(f"{location}: a record that should not be there: {key!r}")


def need(store: Store, record: Record, *numbers: int) -> bytes:
    """Returns the record with these numbers. Raises DamagedStore where there is none, NotBuilt where it may come."""
    value = store.get(record, *numbers)
    if value is None:
        if store.is_growing and record.available is not Available.WITH_TRACK:  # those are there once the gate is open
            raise NotBuilt(f"the run is still being indexed: {record.describe(*numbers)} is not stored yet")
        raise DamagedStore(f"{store.location}: {record.describe(*numbers)} is missing (index the trace again)")
    return value
