"""Proves rollup tracks: each of their bins is the sum of the events of their tracks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.overview import OverviewCheck
from tilescope.tiler.verify.page_reader import fetch_from
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

_END_OF_TIME = (1 << 63) - 1

# Of a batch, for each event that starts in it: its parts at one level, and those of the next while they are made.
BYTES_PER_EVENT = 256


def layers_of(rollups: Sequence[TrackEntry]) -> list[list[TrackEntry]]:
    """The rollups in groups of which no two have a track in common, so that one pass over the events does for each."""
    layers: list[tuple[list[TrackEntry], set[int]]] = []
    for rollup in sorted(rollups, key=lambda track: (-len(track.children), track.id)):
        children = set(rollup.children)
        for layer, taken in layers:
            if taken.isdisjoint(children):
                layer.append(rollup)
                taken |= children
                break
        else:
            layers.append(([rollup], children))
    return [sorted(layer, key=lambda track: track.id) for layer, _ in layers]


# A batch is divided so often at most until it fits. Each time about half of it is left: after so many it is not the
# batch that takes the memory.
_DIVISIONS = 40


@dataclass(frozen=True, slots=True)
class _Source:
    """The leaves of a layer's tracks in one block. Columns of shape (n,)."""

    tree: BlockTree
    tile: Ints  # position, ascending
    owner: Ints  # number of the rollup in the layer
    framing: NDArray[np.uint8]  # 1: of a track that names nothing in it
    start: Ints
    stop: Ints
    events: Ints


class LayerCheck:
    """Rollups without a common track. They are gone through in batches of time, each of about so many events."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        trees: Sequence[BlockTree],
        rollups: Sequence[TrackEntry],
        overview: OverviewCheck,
        memory: ProofMemory,
        batch_events: int,
        done: Callable[[int], None],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._trees = trees
        self._rollups = rollups
        self._overview = overview
        self._memory = memory
        self._batch_events = batch_events
        self._done = done

    def check(self) -> Tally:
        """Counts of what was checked. Calls `done` with numbers of events. Raises DamagedStore, ShortOfMemory."""
        try:
            return self._check()
        except MemoryError:
            short = self._memory.short(f"the rollups of tracks {self._rollups[0].id} to {self._rollups[-1].id}")
        raise short

    def _check(self) -> Tally:
        catalogue = self._catalogue
        layer = _native.ProveLayer(catalogue.root_level, catalogue.end, catalogue.names, self._memory.native)
        for rollup in self._rollups:
            layer.add_rollup(self._trees[rollup.block].native, rollup.slot, rollup.id)
        sources = self._sources()
        blocks = list(dict.fromkeys(rollup.block for rollup in self._rollups))
        batches = self._batches(sources)[::-1]
        divided = 0  # one after the other
        try:
            while batches:
                start, stop, events = batches.pop()
                if not self._fits(layer, sources, start, stop):
                    divided += 1
                    if divided > _DIVISIONS:
                        raise MemoryError
                    middle = self._divided(layer, start, stop)
                    batches += [(middle, stop, events - events // 2), (start, middle, events // 2)]
                    continue
                divided = 0
                for number, block in enumerate(blocks):
                    self._complete(layer, number, self._trees[block], stop)
                self._done(events)
        except _native.WrongTrack as error:
            raise catalogue.track_error(*error.args) from None
        tally = Tally(rollup_tracks=len(self._rollups), rollup_bins=layer.bins)
        for number, rollup in enumerate(self._rollups):
            lanes = max(1, sum(self._catalogue.tracks[child].rows for child in rollup.children))
            self._overview.compare_busy(rollup, *layer.overview(number), lanes=lanes)
        return tally

    def _sources(self) -> list[_Source]:
        owner = np.full(len(self._catalogue.tracks), -1, np.int64)
        framing = np.array([track.frames for track in self._catalogue.tracks], np.uint8)
        for number, rollup in enumerate(self._rollups):
            owner[list(rollup.children)] = number
        sources = []
        for block in np.unique(np.flatnonzero(owner >= 0) // TRACKS_PER_BLOCK).tolist():
            tree = self._trees[block]
            owner_of = owner[block * TRACKS_PER_BLOCK + tree.slot]
            framing_of = framing[block * TRACKS_PER_BLOCK + tree.slot]
            tile = np.flatnonzero(tree.leaf & (owner_of >= 0))
            shift = 2 * tree.level[tile] + 8
            start, stop = tree.index[tile] << shift, (tree.index[tile] + 1) << shift
            sources.append(_Source(tree, tile, owner_of[tile], framing_of[tile], start, stop, tree.events[tile]))
        return sources

    def _batches(self, sources: Sequence[_Source]) -> list[tuple[int, int, int]]:
        """First tick, the first tick after it, and about how many events, of each."""
        start = np.concatenate([source.start for source in sources] or [np.zeros(0, np.int64)])
        events = np.concatenate([source.events for source in sources] or [np.zeros(0, np.int64)])
        order = np.argsort(start)
        start, ends = start[order], np.cumsum(events[order])
        cuts = np.flatnonzero(np.diff(ends // self._batch_events)) + 1
        first = np.unique(np.concatenate([[0], start[cuts]]))
        before = np.concatenate([[0], ends])[np.searchsorted(start, first)]
        counts = np.diff(before, append=ends[-1] if len(ends) else 0).tolist()
        edges = [*first.tolist(), _END_OF_TIME]
        return [(a, b, n) for (a, b), n in zip(pairwise(edges), counts, strict=True)]

    def _fits(self, layer: _native.ProveLayer, sources: Sequence[_Source], start: int, stop: int) -> bool:
        """Gathers a batch: whether there is memory for it."""
        try:
            self._gather(layer, sources, start, stop)
            layer.check_room()
        except MemoryError:
            return False
        return True

    def _divided(self, layer: _native.ProveLayer, start: int, stop: int) -> int:
        """Forgets a batch that was too large: the tick at which to divide it. MemoryError if it cannot be."""
        last = min(stop, self._catalogue.end + 1)
        if last - start < 2:
            raise MemoryError
        return layer.discard(start, last)

    def _gather(self, layer: _native.ProveLayer, sources: Sequence[_Source], start: int, stop: int) -> None:
        for source in sources:
            here = np.flatnonzero((source.start < stop) & (source.stop > start))
            if not len(here):
                continue
            fetch = fetch_from(self._store, source.tree, self._memory, lambda _: self._done(0))
            columns = source.tile[here], source.owner[here], source.framing[here]
            try:
                layer.gather(source.tree.native, *columns, start, stop, fetch)
            except _native.WrongTile as error:
                raise source.tree.error(*error.args) from None

    def _complete(self, layer: _native.ProveLayer, number: int, tree: BlockTree, until: int) -> None:
        try:
            layer.complete_until(number, until, fetch_from(self._store, tree, self._memory, lambda _: self._done(0)))
        except _native.WrongTile as error:
            raise tree.error(*error.args) from None
