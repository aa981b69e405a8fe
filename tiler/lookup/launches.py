"""Launches that a store has of a track."""

from __future__ import annotations

from collections.abc import Iterator

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.store.store import Store


def launches_of_track(store: Store, track: int) -> Iterator[Launches]:
    """The launches of a track by chunks, in order. Raises DamagedStore, StoredLast."""
    return (Launches.decode(decompress(chunk), track) for _, chunk in store.scan(LAUNCHES, track))
