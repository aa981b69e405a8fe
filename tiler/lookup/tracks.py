"""Tracks, as manifest and builders know them."""

from __future__ import annotations

from typing import Any

import msgspec

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.schema import TrackKind, TreeTrack, decode_tracks
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


class TrackRecord(msgspec.Struct, frozen=True):
    """Facts of a track that the stored manifest has."""

    kind: TrackKind
    file: int  # -1: a rollup
    name: str
    events: int


def track_record(store: Store, track: int) -> TrackRecord | None:
    """The facts of a track; None: there is no such track. Raises ValueError where they make no sense."""
    records: list[dict[str, Any]] = store.internals()["tracks"]
    return msgspec.convert(records[track], TrackRecord) if 0 <= track < len(records) else None


def file_of(store: Store, track: int) -> int:
    """The file of a track, -1 of a rollup: an index into the manifest's `files`. Raises DamagedStore."""
    with must_make_sense(store.location):
        return int(store.internals()["tracks"][track]["file"])


def file_of_tracks(store: Store) -> list[int]:
    """The file of each track, -1 of a rollup: an index into the manifest's `files`."""
    return [track["file"] for track in store.internals()["tracks"]]


def built_tracks(store: Store, block: int) -> dict[int, TreeTrack]:
    """The tracks of a block that is done, of a run that is being indexed, by id, as the track tree will have them.

    Raises DamagedStore.
    """
    record = store.get(BLOCK_TRACKS, block)
    if record is None:
        return {}
    with must_make_sense(store.location):
        return {track.id: track for track in decode_tracks(decompress(record))}
