"""Limits of one request. They stand here alone; clients are told by the manifest and by OpenAPI."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Ticks


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of one request. More is refused, except where it says otherwise."""

    page_keys: Annotated[Count, Meta(description="Page keys in one batch, and in one list of the stream.")]
    body_bytes: Annotated[Count, Meta(description="Bytes of a request's body, and of a message of the stream.")]
    watch_blocks: Annotated[Count, Meta(description="Blocks of a list of the watch that count, the first ones.")]
    view_tracks: Annotated[Count, Meta(description="Tracks of a view in the stream.")]
    events: Annotated[Count, Meta(description="Events in one answer.")]
    question_tracks: Annotated[Count, Meta(description="Tracks that one question names.")]
    end: Annotated[Ticks, Meta(description="All times are below: where spans end at the latest.")]


# Ticks: 73 years of nanoseconds, 26 days of picoseconds. Events: some megabytes before compression. Blocks: 32,768
# tracks, more than fit on anybody's screen. Tracks of a view: resolving them takes milliseconds. 4,096 page keys fit
# into a body.
LIMITS: Final = Limits(
    page_keys=4096,
    body_bytes=256 * 1024,
    watch_blocks=1024,
    view_tracks=1024,
    events=50_000,
    question_tracks=65_536,
    end=str(1 << 61),
)
