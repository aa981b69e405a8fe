"""Flow tiles: held against the flow ends of their track."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.launches import places_of_launches
from tilescope.tiler.records.flow_bins import FLOW_TILES, FlowTiles
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.flows import FlowRecordCheck
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.verify.memory import ProofMemory, ShortOfMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.shared_launches import SharedLaunches

# As the native proof wants them: by tile, by bin, by edge.
_COLUMNS = tuple(name for name in FlowTiles.__struct_fields__ if name != "level")


class FlowTileCheck:
    """Takes all chunks of flow tiles in the order of their keys: track, level, index. All ends of one track, 16 bytes
    each, are in memory at a time.
    """

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        flows: FlowRecordCheck,
        slices: LeafSlices,
        memory: ProofMemory,
        tally: Tally,
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._flows = flows
        self._slices = slices
        self._memory = memory
        self._tally = tally
        self._track = -1
        self._tiles: _native.ProveFlowTiles | None = None  # of the track
        self._launches = SharedLaunches(catalogue, memory)
        self._done: set[int] = set()

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {FLOW_TILES: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a chunk. Raises DamagedStore, ShortOfMemory."""
        try:
            self._take(key, value)
        except BaseException:
            self._launches.clear()  # for what is proven after this
            raise

    def _take(self, key: bytes, value: bytes) -> None:
        self._flows.finish()  # their keys come before; tiles are held against ends that are as they should be
        track, level, index = FLOW_TILES.numbers_in(key)
        if track >= len(self._catalogue.tracks) or level > self._catalogue.root_level:
            raise unexpected(self._catalogue.location, key)
        if track != self._track or self._tiles is None:
            self._finish_track()
            self._tiles = self._tiles_of(track)
            self._track = track
        try:
            tiles = FlowTiles.decode(inflate(value), track)
        except DamagedStore as error:
            raise self._catalogue.tile_error(track, level, index, f"its flows are damaged: {error}") from error
        if tiles.level != level or tiles.index[0] != index:
            raise self._catalogue.tile_error(track, level, index, "its flows are stored as those of another tile")
        try:
            wrong = self._tiles.check(level, [getattr(tiles, column) for column in _COLUMNS])
        except ValueError as error:
            raise self._catalogue.tile_error(track, level, index, f"its flows are damaged: {error}") from error
        if wrong is not None:
            raise self._catalogue.tile_error(track, *wrong)
        self._tally["flow_tiles"] += len(tiles)

    def finish(self) -> None:
        """To be called after the last chunk."""
        self._finish_track()
        self._launches.clear()
        for track in self._catalogue.tracks:
            if _ends_of(track) > 0 and track.id not in self._done:
                raise self._catalogue.track_error(track.id, "its flow tiles are missing")

    def _tiles_of(self, number: int) -> _native.ProveFlowTiles:
        tiles = self._tiles_or_short(number)
        if isinstance(tiles, ShortOfMemory) and self._launches.clear():
            tiles = self._tiles_or_short(number)  # with the room of what was kept
        if isinstance(tiles, ShortOfMemory):
            raise tiles
        return tiles

    def _tiles_or_short(self, number: int) -> _native.ProveFlowTiles | ShortOfMemory:
        catalogue, memory = self._catalogue, self._memory
        track = catalogue.tracks[number]
        ends = _ends_of(track)
        try:
            tiles = _native.ProveFlowTiles(catalogue.root_level, len(catalogue.tracks), ends, memory.native)
            for _, stored in self._store.scan(FLOW_ENDS, number):
                with memory.taken(len(stored) + inflated_bytes(stored)):
                    tiles.add(_native.ProveFlowChunk(inflate(stored), number))
            if track.pairs_out + track.pairs_in:
                self._add_launches(track, tiles)
            return tiles
        except ValueError as error:
            raise catalogue.track_error(number, f"flow ends are damaged: {error}") from error
        except MemoryError:
            return self._short(number, ends)

    def _add_launches(self, track: TrackEntry, tiles: _native.ProveFlowTiles) -> None:
        """Adds the ends of launches of its work, and of those that its slices are."""
        for numbers, stored in self._store.scan(LAUNCHES, track.id):
            with self._launches.decoded(track.id, numbers[1], stored, track.id) as launches:
                self._add_pairs(track, tiles, launches, 1)
        if not track.pairs_out:
            return
        for work_track, event in places_of_launches(self._store, track.id):
            chunk = self._store.get(LAUNCHES, work_track, event)
            if chunk is None:
                raise self._catalogue.track_error(work_track, f"launches from event {event} on are missing")
            with self._launches.decoded(work_track, event, chunk, track.id) as launches:
                self._add_pairs(track, tiles, launches.seen_from(track.id, work_track), 0)

    def _add_pairs(self, track: TrackEntry, tiles: _native.ProveFlowTiles, pairs: Launches, incoming: int) -> None:
        if not len(pairs):
            return
        ordinal, place = np.unique(pairs.ordinal, return_inverse=True)
        start = self._slices.find(track, ordinal, "launches").start[place]
        try:
            tiles.add_launches(np.full(len(pairs), incoming), start, pairs.partner_track)
        except ValueError as error:
            raise self._catalogue.track_error(track.id, f"launches are damaged: {error}") from error

    def _short(self, track: int, ends: int) -> ShortOfMemory:
        return self._memory.short(f"{self._catalogue.track_name(track)}, {ends:,} flow ends")

    def _finish_track(self) -> None:
        """All tiles that there should be were there, and no others."""
        if self._tiles is None:
            return
        wrong = self._tiles.finish()
        if wrong is not None:
            raise self._catalogue.tile_error(self._track, *wrong)
        self._done.add(self._track)
        self._tiles = None


def _ends_of(track: TrackEntry) -> int:
    """Ends of flows and launches that lie on it."""
    return track.flows_out + track.flows_in + track.pairs_out + track.pairs_in
