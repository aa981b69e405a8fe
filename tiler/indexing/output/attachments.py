"""Writes what the files hold beside their events: the content chunk by chunk, then the list."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

from tilescope.tiler.columns import Attachment, TraceSummary
from tilescope.tiler.pages import compress
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.store.attachments import CHUNK_BYTES, AttachmentEntry, list_record
from tilescope.tiler.store.store import Entry


def attachment_entries(summaries: Sequence[TraceSummary], hosts: Sequence[str]) -> Iterator[Entry]:
    """All records. `hosts`: that of each file. To be taken while the readers are open."""
    written: list[AttachmentEntry] = []
    for file, (summary, host) in enumerate(zip(summaries, hosts, strict=True)):
        for attachment in summary.attachments:
            number, size_bytes, crc32 = len(written), 0, 0
            for place, chunk in enumerate(_chunks(attachment)):
                size_bytes += len(chunk)
                crc32 = zlib.crc32(chunk, crc32)
                yield ATTACHMENT_CHUNKS.key(number, place), compress(chunk)
            label, media_type = attachment.label, attachment.media_type
            written.append(AttachmentEntry(number, host, file, attachment.name, label, media_type, size_bytes, crc32))
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
