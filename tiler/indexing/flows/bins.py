"""Sums up the flow ends of a track in tiles, level by level from the root down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.pages.flow_bins import EDGES_PER_TILE, ENDS_OF_LAST_TILE, FlowTiles
from tilescope.tiler.pages.flow_ends import FlowEnds

Ints = NDArray[np.int64]

_ENDS_AT_ONCE = 1 << 20  # about 150 bytes each while they are summed up

_TRACK_BITS = 31
_END_BITS = 40  # more ends than a track can have
_MOST_ENDS = (1 << _END_BITS) - 1


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
    """Where tiles, or bins, of so many bits begin among the ticks, which ascend."""
    before, found = -1, []
    for part in parts(len(tick)):
        number = tick[part] >> shift
        found.append(part.start + np.flatnonzero(np.diff(number, prepend=before)))
        before = int(number[-1])
    return np.concatenate(found)


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


def _level(level: int, piece: slice, tick: Ints, incoming: NDArray[np.int8], partner: NDArray[np.int32]) -> FlowTiles:
    """The tiles of these ends, whose ticks ascend."""
    summed = []
    for first in range(piece.start, piece.stop, _ENDS_AT_ONCE):  # a tile alone may have many more
        part = slice(first, min(first + _ENDS_AT_ONCE, piece.stop))
        summed.append(_summed(tick[part] >> (2 * level), incoming[part], partner[part], None))
    edges_of = (np.concatenate(column) for column in zip(*summed, strict=True))
    bins, incoming, partner, count = summed[0] if len(summed) == 1 else _summed(*edges_of)

    first_of_bin = np.flatnonzero(np.diff(bins, prepend=-1))
    place = np.repeat(np.arange(len(first_of_bin)), np.diff(first_of_bin, append=len(bins)))
    used = bins[first_of_bin]
    total = _by_place(incoming, place, count, len(used))

    tile = bins >> 8
    first_of_tile = np.flatnonzero(np.diff(tile, prepend=-1))
    groups = np.diff(first_of_tile, append=len(tile))
    number = np.repeat(np.arange(len(groups)), groups)  # of the tile, from 0 on
    # The strongest of each tile first; what is equally strong stays in order: by bin, direction and partner.
    strongest = np.argsort(number << _END_BITS | (_MOST_ENDS - count), kind="stable")
    rank = np.arange(len(tile)) - first_of_tile[number]
    edges = strongest[rank < EDGES_PER_TILE]
    other = total - _by_place(incoming[edges], place[edges], count[edges], len(used))
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


def _by_place(incoming: NDArray[np.int8], place: Ints, count: Ints, places: int) -> Ints:
    """Sums of counts of each direction at each place, of shape (2, places). None reaches 2**53."""
    summed = np.bincount(place + places * incoming.astype(np.int64), weights=count, minlength=2 * places)
    return summed.astype(np.int64).reshape(2, places)


def _summed(
    bins: Ints, incoming: NDArray[np.int8], partner: NDArray[np.int32], count: Ints | None
) -> tuple[Ints, NDArray[np.int8], NDArray[np.int32], Ints]:
    """Ends of equal bin (numbered from tick 0), direction and partner together, in this order.

    None for `count`: each is one end, and they are in the order of bins.
    """
    # Numbers that sort as the three do: a sort of one column takes a tenth of the time of one of three.
    used, rank = _ranks(bins, ascend=count is None)
    key = (rank << 1 | incoming) << _TRACK_BITS | partner
    if count is None:
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        summed = np.diff(first, append=len(key))
    else:
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        summed = np.add.reduceat(count[order], first)
    key = key[first]
    return (
        used[key >> (_TRACK_BITS + 1)],
        (key >> _TRACK_BITS & 1).astype(np.int8),
        (key & ((1 << _TRACK_BITS) - 1)).astype(np.int32),
        summed,
    )


def _ranks(bins: Ints, *, ascend: bool) -> tuple[Ints, Ints]:
    """Which bins there are, in order, and of each value the place among them."""
    if not ascend:
        used, rank = np.unique(bins, return_inverse=True)
        return used, rank
    new = np.diff(bins, prepend=bins[0] - 1) != 0
    return bins[new], np.cumsum(new) - 1
