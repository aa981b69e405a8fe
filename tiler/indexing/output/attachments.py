"""Writes what the files hold beside their events: the content chunk by chunk, then the list."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import ClassVar

from tilescope.tiler.columns import Attachment
from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker
from tilescope.tiler.pages import compress
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.attachments import CHUNK_BYTES, AttachmentEntry, list_record
from tilescope.tiler.store.store import Entry


class AttachmentRecorder(RecordMaker):
    """The attachments of all files, while their readers are open."""

    records: ClassVar[tuple[Record, ...]] = (ATTACHMENT_CHUNKS, ATTACHMENTS)

    def __init__(self, recording: Recording) -> None:
        self._files = [file.summary for file in recording.run.files]
        self._hosts = recording.layout.hosts

    def last(self) -> Iterator[Entry]:
        """All records."""
        written: list[AttachmentEntry] = []
        for file, (summary, host) in enumerate(zip(self._files, self._hosts, strict=True)):
            for attachment in summary.attachments:
                number, size_bytes, crc32 = len(written), 0, 0
                for place, chunk in enumerate(_chunks(attachment)):
                    size_bytes += len(chunk)
                    crc32 = zlib.crc32(chunk, crc32)
                    yield ATTACHMENT_CHUNKS.key(number, place), compress(chunk)
                label, media_type = attachment.label, attachment.media_type
                written.append(
                    AttachmentEntry(number, host, file, attachment.name, label, media_type, size_bytes, crc32)
                )
        yield ATTACHMENTS.key(), compress(list_record(written))


def _chunks(attachment: Attachment) -> Iterator[bytes]:
    pending = bytearray()
    for piece in attachment.pieces():
        pending += piece
        while len(pending) >= CHUNK_BYTES:
            yield bytes(pending[:CHUNK_BYTES])
            del pending[:CHUNK_BYTES]
    if pending:
        yield bytes(pending)
