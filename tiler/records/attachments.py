"""Records of attachments."""

from __future__ import annotations

from tilescope.tiler.records.record import Available, Record

ATTACHMENTS = Record(
    "I",
    "",
    "the list of attachments",
    Available.AT_ONCE,
    doc="what the files of the run have beside their events, with sizes and checksums",
    proof="the chunks",
)
ATTACHMENT_CHUNKS = Record(
    "B",
    "attachment chunk",
    "attachment {attachment}, chunk {chunk}",
    Available.AT_ONCE,
    doc="what is in an attachment",
    proof="size and checksum of the list",
)
