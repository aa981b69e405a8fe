"""Flow tiles: how many flow ends lie in each bin of a track, and the strongest edges. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# Edges that are told apart in a tile; all others are summed.
EDGES_PER_TILE = 32

# Ends of flows in a tile below which there are no finer tiles: so many bins and edges say as much as they do.
ENDS_OF_LAST_TILE = 1024

# The same of all ends where there are launches that no flow of the file tells, two ends for each. Tiles of five million
# launches (bench/launch_run.py) take 0.1 MB of 52; with 16,384 they took 0.4 MB. With 1,024, those of two million took
# 2.0 MB of 39, and 0.18 s more of processor time (2026-11-29).
LAUNCHES_OF_LAST_TILE = 65536

# Tiles of a chunk: about 1 KB each at most.
_CHUNK_TILES = 64


FLOW_TILES = Record(
    "G",
    "track level tile",
    "track {track}, level {level}, tile {tile}: its flow tile, and those after it",
    Available.AT_END,
    doc="how many flow ends lie in each bin of a track, and the edges with most of them",
    proof="the flow ends and the launches by correlation alone, added up anew",
)


class FlowTiles(Struct, frozen=True):
    """Flow tiles of one track and level, in ascending order of index.

    Bins and edges are those of the tiles, one after the other: bins ascending, edges by falling count, then by bin,
    direction and partner. What `out` and `into` count beyond the edges of a bin is of edges that are not listed.
    """

    level: int
    index: Ints  # (tiles,)
    n_bins: Ints  # (tiles,) how many of the bins belong to each tile
    n_edges: Ints  # (tiles,) the same for the edges
    bin: Ints  # (bins,) 0 to 255
    out: Ints  # (bins,) flow ends that leave
    into: Ints  # (bins,) flow ends that arrive
    edge_bin: Ints  # (edges,) 0 to 255
    edge_incoming: Ints  # (edges,) 0: they leave, 1: they arrive
    edge_partner: Ints  # (edges,) track
    edge_count: Ints  # (edges,)

    def __len__(self) -> int:
        return len(self.index)

    def chunks(self) -> Iterator[FlowTiles]:
        """The tiles in pieces of the size in which they are stored."""
        bins, edges = (np.concatenate([[0], np.cumsum(n)]) for n in (self.n_bins, self.n_edges))
        for first in range(0, len(self), _CHUNK_TILES):
            last = min(first + _CHUNK_TILES, len(self))
            parts = {
                **dict.fromkeys(_TILE_COLUMNS, slice(first, last)),
                **dict.fromkeys(_BIN_COLUMNS, slice(int(bins[first]), int(bins[last]))),
                **dict.fromkeys(_EDGE_COLUMNS, slice(int(edges[first]), int(edges[last]))),
            }
            yield FlowTiles(self.level, **{name: getattr(self, name)[part] for name, part in parts.items()})

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {column: getattr(self, name) for name, column in _COLUMNS.items()}
        return container.encode(container.FLOW_BINS_MAGIC, self.level, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> FlowTiles:
        """The tiles in a chunk of this track. Raises DamagedStore."""
        chunk = container.decode(data)
        if chunk.magic != container.FLOW_BINS_MAGIC or chunk.block != track:
            raise DamagedStore(f"a record is no chunk of flow tiles of track {track}")
        tiles = cls(chunk.level, **{name: chunk.ints(column) for name, column in _COLUMNS.items()})
        for names, size in (
            (_TILE_COLUMNS, chunk.n_tiles),
            (_BIN_COLUMNS, int(tiles.n_bins.sum())),
            (_EDGE_COLUMNS, int(tiles.n_edges.sum())),
        ):
            if not size or any(len(getattr(tiles, name)) != size for name in names):
                raise DamagedStore(f"a chunk of flow tiles of track {track} has columns of wrong lengths")
        return tiles


_TILE_COLUMNS = {"index": Col.INDEX, "n_bins": Col.N_FLOW_BINS, "n_edges": Col.N_FLOW_EDGES}
_BIN_COLUMNS = {
    "bin": Col.FLOW_BIN,
    "out": Col.FLOW_OUT,
    "into": Col.FLOW_IN,
}
_EDGE_COLUMNS = {
    "edge_bin": Col.FLOW_EDGE_BIN,
    "edge_incoming": Col.FLOW_EDGE_INCOMING,
    "edge_partner": Col.FLOW_EDGE_PARTNER,
    "edge_count": Col.FLOW_EDGE_COUNT,
}
_COLUMNS = {**_TILE_COLUMNS, **_BIN_COLUMNS, **_EDGE_COLUMNS}
