"""Tracks, as manifest and builders know them."""

from __future__ import annotations

import json
from typing import Any

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


def file_of(store: Store, track: int) -> int:
    """The file of a track, -1 of a rollup: an index into the manifest's `files`. Raises DamagedStore."""
    with must_make_sense(store.location):
        return int(store.internals()["tracks"][track]["file"])


def file_of_tracks(store: Store) -> list[int]:
    """The file of each track, -1 of a rollup: an index into the manifest's `files`."""
    return [track["file"] for track in store.internals()["tracks"]]


def built_tracks(store: Store, block: int) -> dict[int, dict[str, Any]]:
    """The tracks of a block that is done, of a run that is being indexed, by id, as the track tree will have them."""
    record = store.get(BLOCK_TRACKS, block)
    return {} if record is None else {track["id"]: track for track in json.loads(decompress(record))}
