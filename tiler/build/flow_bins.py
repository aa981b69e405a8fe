"""Sums up the flow ends of a track in tiles, level by level from the root down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, FlowTiles
from tilescope.tiler.pages.flow_ends import FlowEnds

Ints = NDArray[np.int64]


def flow_tiles(ends: FlowEnds, root_level: int) -> Iterator[FlowTiles]:
    """The flow tiles of a track, a level at a time: the root, and the children of tiles that have many ends."""
    order = np.argsort(ends.tick, kind="stable")
    tick, incoming, partner = ends.tick[order], ends.incoming[order], ends.partner_track[order]
    for level in range(root_level, -1, -1):
        yield _level(level, tick >> (2 * level), incoming, partner)
        tile = tick >> (2 * level + 8)
        first = np.flatnonzero(np.diff(tile, prepend=-1))
        size = np.diff(first, append=len(tile))
        more = np.repeat(size > ENDS_OF_LAST_TILE, size)
        tick, incoming, partner = tick[more], incoming[more], partner[more]
        if not len(tick):
            return


def _level(level: int, bins: Ints, incoming: Ints, partner: Ints) -> FlowTiles:
    """The tiles of ends that lie in these bins (numbered from tick 0, ascending)."""
    order = np.lexsort([partner, incoming, bins])
    bins, incoming, partner = bins[order], incoming[order], partner[order]
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
    strongest = np.lexsort([partner, incoming, bins, -count, tile])
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
        incoming[edges],
        partner[edges],
        count[edges],
    )
