"""Sums up the flow ends of a track in tiles, level by level from the root down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.records.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds

Ints = NDArray[np.int64]

_ENDS_AT_ONCE = 1 << 20  # of whole tiles: what they come to is not more by far


def flow_tiles(ends: FlowEnds, root_level: int, scratch: Scratch) -> Iterator[FlowTiles]:
    """The flow tiles of a track, level by level: the root, and the children of tiles that have many ends.

    A level of very many ends comes in several pieces.
    """
    tick, incoming, partner = _by_tick(ends, scratch)
    for level in range(root_level, -1, -1):
        first = _firsts(tick, 2 * level + 8)  # of each tile, its first end
        size = np.diff(first, append=len(tick))
        for piece in _pieces(first, len(tick)):
            yield _level(level, piece, tick, incoming, partner)
        more = np.flatnonzero(np.repeat(size > ENDS_OF_LAST_TILE, size))
        if not len(more):
            return
        if len(more) < len(tick):
            tick, incoming = scratch.pick(tick, more), scratch.pick(incoming, more)
            partner = scratch.pick(partner, more)


def _by_tick(ends: FlowEnds, scratch: Scratch) -> tuple[Ints, NDArray[np.int8], NDArray[np.int32]]:
    """Ticks in order, directions and partners; narrow, as there may be many millions."""
    order, n = np.argsort(ends.tick, kind="stable"), len(ends)
    return (
        scratch.pick(ends.tick, order),
        scratch.fill(n, np.dtype(np.int8), lambda part: ends.incoming[order[part]].astype(np.int8)),
        scratch.fill(n, np.dtype(np.int32), lambda part: ends.partner_track[order[part]].astype(np.int32)),
    )


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


def _level(level: int, piece: slice, tick: Ints, incoming: NDArray[np.int8], partner: NDArray[np.int32]) -> FlowTiles:
    """The tiles of these ends, whose ticks ascend."""
    return FlowTiles(level, *_native.flow_bins(level, tick[piece], incoming[piece], partner[piece], EDGES_PER_TILE))
