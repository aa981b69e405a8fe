"""Checks of leaves: every event once where it starts, and repeated wherever it reaches, the same each time."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.pages import TRACKS_PER_BLOCK, SliceFlag
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints, Mask, exact_sum
from tilescope.tiler.verify.events import Events, join, no_events
from tilescope.tiler.verify.page_source import Tiles
from tilescope.tiler.verify.tree import BlockTree

_KNOWN_FLAGS = sum(SliceFlag)


class LeafCheck:
    """Sees the leaves of a block's slice tracks, those of each track in time order."""

    def __init__(self, catalogue: Catalogue, tree: BlockTree) -> None:
        self._catalogue = catalogue
        self._tree = tree
        self._tracks = catalogue.block(tree.block)
        self._rows = np.array([track.rows for track in self._tracks], np.int64)
        self._row_base = np.cumsum(self._rows) - self._rows  # of each slot in `_row_end`
        self._row_end = np.zeros(int(self._rows.sum()), np.int64)  # where the last slice of the row ends
        self._row_used = np.zeros(len(self._row_end), np.bool_)
        self._next_ordinal = np.zeros(TRACKS_PER_BLOCK, np.int64)
        self._busy = [0] * TRACKS_PER_BLOCK
        self._last_leaf = np.full(TRACKS_PER_BLOCK, -1, np.int64)  # position of each slot's last leaf
        self._leaving = no_events()  # what reaches beyond those

    def add(self, tiles: Tiles) -> Events:
        """Checks leaves, given in the order (slot, time). Returns their slices, in that order.

        A slice that reaches in is among them only where it has reached into the track's first leaf of this call.
        """
        tree = self._tree
        leaf = np.repeat(tiles.position, tiles.slice_counts)
        slices = tiles.slices
        slot = tree.slot[leaf]
        shift = 2 * tree.level + 8
        first_tick = (tree.index << shift)[tiles.position]
        stop_tick = ((tree.index + 1) << shift)[tiles.position]
        leaf_start, leaf_stop = np.repeat(first_tick, tiles.slice_counts), np.repeat(stop_tick, tiles.slice_counts)
        flags = slices.flags & ~SliceFlag.REACHES_IN
        reaches_in = (slices.flags & SliceFlag.REACHES_IN) != 0
        end = slices.start + slices.duration

        unknown = (slices.flags & ~_KNOWN_FLAGS) != 0
        self._fail(leaf, unknown, slices.ordinal, "unknown flags")
        beyond = (slices.start < 0) | (slices.duration < 0) | (end > self._catalogue.end)
        self._fail(leaf, beyond, slices.ordinal, "it is not within the run")
        self._fail(leaf, (slices.row < 0) | (slices.row >= self._rows[slot]), slices.ordinal, "its row is not there")
        named = (slices.name >= -1) & (slices.name < self._catalogue.names)
        self._fail(leaf, ~named, slices.ordinal, "its name is not there")
        early = slices.start < leaf_start
        self._fail(leaf, early != reaches_in, slices.ordinal, "its mark for reaching in is wrong")
        outside = (early & (end <= leaf_start)) | (slices.start >= leaf_stop)
        self._fail(leaf, outside, slices.ordinal, "it does not lie in the tile")

        events = Events(
            slot, slices.row, slices.start, slices.duration, slices.name, slices.ordinal, flags, np.zeros_like(slot)
        )
        self._check_starting(leaf, tiles, events, ~early)
        first_of_slot = np.diff(tree.slot[tiles.position], prepend=-1) != 0
        self._check_reaching(tiles.position, first_tick, stop_tick, first_of_slot, leaf, events, early, end > leaf_stop)
        return events.take(~early | np.repeat(first_of_slot, tiles.slice_counts))

    def finish(self) -> None:
        """To be called when all leaves were seen: compares the totals with those of ingest."""
        for event in range(len(self._leaving)):
            slot = int(self._leaving.slot[event])
            raise self._tree.error(
                int(self._last_leaf[slot]), f"event {self._leaving.ordinal[event]} reaches beyond it, where no tile is"
            )
        for track in self._tracks:
            found = int(self._next_ordinal[track.slot]), self._busy[track.slot]
            if not found[0]:
                continue
            if found != (track.events, track.busy):
                what = f"{found[0]} events and {found[1]} busy ticks in its leaves, "
                raise self._catalogue.track_error(track.id, what + f"{track.events} and {track.busy} at ingest")
            base = int(self._row_base[track.slot])
            if not self._row_used[base : base + track.rows].all():
                raise self._catalogue.track_error(track.id, f"not all of its {track.rows} rows have a slice")

    def _check_starting(self, leaf: Ints, tiles: Tiles, events: Events, starting: Mask) -> None:
        """Ordinals are consecutive, the order is canonical, and the slices of a row do not overlap."""
        tree = self._tree
        at = np.flatnonzero(starting)
        ends = np.concatenate([[0], np.cumsum(starting)])
        stops = np.cumsum(tiles.slice_counts)
        count = ends[stops] - ends[stops - tiles.slice_counts]
        for k in np.flatnonzero(count != tree.events[tiles.position]):
            tile = int(tiles.position[k])
            raise tree.error(tile, f"{count[k]} events start in it, the shape record says {tree.events[tile]}")

        slot, ordinal = events.slot[at], events.ordinal[at]
        per_slot = np.bincount(slot, minlength=TRACKS_PER_BLOCK)
        rank = np.arange(len(at)) - np.repeat(np.cumsum(per_slot) - per_slot, per_slot)
        expected = self._next_ordinal[slot] + rank
        for k in np.flatnonzero(ordinal != expected):
            raise tree.error(int(leaf[at[k]]), f"event {ordinal[k]} stands where event {expected[k]} should")
        self._next_ordinal += per_slot

        start, duration = events.start[at], events.duration[at]
        same = slot[1:] == slot[:-1]
        tie = start[1:] == start[:-1]
        unordered = same & ((start[1:] < start[:-1]) | (tie & (duration[1:] > duration[:-1])))
        self._fail(leaf[at[1:]], unordered, ordinal[1:], "it stands before an event that is to come first")

        row = self._row_base[slot] + events.row[at]
        order = np.argsort(row, kind="stable")
        row, start, end = row[order], start[order], start[order] + duration[order]
        first = np.diff(row, prepend=-1) != 0
        before = np.concatenate([[0], end[:-1]]) if len(end) else end
        before[first] = self._row_end[row[first]]
        self._fail(leaf[at[order]], start < before, ordinal[order], "it overlaps the slice before it in its row")
        last = np.diff(row, append=-1) != 0
        self._row_end[row[last]] = end[last]
        self._row_used[row[last]] = True
        starts = np.concatenate([[0], np.cumsum(per_slot)])
        for k in np.flatnonzero(per_slot):
            self._busy[k] += exact_sum(duration[starts[k] : starts[k + 1]])

    def _check_reaching(
        self,
        position: Ints,
        first_tick: Ints,
        stop_tick: Ints,
        first_of_slot: Mask,
        leaf: Ints,
        events: Events,
        reaches_in: Mask,
        reaches_out: Mask,
    ) -> None:
        """What reaches out of a leaf is exactly what reaches into the next one, which begins where the leaf ends."""
        tree = self._tree
        slots = tree.slot[position]
        last_of_slot = np.diff(slots, append=-1) != 0
        known = np.isin(self._leaving.slot, slots)
        index_of = np.zeros(len(tree), np.int64)
        index_of[position] = np.arange(len(position))

        out = events.take(reaches_out)
        out_leaf = index_of[leaf[reaches_out]]
        staying = last_of_slot[out_leaf]
        carried = self._leaving.take(known)
        first_leaf = np.zeros(TRACKS_PER_BLOCK, np.int64)
        first_leaf[slots[first_of_slot]] = np.flatnonzero(first_of_slot)
        source = np.concatenate([self._last_leaf[carried.slot], position[out_leaf[~staying]]])
        target = np.concatenate([first_leaf[carried.slot], out_leaf[~staying] + 1])
        expected = join([carried, out.take(~staying)])
        source_stop = (tree.index[source] + 1) << (2 * tree.level[source] + 8)
        gap = source_stop != first_tick[target]
        for k in np.flatnonzero(gap):
            raise tree.error(int(source[k]), f"event {expected.ordinal[k]} reaches beyond it, where no tile is")
        order = np.argsort(target, kind="stable")
        target, expected = target[order], expected.take(order)
        found = events.take(reaches_in)
        found_leaf = index_of[leaf[reaches_in]]
        per_leaf = np.bincount(target, minlength=len(position)), np.bincount(found_leaf, minlength=len(position))
        for k in np.flatnonzero(per_leaf[0] != per_leaf[1]):
            what = f"{per_leaf[1][k]} slices reach into it, {per_leaf[0][k]} reach out of the tile before it"
            raise tree.error(int(position[k]), what)
        for column in ("ordinal", "start", "duration", "row", "name", "flags"):
            for k in np.flatnonzero(getattr(expected, column) != getattr(found, column)):
                what = f"{column} {getattr(found, column)[k]}, in the tile before it {getattr(expected, column)[k]}"
                raise tree.error(int(position[found_leaf[k]]), f"event {found.ordinal[k]} reaches in with {what}")
        self._leaving = join([self._leaving.take(~known), out.take(staying)])
        self._last_leaf[slots[last_of_slot]] = position[last_of_slot]

    def _fail(self, leaf: Ints, wrong: Mask, ordinal: Ints, what: str) -> None:
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise self._tree.error(int(leaf[k]), f"event {ordinal[k]}: {what}")
