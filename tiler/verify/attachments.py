"""Attachments: the list names what is there, and each is what was stored."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.attachments import CHUNK_BYTES, listed
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally


class AttachmentCheck:
    """Takes all chunks in the order of their keys."""

    def __init__(self, store: Store, files: int, tally: Tally) -> None:
        """Raises DamagedStore when there is no list, or when it names something twice."""
        self._store = store
        self._tally = tally
        record = store.get(ATTACHMENTS)
        if record is None:
            raise self._error("the list of attachments is missing")
        inflate(record)
        self._entries = listed(record)
        if any(not 0 <= entry.file < files for entry in self._entries):
            raise self._error("the list of attachments names a file that is not there")
        twice = [key for key, n in Counter((entry.file, entry.name) for entry in self._entries).items() if n > 1]
        if twice:
            raise self._error(f"the list of attachments has {twice[0][1]!r} twice")
        self._entry_index = 0  # the attachment whose chunks come
        self._chunk = 0
        self._crc32 = 0
        self._pass_whole()

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {ATTACHMENT_CHUNKS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """The next chunk. Raises DamagedStore."""
        place = ATTACHMENT_CHUNKS.numbers_in(key)
        if self._entry_index == len(self._entries) or place < (self._entry_index, self._chunk):
            raise unexpected(self._store.location, key)
        if place != (self._entry_index, self._chunk):
            raise self._missing()
        entry = self._entries[self._entry_index]
        data = inflate(value)
        if len(data) != min(CHUNK_BYTES, entry.size_bytes - self._chunk * CHUNK_BYTES):
            raise self._error(f"attachment {entry.id} ({entry.name!r}): chunk {self._chunk} has {len(data):,} bytes")
        self._crc32 = zlib.crc32(data, self._crc32)
        self._chunk += 1
        self._pass_whole()

    def finish(self) -> None:
        """All chunks have been taken. Raises DamagedStore."""
        if self._entry_index < len(self._entries):
            raise self._missing()

    def _pass_whole(self) -> None:
        """Goes on to the next attachment of which chunks are to come."""
        while self._entry_index < len(self._entries) and self._chunk == self._entries[self._entry_index].chunks:
            entry = self._entries[self._entry_index]
            if self._crc32 != entry.crc32:
                what = f"its CRC-32 is {self._crc32:08x}, the list says {entry.crc32:08x}"
                raise self._error(f"attachment {entry.id} ({entry.name!r}): {what}")
            self._tally["attachments"] += 1
            self._tally["attached_bytes"] += entry.size_bytes
            self._entry_index, self._chunk, self._crc32 = self._entry_index + 1, 0, 0

    def _missing(self) -> DamagedStore:
        entry = self._entries[self._entry_index]
        return self._error(f"attachment {entry.id} ({entry.name!r}): chunk {self._chunk} is missing")

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._store.location}: {what}")
