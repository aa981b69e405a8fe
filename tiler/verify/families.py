"""Compares the busiest families of the manifest with the sums of the events in the leaves."""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from itertools import groupby

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.histograms import StoredTiles, histogram_parts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.schema import FAMILY_NAMES, busiest_families
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.verify.catalogue import SLICE_KINDS, Catalogue
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.windows import Windows


class FamilyCheck:
    """Takes sums from any thread while blocks are proven; `finish` compares."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue
        self._busy = np.zeros(catalogue.names, object)  # ticks by name
        self._taken: set[int] = set()  # tracks
        self._taking = threading.Lock()

    def take(self, track: int, level: int, sums: Histogram) -> None:
        """Takes the sums of a tile, each name once: those of the whole track if the tile is the root."""
        if level != self._catalogue.root_level:
            return
        with self._taking:
            self._add(sums)
            self._taken.add(track)

    def _add(self, sums: Histogram) -> None:
        named = sums.name >= 0
        self._busy[sums.name[named]] += sums.busy[named].astype(object)

    def finish(self) -> None:
        """To be called when all blocks are proven. Raises DamagedStore."""
        if self._catalogue.families is None:
            return
        self._take_others()
        names = np.flatnonzero(self._busy)
        order = np.lexsort((names, -self._busy[names]))[:FAMILY_NAMES]
        expected = busiest_families((*self._name(name), self._busy[name]) for name in names[order].tolist())
        if list(self._catalogue.families) != expected:
            statement = f"the manifest calls these families the busiest: {list(self._catalogue.families)}"
            raise DamagedStore(f"{self._store.location}: {statement}, from the events it is {expected}")

    def _take_others(self) -> None:
        """Tracks with few events have no histogram of their own: leaves are read, which are proven, block by block."""
        catalogue = self._catalogue
        left = [
            track
            for track in catalogue.tracks
            if track.kind in SLICE_KINDS and track.events and track.id not in self._taken
        ]
        whole = Windows.single(0, TICK_LIMIT)
        for block, of_block in groupby(left, lambda track: track.block):
            tracks = list(of_block)
            exact = np.int64 if sum(track.busy for track in tracks) < BUSY_LIMIT else object
            slots = {track.id % TRACKS_PER_BLOCK: whole for track in tracks}
            with must_make_sense(self._store.location):
                for part in histogram_parts(StoredTiles(self._store), block, slots, exact):
                    self._add(part)

    def _name(self, name: int) -> tuple[str, str]:
        page, position = divmod(name, self._catalogue.names_per_page)
        record = self._store.get(NAMES, page)
        if record is None:
            raise DamagedStore(f"{self._store.location}: page {page} of the names is missing")
        text, category = _entries(record)[position]
        return text, category


@lru_cache(maxsize=16)
def _entries(record: bytes) -> list[tuple[str, str]]:
    return [(text, category) for text, category in json.loads(inflate(record))]
