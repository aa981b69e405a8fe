"""Sums up the flow ends of a track in tiles, level by level from the root down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, FlowTiles
from tilescope.tiler.pages.flow_ends import FlowEnds

Ints = NDArray[np.int64]

_ENDS_AT_ONCE = 1 << 20  # about 150 bytes each while they are summed up


def flow_tiles(ends: FlowEnds, root_level: int) -> Iterator[FlowTiles]:
    """The flow tiles of a track, level by level: the root, and the children of tiles that have many ends.

    A level of very many ends comes in several pieces.
    """
    order = np.argsort(ends.tick, kind="stable")
    # Narrow: there may be many millions of ends, in several orders at a time.
    incoming, partner = ends.incoming.astype(np.int8)[order], ends.partner_track.astype(np.int32)[order]
    tick = ends.tick[order]
    del order
    for level in range(root_level, -1, -1):
        first = np.flatnonzero(np.diff(tick >> (2 * level + 8), prepend=-1))  # of each tile, its first end
        size = np.diff(first, append=len(tick))
        for piece in _pieces(first, len(tick)):
            yield _level(level, tick[piece] >> (2 * level), incoming[piece], partner[piece])
        more = np.repeat(size > ENDS_OF_LAST_TILE, size)
        tick, incoming, partner = tick[more], incoming[more], partner[more]
        if not len(tick):
            return


def _pieces(first: Ints, stop: int) -> Iterator[slice]:
    """Ends [0, stop) in pieces of whole tiles, which begin at `first`: up to so many ends, or one tile."""
    begin = 0
    while begin < stop:
        at = int(np.searchsorted(first, begin + _ENDS_AT_ONCE, side="right")) - 1  # the tile behind that begins last
        end = stop if begin + _ENDS_AT_ONCE >= stop else int(first[at])
        if end <= begin:
            end = int(first[at + 1]) if at + 1 < len(first) else stop
        yield slice(begin, end)
        begin = end


def _level(level: int, bins: Ints, incoming: NDArray[np.int8], partner: NDArray[np.int32]) -> FlowTiles:
    """The tiles of ends that lie in these bins (numbered from tick 0, ascending)."""
    keys: list[NDArray[Any]] = [partner, incoming, bins]
    order = np.lexsort(keys)
    bins, incoming, partner = bins[order], incoming[order], partner[order]
    del order
    new = (np.diff(bins, prepend=-1) != 0) | (np.diff(incoming, prepend=-1) != 0) | (np.diff(partner, prepend=-1) != 0)
    first = np.flatnonzero(new)
    count = np.diff(first, append=len(bins))
    bins, incoming, partner = bins[first], incoming[first], partner[first]

    first_of_bin = np.flatnonzero(np.diff(bins, prepend=-1))
    place = np.repeat(np.arange(len(first_of_bin)), np.diff(first_of_bin, append=len(bins)))
    used = bins[first_of_bin]
    total = np.zeros((2, len(used)), np.int64)
    np.add.at(total, (incoming, place), count)

    tile = bins >> 8
    keys = [partner, incoming, bins, -count, tile]
    strongest = np.lexsort(keys)
    first_of_tile = np.flatnonzero(np.diff(tile, prepend=-1))
    groups = np.diff(first_of_tile, append=len(tile))
    rank = np.arange(len(tile)) - np.repeat(first_of_tile, groups)
    edges = strongest[rank < EDGES_PER_TILE]
    other = total.copy()
    np.subtract.at(other, (incoming[edges], place[edges]), count[edges])
    return FlowTiles(
        level,
        tile[first_of_tile],
        np.diff(np.flatnonzero(np.diff(used >> 8, prepend=-1)), append=len(used)),
        np.minimum(groups, EDGES_PER_TILE),
        used & 255,
        total[0],
        total[1],
        other[0],
        other[1],
        bins[edges] & 255,
        incoming[edges].astype(np.int64),
        partner[edges].astype(np.int64),
        count[edges],
    )
