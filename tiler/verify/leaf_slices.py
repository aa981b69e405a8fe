"""Single slices by their ordinals, as the leaves have them: for records that name slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import LeafReader
from tilescope.tiler.verify.tree import BlockTree


@dataclass(frozen=True, slots=True)
class NamedSlices:
    """Columns of shape (n,), in the order in which the slices were named."""

    start: Ints
    duration: Ints
    name: Ints
    flags: Ints  # SliceFlag, without REACHES_IN


class LeafSlices:
    """Looks slices up. Those of one track after the other, ordinals ascending: pages are kept for neighbours only."""

    def __init__(self, store: RunStore, catalogue: Catalogue, trees: list[BlockTree], memory: ProofMemory) -> None:
        self._catalogue = catalogue
        self._trees = trees
        self._leaf_reader = LeafReader(store, memory)
        self._leaves: dict[int, tuple[Ints, Ints]] = {}  # of one track: positions, and how many events begin up to each

    def of(self, track: TrackEntry, ordinal: Ints, what: str) -> NamedSlices:
        """The slices of these ordinals. Raises DamagedStore where there is none, although `what` are of it."""
        tree = self._trees[track.block]
        if track.id not in self._leaves:
            position = np.flatnonzero(tree.leaf & (tree.slot == track.slot))
            position = position[np.argsort(tree.index[position] << (2 * tree.level[position]), kind="stable")]
            self._leaves = {track.id: (position, np.cumsum(tree.events[position]))}
        position, stops = self._leaves[track.id]
        leaf = np.searchsorted(stops, ordinal, side="right")
        if not len(position) or int(leaf.max()) >= len(position):
            raise self._catalogue.track_error(track.id, f"its leaves hold fewer events than it has {what} for")
        found = NamedSlices(*(np.empty_like(ordinal) for _ in range(4)))
        for number in np.unique(leaf).tolist():
            slices = self._leaf_reader.slices(tree, int(position[number]))
            here = leaf == number
            at = np.searchsorted(slices.ordinal, ordinal[here])
            at = np.minimum(at, max(0, len(slices.ordinal) - 1))
            if not len(slices.ordinal) or (slices.ordinal[at] != ordinal[here]).any():
                raise tree.error(int(position[number]), f"it lacks an event that has {what}")
            found.start[here], found.duration[here] = slices.start[at], slices.duration[at]
            found.name[here], found.flags[here] = slices.name[at], slices.flags[at] & ~SliceFlag.REACHES_IN
        return found
