"""Sums up the flow ends of a track in tiles of all levels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.flows.correlation import TrackPairs
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.records.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, LAUNCHES_OF_LAST_TILE, FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds

Ints = NDArray[np.int64]

_ENDS_AT_ONCE = 1 << 20  # of whole tiles: what they come to is not more by far


class EndsByTick(Struct, frozen=True):
    """Flow ends of a track in the order of ticks, columns of shape (n,); narrow, as there may be many millions."""

    tick: Ints
    incoming: NDArray[np.int8]  # (n,), or (1,) for a value that all have
    partner: NDArray[np.int32]  # track; of the same shapes
    flow_tick: Ints  # of those that are flows of the file

    @classmethod
    def from_track(cls, ends: FlowEnds, pairs: TrackPairs | None, scratch: Scratch) -> EndsByTick:
        """The ends of flows of the file, and those of pairs."""
        order, n = np.argsort(ends.tick, kind="stable"), len(ends)
        tick = scratch.pick(ends.tick, order)
        incoming = scratch.fill(n, np.dtype(np.int8), lambda part: ends.incoming[order[part]].astype(np.int8))
        partner = scratch.fill(n, np.dtype(np.int32), lambda part: ends.partner_track[order[part]].astype(np.int32))
        if pairs is None:
            return cls(tick, incoming, partner, tick)
        pair_tick, pair_incoming, pair_partner = pairs.ends()
        if not n:
            return cls(pair_tick, pair_incoming, pair_partner, tick)
        pair_incoming = np.broadcast_to(pair_incoming, len(pair_tick))
        pair_partner = np.broadcast_to(pair_partner, len(pair_tick))
        whole = np.concatenate([tick, pair_tick])
        order = np.argsort(whole, kind="stable")
        return cls(
            scratch.pick(whole, order),
            scratch.pick(np.concatenate([incoming, pair_incoming]), order),
            scratch.pick(np.concatenate([partner, pair_partner]), order),
            tick,
        )


def flow_tiles(ends: EndsByTick, root_level: int) -> Iterator[FlowTiles]:
    """The flow tiles of a track, level by level: the root, and the children of tiles that have many ends.

    Those of very many ends come in several pieces, each level by level.
    """
    columns = ends.tick, ends.incoming, ends.partner, ends.flow_tick
    limits = ENDS_OF_LAST_TILE, LAUNCHES_OF_LAST_TILE, EDGES_PER_TILE
    tiler = _native.FlowTiler(root_level, *columns, *limits)
    while (levels := tiler.read(_ENDS_AT_ONCE)) is not None:
        for level, tiles in levels:
            yield FlowTiles(level, *tiles)
