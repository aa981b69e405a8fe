"""The call tree of tracks in windows, by two threads where there are two processors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.tools.call_tree.chains import Chains, LeafReads
from tilescope.tiler.tools.call_tree.pieces import TrackPiece, pieces
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

# Pages of a piece, which are open together: a page has some thousand slices at most.
_PAGES: Final = 32

# Pieces between two turns: ten milliseconds of two threads. Then open places are closed: until then the nodes below
# them are kept beside the tree.
_PIECES: Final = 16

# Tracks whose pieces are listed between two turns.
_TRACKS: Final = 16

# Nodes that are moved between two turns: 11 ms, and 94 ms where the table of nodes grows to its full size (two million
# into an empty tree, processor time).
_NODES: Final = 65_536

_TOO_MANY: Final = (
    f"slices lie in more than {_native.MOST_NODES:,} different chains of names, which is the limit of a call tree: "
    "ask for fewer tracks or a shorter span"
)


def track_name(track: int) -> int:
    """The number that stands for the name of a track; those of names of slices begin at -1."""
    return -2 - track


def track_of(name: Ints) -> Ints:
    """The tracks that such numbers stand for; negative for names of slices."""
    return -2 - name


def call_tree(
    reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf, *, by_track: bool
) -> Interruptible[_native.CallTree]:
    """The tree of all slices in the windows of tracks, by name; with `by_track` below a node for each track.

    Raises DamagedStore, NotBuilt, and UsageError for too many nodes.
    """

    def root(track: int) -> list[int]:
        return [track_name(track)] if by_track else []

    def add(piece: TrackPiece, into: _native.CallTree) -> None:
        piece.add_to(into, reader, root(piece.track))

    track_pieces: list[TrackPiece] = []
    for number, track in enumerate(tracks, 1):
        windows = windows_of(track)
        if len(windows) and reader.tree.tracks[track].events:
            track_pieces += pieces(reader, track, windows, _PAGES)
        if number % _TRACKS == 0:
            yield
    tree, aside = _native.CallTree(), _native.CallTree()
    reads = LeafReads(reader)
    chains = [Chains(target, reads, root) for target in (tree, aside)]
    try:
        for first in range(0, len(track_pieces), _PIECES):
            batch = track_pieces[first : first + _PIECES]
            yield from for_each(batch, add, tree, aside, _PIECES, records=_PAGES)
            yield
            for tree_chains in chains:
                yield from close_places(tree_chains)
        while tree.take(aside, _NODES):
            yield
    except _native.TooManyNodes:
        raise UsageError(_TOO_MANY) from None
    return tree


def close_places(chains: Chains) -> Interruptible[None]:
    """Puts slices below their parents where these have ended before what was read."""
    places = np.stack(chains.tree.open_places(), axis=1)
    if not len(places):
        return
    nodes = np.zeros(len(places), np.int64)
    # By track and ordinal: slices near one another in time lie in the same others, and those in the same leaves.
    for position in np.lexsort((places[:, 1], places[:, 0])).tolist():
        nodes[position] = yield from chains.node_around(*places[position].tolist())
    chains.tree.close_places(nodes)
    while chains.tree.settle(_NODES):
        yield
