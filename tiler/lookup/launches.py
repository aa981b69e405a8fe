"""Launches that a store has of a track: of its own work, and those that its slices are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import numpy as np

from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.launch_places import LAUNCH_PLACES, LaunchPlaces
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.store.store import Store


def launches_of_track(store: Store, track: int, first: int = 0, last: int = sys.maxsize) -> Iterator[Launches]:
    """Launches of the work of a track by chunks, in order: with all of slices `first` to `last` and some others.

    Raises DamagedStore, StoredLast.
    """
    record = store.at_most(LAUNCHES, track, first) if first else None
    for numbers, chunk in store.scan(LAUNCHES, track, start=0 if record is None else record[0][1]):
        if numbers[1] > last:
            return
        yield Launches.decode(decompress(chunk), track)


# Of clicks at the launches and the work of a moment, which lie in the same chunks: of 1.5 MB, but for slices with many.
_CHUNKS: Final = KeyedCache[Store, tuple[int, int], Launches](
    "launch_chunks",
    "Launches of streams",
    lambda launches: sum(getattr(launches, column).nbytes for column in launches.__struct_fields__),
)


def launches_from(store: Store, track: int, event: int) -> Launches:
    """The chunk that is stored by this event. Raises DamagedStore, StoredLast."""
    launches = _CHUNKS.get(store, (track, event))
    if launches is not None:
        return launches
    record = store.get(LAUNCHES, track, event)
    if record is None:
        raise DamagedStore(f"the launches of track {track} from event {event} on are missing")
    return _CHUNKS.keep(store, (track, event), Launches.decode(decompress(record), track))


def launch_places(store: Store, track: int) -> LaunchPlaces:
    """Places of the launches of a track. Raises DamagedStore, StoredLast."""
    record = store.get(LAUNCH_PLACES, track)
    return LaunchPlaces.nowhere() if record is None else LaunchPlaces.decode(decompress(record), track)


def places_of_launches(store: Store, track: int, first: int = 0, last: int = sys.maxsize) -> Iterator[tuple[int, int]]:
    """Chunks that may have launches by the slices `first` to `last` of a track: track of the work, and event.

    In order. Raises DamagedStore, StoredLast.
    """
    for work_track in launch_places(store, track).work_track.tolist():
        places = launch_places(store, work_track)
        is_here = (places.launching_track == track) & (places.least <= last) & (places.greatest >= first)
        yield from ((work_track, event) for event in np.unique(places.event[is_here]).tolist())


def launched_work(store: Store, track: int, first: int = 0, last: int = sys.maxsize) -> Iterator[Launches]:
    """Work that the slices `first` to `last` of a track launched, by its chunks of launches: it is the partner.

    By the track and the ordinal of the work. Raises DamagedStore, StoredLast.
    """
    for work_track, event in places_of_launches(store, track, first, last):
        yield launches_from(store, work_track, event).seen_from(track, work_track, first, last)
