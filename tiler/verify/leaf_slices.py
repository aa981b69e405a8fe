"""Single slices by their ordinals, as the leaves have them: for records that name slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import fetch_from
from tilescope.tiler.verify.tree import BlockTree


@dataclass(frozen=True, slots=True)
class NamedSlices:
    """Columns of shape (n,), in the order in which the slices were named."""

    start: Ints
    duration: Ints
    name: Ints
    flags: Ints  # SliceFlag, without REACHES_IN


@dataclass(frozen=True, slots=True)
class _Leaves:
    """Leaves of a track, in the order of time."""

    position: Ints
    stops: Ints  # how many events begin up to the end of each
    finder: _native.ProveSliceFinder


class LeafSlices:
    """Looks slices up. Those of one track after the other, ordinals ascending: only what is read last is kept."""

    def __init__(self, store: Store, catalogue: Catalogue, trees: list[BlockTree], memory: ProofMemory) -> None:
        self._store = store
        self._catalogue = catalogue
        self._trees = trees
        self._memory = memory
        self._track: tuple[int, _Leaves] | None = None  # the one that was asked for last

    def find(self, track: TrackEntry, ordinal: Ints, what: str) -> NamedSlices:
        """The slices of these ordinals. Raises DamagedStore where there is none, although `what` are of it."""
        tree = self._trees[track.block]
        if self._track is None or self._track[0] != track.id:
            self._track = track.id, self._leaves_of(track)
        leaves = self._track[1]
        leaf = np.searchsorted(leaves.stops, ordinal, side="right")
        if not len(leaves.position) or int(leaf.max()) >= len(leaves.position):
            raise self._catalogue.track_error(track.id, f"its leaves hold fewer events than it has {what} for")
        try:
            return NamedSlices(*leaves.finder.find(leaves.position[leaf], ordinal, what))
        except _native.WrongTile as error:
            raise tree.error(*error.args) from None

    def _leaves_of(self, track: TrackEntry) -> _Leaves:
        tree = self._trees[track.block]
        position = np.flatnonzero(tree.leaf & (tree.slot == track.slot))
        position = position[np.argsort(tree.index[position] << (2 * tree.level[position]), kind="stable")]
        fetch = fetch_from(self._store, tree, self._memory, lambda _: None)
        finder = _native.ProveSliceFinder(tree.native, fetch, self._memory.native)
        return _Leaves(position, np.cumsum(tree.events[position]), finder)
