"""Attachments that a store keeps of a trace beside its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Decimal


class Attachment(Struct, frozen=True, kw_only=True):
    """Bytes under a name: an HLO proto, the stats of a plane, a member of a JSON trace."""

    id: Annotated[Count, Meta(description="Names it in paths, within the build.")]
    host: str
    file: Annotated[Count, Meta(description="The place of its file in the manifest's `files`.")]
    name: Annotated[str, Meta(description="Such as `hlo/7` or `json/deviceProperties`; no other of its file has it.")]
    label: Annotated[str, Meta(description="What the trace calls it.")]
    media_type: str
    size_bytes: Decimal
    crc32: Annotated[str, Meta(description="Of the content: eight hexadecimal digits.", pattern="^[0-9a-f]{8}$")]


class AttachmentList(Struct, frozen=True, kw_only=True):
    """The attachments of a build, by id."""

    attachments: Sequence[Attachment]
