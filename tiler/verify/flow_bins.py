"""Flow tiles: held against the flow ends of their track, each tile by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, FlowTiles
from tilescope.tiler.store import keys
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.report import Tally


class FlowTileCheck:
    """Takes all chunks of flow tiles in the order of their keys: track, level, index."""

    def __init__(self, store: RunStore, catalogue: Catalogue, tally: Tally) -> None:
        self._store = store
        self._catalogue = catalogue
        self._tally = tally
        self._track = -1
        self._seen: set[tuple[int, int]] = set()  # tiles of the track: level and index
        self._done: set[int] = set()
        self._ends = np.zeros((3, 0), np.int64)  # of the track, by time: tick, incoming, partner track

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a chunk. Raises DamagedStore, or struct.error when the key is none."""
        track, level, index = keys.flow_tiles_key(key)
        if track >= len(self._catalogue.tracks) or level > self._catalogue.root_level:
            raise DamagedStore(f"{self._catalogue.path}: a record that should not be there: {key!r}")
        if track != self._track:
            self._finish_track()
            self._begin(track)
        try:
            tiles = FlowTiles.decode(inflate(value), track)
        except DamagedStore as error:
            raise self._catalogue.tile_error(track, level, index, f"its flows are damaged: {error}") from error
        if tiles.level != level or tiles.index[0] != index:
            raise self._catalogue.tile_error(track, level, index, "its flows are stored as those of another tile")
        for number, bins, edges in _tiles(tiles):
            if (level, number) in self._seen:
                raise self._catalogue.tile_error(track, level, number, "its flows are there twice")
            self._seen.add((level, number))
            what = self._wrong(level, number, bins, edges)
            if what:
                raise self._catalogue.tile_error(track, level, number, what)
            self._tally["flow_tiles"] += 1

    def finish(self) -> None:
        """To be called after the last chunk."""
        self._finish_track()
        for track in self._catalogue.tracks:
            if track.flows_out + track.flows_in > 0 and track.id not in self._done:
                raise self._catalogue.track_error(track.id, "its flow tiles are missing")

    def _begin(self, track: int) -> None:
        parts = [np.stack([ends.tick, ends.incoming, ends.partner_track]) for ends in self._store.flow_ends(track)]
        ends = np.concatenate([self._ends[:, :0], *parts], axis=1)
        self._track, self._ends, self._seen = track, ends[:, np.argsort(ends[0], kind="stable")], set()

    def _finish_track(self) -> None:
        """All tiles that there should be were there, and no others."""
        if self._track < 0:
            return
        expected, tick = set(), self._ends[0]
        for level in range(self._catalogue.root_level, -1, -1):
            index, size = np.unique(tick >> (2 * level + 8), return_counts=True)
            expected |= {(level, number) for number in index.tolist()}
            tick = tick[np.isin(tick >> (2 * level + 8), index[size > ENDS_OF_LAST_TILE])]
        for level, number in sorted(expected ^ self._seen):
            what = "its flows are missing" if (level, number) in expected else "it should have no flows of its own"
            raise self._catalogue.tile_error(self._track, level, number, what)
        self._done.add(self._track)
        self._track = -1

    def _wrong(self, level: int, number: int, bins: Ints, edges: Ints) -> str:
        """What is wrong with a tile, given its bins and edges as rows of columns."""
        width = 2 * level
        first, last = np.searchsorted(self._ends[0], [number << (width + 8), (number + 1) << (width + 8)])
        tick, incoming, partner = self._ends[:, first:last]
        place = (tick >> width) & 255
        out, into = (np.bincount(place[incoming == side], minlength=256) for side in (0, 1))
        used = np.flatnonzero(out + into)
        if not np.array_equal(bins[0], used):
            return "its bins are not those in which flow ends lie"
        if not np.array_equal(bins[1], out[used]) or not np.array_equal(bins[2], into[used]):
            return "its bins do not count the flow ends that lie in them"
        groups, count = np.unique(np.stack([place, incoming, partner]), axis=1, return_counts=True)
        rows = sorted(zip((-count).tolist(), *groups.tolist(), strict=True))[:EDGES_PER_TILE]
        strongest = np.array(rows, np.int64).reshape(-1, 4).T
        if not np.array_equal(edges, np.concatenate([strongest[1:], -strongest[:1]])):
            return "its edges are not the strongest, or miscounted"
        for side in (0, 1):
            listed: NDArray[np.int64] = np.zeros(256, np.int64)
            np.add.at(listed, edges[0][edges[1] == side], edges[3][edges[1] == side])
            if not np.array_equal(bins[3 + side] + listed[used], bins[1 + side]):
                return "its edges and the others do not add up to its bins"
        return ""


def _tiles(tiles: FlowTiles) -> Iterator[tuple[int, Ints, Ints]]:
    """Each tile: its index, its bins as rows (bin, out, in, other out, other in), its edges as they are stored."""
    bins = np.stack([tiles.bin, tiles.out, tiles.into, tiles.other_out, tiles.other_in])
    edges = np.stack([tiles.edge_bin, tiles.edge_incoming, tiles.edge_partner, tiles.edge_count])
    bin_stops, edge_stops = np.cumsum(tiles.n_bins), np.cumsum(tiles.n_edges)
    for k, number in enumerate(tiles.index.tolist()):
        of_bins = slice(int(bin_stops[k] - tiles.n_bins[k]), int(bin_stops[k]))
        of_edges = slice(int(edge_stops[k] - tiles.n_edges[k]), int(edge_stops[k]))
        yield number, bins[:, of_bins], edges[:, of_edges]
