"""The attachments of a run: what the store keeps of its files beside their events, for tools.

The list is one record, the content of each lies in chunks, each a gzip member of its own.
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from isal import isal_zlib
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore, StoredLast, UsageError
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.store.store import Store, need
from tilescope.tiler.store.two_threads import for_each

# Of the content, uncompressed; the last chunk of an attachment may be shorter. Inflated in half a millisecond.
CHUNK_BYTES: Final = 256 << 10

_AT_ONCE: Final = 64  # chunks, between two turns: some tens of milliseconds

_SHOWN: Final = 5  # names in a message


class AttachmentEntry(Struct, frozen=True):
    """One line of the list."""

    id: int  # its place in the list
    host: str
    file: int  # index into the manifest's `files`
    name: str  # such as "hlo/7"; no other of its file has it
    label: str  # what the trace calls it
    media_type: str
    size_bytes: int
    crc32: int  # of the content

    @property
    def chunks(self) -> int:
        """Number of chunks it lies in."""
        return -(-self.size_bytes // CHUNK_BYTES)

    def to_json(self) -> dict[str, Any]:
        """As docs/api.md has it."""
        return {
            "id": self.id,
            "host": self.host,
            "file": self.file,
            "name": self.name,
            "label": self.label,
            "media_type": self.media_type,
            "size_bytes": str(self.size_bytes),
            "crc32": f"{self.crc32:08x}",
        }

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> AttachmentEntry:
        """The inverse. Raises KeyError, TypeError or ValueError."""
        texts = [entry[key] for key in ("host", "name", "label", "media_type", "size_bytes", "crc32")]
        if not all(isinstance(text, str) for text in texts) or not re.fullmatch("[0-9]{1,18}", entry["size_bytes"]):
            raise ValueError("an attachment that makes no sense")
        return cls(
            int(entry["id"]),
            entry["host"],
            int(entry["file"]),
            entry["name"],
            entry["label"],
            entry["media_type"],
            int(entry["size_bytes"]),
            int(entry["crc32"], 16),
        )


def list_record(entries: Sequence[AttachmentEntry]) -> bytes:
    """The list as it is stored, uncompressed."""
    listed = {"attachments": [entry.to_json() for entry in entries]}
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def listed(record: bytes) -> tuple[AttachmentEntry, ...]:
    """The list, from its compressed record. Raises DamagedStore."""
    try:
        entries = tuple(AttachmentEntry.from_json(entry) for entry in json.loads(decompress(record))["attachments"])
        if any(entry.id != place for place, entry in enumerate(entries)):
            raise ValueError("attachments out of order")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamagedStore(f"the list of attachments is damaged: {error}") from error
    return entries


def attachments_of(store: Store) -> tuple[AttachmentEntry, ...]:
    """The attachments of an open store. Raises StoredLast while it is built, DamagedStore."""
    record = store.get(ATTACHMENTS)
    if record is None and store.is_growing:
        raise StoredLast("the run is still being indexed: what it holds beside its events is not stored yet")
    return () if record is None else listed(record)


@lru_cache(8)
def _kept(record: bytes) -> tuple[AttachmentEntry, ...]:
    return listed(record)


def entry_of(record: bytes, number: int) -> AttachmentEntry | None:
    """The attachment of that id in a compressed list, which is decoded once. Raises DamagedStore."""
    entries = _kept(record)
    return entries[number] if 0 <= number < len(entries) else None


def find(entries: Sequence[AttachmentEntry], name: str, host: str | None = None) -> AttachmentEntry:
    """The attachment of that name, of that host if one is given. Raises UsageError where there is none, or several."""
    of_host = [entry for entry in entries if host in (None, entry.host)]
    matches = [entry for entry in of_host if entry.name == name]
    if len(matches) == 1:
        return matches[0]
    where = "" if host is None else f" of host {host!r}"
    if matches:
        hosts = dict.fromkeys(entry.host for entry in matches)
        if len(hosts) == len(matches):
            raise UsageError(f"several hosts have an attachment {name!r}: say which ({_name_list(list(hosts))})")
        raise UsageError(f"{len(matches)} files{where} have an attachment {name!r}: take one by its id from the list")
    if host is not None and not of_host:
        raise UsageError(
            f"no attachment is of a host {host!r} ({_name_list(list(dict.fromkeys(e.host for e in entries)))})"
        )
    there = _name_list([entry.name for entry in of_host])
    raise UsageError(f"there is no attachment {name!r}{where} ({f'there are {there}' if there else 'there are none'})")


def content(store: Store, entry: AttachmentEntry, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The bytes [start, end) of the content, chunk by chunk.

    Raises DamagedStore; where all is read, also when it is not what was stored.
    """
    end = entry.size_bytes if end is None else min(end, entry.size_bytes)
    crc = 0
    for number in range(start // CHUNK_BYTES, -(-end // CHUNK_BYTES) if end > start else 0):
        data = _inflated(store, entry, number)
        first = number * CHUNK_BYTES
        crc = isal_zlib.crc32(data, crc)
        yield data[max(0, start - first) : end - first]
    if start == 0 and end == entry.size_bytes:
        _check(entry, crc)


def whole_content(store: Store, entry: AttachmentEntry) -> Generator[None, None, NDArray[np.uint8]]:
    """All of the content, which two threads read and inflate. Raises DamagedStore."""
    # Each thread touches what it writes. Not of `numpy.empty`, which asks for pages of 2 MB: where a virtual machine
    # has not used them yet, they took 5 ms each. And private: the pages of memory that may be shared took half as long
    # again.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    room = mmap.mmap(-1, entry.size_bytes, flags) if entry.size_bytes else b""
    whole = np.frombuffer(room, np.uint8)

    def put(number: int, into: NDArray[np.uint8]) -> None:
        data = _inflated(store, entry, number)
        into[number * CHUNK_BYTES :][: len(data)] = np.frombuffer(data, np.uint8)

    yield from for_each(range(entry.chunks), put, whole, whole, _AT_ONCE)
    _check(entry, isal_zlib.crc32(whole.data))
    return whole


def _inflated(store: Store, entry: AttachmentEntry, number: int) -> bytes:
    data = decompress(need(store, ATTACHMENT_CHUNKS, entry.id, number))
    if len(data) != min(CHUNK_BYTES, entry.size_bytes - number * CHUNK_BYTES):
        raise DamagedStore(f"chunk {number} of attachment {entry.id} has {len(data):,} bytes")
    return data


def _check(entry: AttachmentEntry, crc: int) -> None:
    if crc != entry.crc32:
        raise DamagedStore(f"attachment {entry.id} is not what was stored: its CRC-32 is {crc:08x}")


def _name_list(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
