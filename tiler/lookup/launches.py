"""Launches that a store has of a track."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.store.store import Store


def launches_of_track(store: Store, track: int, first: int = 0, last: int = sys.maxsize) -> Iterator[Launches]:
    """The launches of a track by chunks, in order: those that have any of slices `first` to `last`, and maybe others.

    Raises DamagedStore, StoredLast.
    """
    record = store.at_most(LAUNCHES, track, first) if first else None
    for numbers, chunk in store.scan(LAUNCHES, track, start=0 if record is None else record[0][1]):
        if numbers[1] > last:
            return
        yield Launches.decode(decompress(chunk), track)
