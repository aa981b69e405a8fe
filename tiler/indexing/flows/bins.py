"""Sums up the flow ends of a track in tiles, level by level from the root down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.flows.correlation import TrackPairs
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.records.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, LAUNCHES_OF_LAST_TILE, FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds

Ints = NDArray[np.int64]

_ENDS_AT_ONCE = 1 << 20  # of whole tiles: what they come to is not more by far


class EndsByTick(Struct, frozen=True):
    """Flow ends of a track in the order of ticks, columns of shape (n,); narrow, as there may be many millions."""

    tick: Ints
    incoming: NDArray[np.int8]
    partner: NDArray[np.int32]  # track
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
        whole = np.concatenate([tick, pair_tick])
        order = np.argsort(whole, kind="stable")
        return cls(
            scratch.pick(whole, order),
            scratch.pick(np.concatenate([incoming, pair_incoming]), order),
            scratch.pick(np.concatenate([partner, pair_partner]), order),
            tick,
        )

    def __len__(self) -> int:
        return len(self.tick)

    def pick(self, which: Ints, scratch: Scratch) -> EndsByTick:
        """Some of them, those of whole tiles."""
        partner = scratch.pick(self.partner, which)
        return EndsByTick(scratch.pick(self.tick, which), scratch.pick(self.incoming, which), partner, self.flow_tick)


def flow_tiles(ends: EndsByTick, root_level: int, scratch: Scratch) -> Iterator[FlowTiles]:
    """The flow tiles of a track, level by level: the root, and the children of tiles that have many ends.

    A level of very many ends comes in several pieces.
    """
    for level in range(root_level, -1, -1):
        first = _firsts(ends.tick, 2 * level + 8)  # of each tile, its first end
        for piece in _pieces(first, len(ends)):
            columns = ends.tick[piece], ends.incoming[piece], ends.partner[piece]
            yield FlowTiles(level, *_native.flow_bins(level, *columns, EDGES_PER_TILE))
        size = np.diff(first, append=len(ends))
        more = np.flatnonzero(np.repeat(_have_tiles_below(ends, first, size, 2 * level + 8), size))
        if not len(more):
            return
        if len(more) < len(ends):
            ends = ends.pick(more, scratch)


def _have_tiles_below(ends: EndsByTick, first: Ints, size: Ints, shift: int) -> NDArray[np.bool_]:
    """True for each tile that has many ends. It begins at `first`, and has `size` of them."""
    begin = ends.tick[first] >> shift << shift
    flows = np.searchsorted(ends.flow_tick, begin + (1 << shift)) - np.searchsorted(ends.flow_tick, begin)
    have: NDArray[np.bool_] = (flows > ENDS_OF_LAST_TILE) | (size > LAUNCHES_OF_LAST_TILE)
    return have


def _firsts(tick: Ints, shift: int) -> Ints:
    """Positions at which tiles, or bins, of so many bits begin among the ticks, which ascend."""
    before, firsts = -1, []
    for part in parts(len(tick)):
        number = tick[part] >> shift
        firsts.append(part.start + np.flatnonzero(np.diff(number, prepend=before)))
        before = int(number[-1])
    return np.concatenate(firsts)


def _pieces(first: Ints, stop: int) -> Iterator[slice]:
    """Ends [0, stop) in pieces of whole tiles, which begin at `first`: up to so many ends, or one tile."""
    begin = 0
    while begin < stop:
        last_tile = (
            int(np.searchsorted(first, begin + _ENDS_AT_ONCE, side="right")) - 1
        )  # the tile behind that begins last
        end = stop if begin + _ENDS_AT_ONCE >= stop else int(first[last_tile])
        if end <= begin:
            end = int(first[last_tile + 1]) if last_tile + 1 < len(first) else stop
        yield slice(begin, end)
        begin = end
