"""Uploads: traces that a browser sends, in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Decimal

MOST_UPLOAD_FILES = 2000  # of which the names fit into the body of a request
UPLOAD_PIECE_BYTES = 8 << 20

UploadState = Literal["arriving", "listed"]


class UploadFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that is going to be sent."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=1024, description="With the folders that it is in, `/` between them."),
    ]
    size_bytes: Annotated[str, Meta(pattern="^[0-9]{1,18}$", extra_json_schema={"format": "int64"})]
    modified_ms: Annotated[
        str,
        Meta(
            pattern="^[0-9]{1,18}$",
            extra_json_schema={"format": "int64"},
            description="Milliseconds since the epoch.",
        ),
    ]


class UploadOrder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Order of an upload."""

    files: Annotated[Sequence[UploadFile], Meta(min_length=1, max_length=MOST_UPLOAD_FILES)]


class Upload(Struct, frozen=True, kw_only=True):
    """An upload, and how far it is."""

    id: str
    state: Annotated[UploadState, Meta(description="arriving: bytes are missing; listed: its runs are in the list.")]
    received_bytes: Annotated[Sequence[Decimal], Meta(description="Of each file, in the order of the files.")]
    runs: Annotated[Sequence[str], Meta(description="Ids of its runs, the newest first; none until it is listed.")]


class UploadRoom(Struct, frozen=True, kw_only=True):
    """Uploads to this server: whether this browser may send one, and how much."""

    allowed: bool
    reason: Annotated[str | None, Meta(description="One line that says why not, and what to do.")]
    seen_by: Annotated[str, Meta(description="Who will be able to see the runs: a sentence.")]
    kept_days: Annotated[Count, Meta(description="Days after which an upload is removed that nobody opens.")]
    most_files: Annotated[Count, Meta(description="Files of one upload.")]
    piece_bytes: Annotated[Count, Meta(description="Bytes of one piece.")]
    most_bytes: Annotated[Decimal, Meta(description="Bytes that one client may have on this server, in all uploads.")]
    prefixes: Annotated[Sequence[str], Meta(description="Addresses below them can be opened.")]
