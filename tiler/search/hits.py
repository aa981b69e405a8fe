"""Selected events, by time: from any place on, forwards or backwards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.container import MAX_ROWS
from tilescope.tiler.query import Interruptible, Place, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search.argument_test import ArgumentTest
from tilescope.tiler.search.duration_filter import lasting
from tilescope.tiler.search.leaves import LeafPart, Leaves, leaves
from tilescope.tiler.search.selection import Selection, occurring
from tilescope.tiler.store.two_threads import for_each, in_a_call
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

# Leaves that are looked through at a time, with all that begin no later: few at first, as the next hit is often near.
_FEWEST_LEAVES = 8
_MOST_LEAVES = 512

# Leaves are listed part by part: at first those of this part of the run, then of four times as much, and so on.
_FIRST_PART_SHIFT = 9
_PARTS = 5

# When so many parts had too few hits, these are rare: then it pays to ask histograms which leaves cannot have one.
_NEAR_PARTS = 2

Sink = TypeVar("Sink", _native.HitRows, _native.HitBins)


@dataclass(frozen=True, slots=True)
class Hits:
    """Events; columns of shape (n,); times in ticks."""

    track: Ints
    ordinal: Ints
    start: Ints
    duration: Ints
    row: Ints
    name: Ints  # name id, -1 none
    flags: Ints

    def __len__(self) -> int:
        return len(self.track)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Hits:
        """Some of them."""
        return Hits(*(getattr(self, column)[which] for column in self.__slots__))

    def by_time(self) -> Hits:
        """In the order of their places."""
        return self.take(np.lexsort((self.ordinal, self.track, self.start)))

    def place(self, k: int) -> Place:
        """Place of one of the hits."""
        return Place(int(self.start[k]), int(self.track[k]), int(self.ordinal[k]))

    def is_after(self, place: Place) -> NDArray[np.bool_]:
        """True for each hit that comes after a place."""
        at_once = (self.start == place.start) & (self.track >= place.track)
        later: NDArray[np.bool_] = (self.track > place.track) | (self.ordinal > place.ordinal)
        after: NDArray[np.bool_] = (self.start > place.start) | (at_once & later)
        return after


@dataclass(frozen=True, slots=True)
class HitPage:
    """Some hits in order, and how far was looked: `more` is where to go on, None at the end."""

    hits: Hits
    more: Place | None


def join(parts: Sequence[Hits]) -> Hits:
    """All of some parts, one after the other."""
    none = np.zeros(0, np.int64)
    return Hits(*(np.concatenate([none, *(getattr(part, column) for part in parts)]) for column in Hits.__slots__))


class Finder:
    """Finds the selected events in leaves."""

    def __init__(self, reader: QueryReader, selection: Selection, *, reaching: bool = False) -> None:
        self._reader = reader
        self._selection = selection
        self._reaching = reaching
        self._test = ArgumentTest(reader, selection.arguments) if selection.arguments else None
        self.events = 0  # whose arguments were looked at

    def find(self, batches: Sequence[Leaves]) -> Interruptible[Hits]:
        """The selected events in some leaves, in no order. Raises DamagedStore."""
        alike: dict[int, list[Leaves]] = {}  # an id is taken while its object lives
        for batch in batches:
            alike.setdefault(id(batch.windows), []).append(batch)
        parts: list[Hits] = []
        for groups in alike.values():
            rows, aside = self._rows(groups[0].windows), self._rows(groups[0].windows)
            yield from look_through(groups, self._add, rows, aside)
            yield
            parts += [Hits(*sink.take()) for sink in (rows, aside) if len(sink)]
        hits = parts[0] if len(parts) == 1 else join(parts)
        if self._test is None:
            return hits
        self.events += len(hits)
        return hits.take((yield from self._test.holds(hits.track, hits.ordinal)))

    def _rows(self, windows: Windows) -> _native.HitRows:
        selection = self._selection
        return _native.HitRows(
            selection.names, selection.shortest, selection.longest, windows.starts, windows.stops, self._reaching
        )

    def _add(self, batch: Leaves, rows: _native.HitRows) -> None:
        add_leaves(rows, self._reader, batch, batch.tracks)


def look_through(
    batches: Sequence[Leaves], add: Callable[[Leaves, Sink], None], into: Sink, aside: Sink | None
) -> Interruptible[None]:
    """Adds what is found in leaves, some pages of a block at a time: by two threads where it pays, one into `aside`."""
    pages = in_a_call(sum(batch.n_pages for batch in batches))
    yield from for_each([part for batch in batches for part in batch.bundles(pages)], add, into, aside, records=pages)


def add_leaves(sink: _native.HitRows | _native.HitBins, reader: QueryReader, batch: Leaves, tag: Ints) -> None:
    """Adds what is found in leaves of one block. Raises DamagedStore."""
    tiles = reader.tiles(batch.block)
    starts, page = batch.pages()
    keys = [tiles.page_key(start) for start in starts.tolist()]

    def add(contents: list[bytes], page: Ints, which: slice) -> None:
        columns = (batch.tile - batch.page, batch.index, batch.slot, batch.first, batch.after, tag)
        sink.add(contents, MAX_ROWS, page, *(column[which] for column in columns))

    contents = [reader.page_content(key) for key in keys]
    try:
        add(contents, page, slice(None))
    except _native.DamagedContainer:
        borders = np.searchsorted(page, np.arange(len(keys) + 1)).tolist()
        for key, content, (first, last) in zip(keys, contents, pairwise(borders), strict=True):
            try:
                add([content], np.zeros(last - first, np.int64), slice(first, last))
            except _native.DamagedContainer as error:
                raise DamagedStore(f"{key.text()}: {error}") from None
        raise


def page_of_hits(
    reader: QueryReader,
    selection: Selection,
    windows_of: WindowsOf,
    limit: int,
    after: Place | None = None,
    *,
    backward: bool = False,
    examined: int | None = None,
) -> Interruptible[HitPage]:
    """The first hits that start in the windows, from a place on (of a hit or not), or the last before it.

    Looks at the arguments of about `examined` events; then there may be fewer hits, and more all the same. Raises
    DamagedStore.
    """
    clipped: dict[int, tuple[Windows, Windows]] = {}  # an id is taken while its object lives

    def left(track: int) -> Windows:
        windows = windows_of(track)
        if after is None:
            return windows
        if id(windows) not in clipped:
            span = (0, after.start + 1) if backward else (after.start, TICK_LIMIT)
            clipped[id(windows)] = windows, windows.clipped(*span)
        return clipped[id(windows)][1]

    yield
    selection = yield from occurring(reader, selection)
    track_windows = [windows for windows in map(left, selection.tracks) if len(windows)]
    span = TickRange(
        *(
            (min(windows.start for windows in track_windows), max(windows.stop for windows in track_windows))
            if track_windows
            else (0, 0)
        )
    )

    def list_part(number: int, part: LeafPart) -> Interruptible[_Listed]:
        part_leaves = []
        for batch in leaves(reader, selection, left, reaching=False, part=part):
            part_leaves.append((yield from lasting(reader, selection, batch)) if number >= _NEAR_PARTS else batch)
            yield
        return _Listed(part_leaves, part.start if backward else part.stop)

    parts = _parts(span, max(reader.end >> _FIRST_PART_SHIFT, 1), backward=backward)
    bound = span.stop if backward else span.start
    queue = _Queue(itertools.starmap(list_part, enumerate(parts)), bound, backward=backward)
    yield
    finder = Finder(reader, selection)
    hits_so_far = join([])
    size = _FEWEST_LEAVES
    while (yield from queue.has_more()):
        hits = yield from finder.find(queue.take(size))
        if len(hits):
            if after is not None:
                is_after = hits.is_after(after)
                at_place = (hits.start == after.start) & (hits.track == after.track) & (hits.ordinal == after.ordinal)
                hits = hits.take(~is_after & ~at_place if backward else is_after)
            hits_so_far = join([hits_so_far, hits]).by_time()
        frontier = queue.frontier
        final = hits_so_far.start >= frontier if backward else hits_so_far.start < frontier
        if int(final.sum()) > limit:
            break
        if examined is not None and finder.events >= examined:
            return _part(hits_so_far.take(final), frontier, limit, backward=backward)
        size = min(2 * size, _MOST_LEAVES)
    if backward:
        hits_so_far = hits_so_far.take(slice(None, None, -1))
    listed = hits_so_far.take(slice(limit))
    return HitPage(listed, listed.place(-1) if 0 < len(listed) < len(hits_so_far) else None)


def _part(hits: Hits, frontier: int, limit: int, *, backward: bool) -> HitPage:
    """Page of the hits that are final once the search has got up to `frontier`, or down to it."""
    if backward:
        return HitPage(hits.take(slice(None, None, -1)).take(slice(limit)), Place(frontier, 0, 0))
    return HitPage(hits.take(slice(limit)), Place(max(frontier - 1, 0), (1 << 32) - 1, (1 << 62)))


def _parts(span: TickRange, width: int, *, backward: bool) -> Iterator[LeafPart]:
    """A span from one end to the other, each part four times as wide as the one before, and then the rest."""
    start, stop = span
    for number in range(_PARTS + 1):
        if start >= stop:
            return
        wide = stop - start if number == _PARTS else min(width << (2 * number), stop - start)
        if backward:
            yield LeafPart(stop - wide, stop, backward=True)
            stop -= wide
        else:
            yield LeafPart(start, start + wide)
            start += wide


@dataclass(frozen=True, slots=True)
class _Listed:
    """All leaves up to a tick, or down to it, that were not listed before."""

    groups: Sequence[Leaves]
    bound: int


class _Queue:
    """Leaves in the order in which they are looked through. What starts before `frontier`, or not before, is known."""

    def __init__(self, parts: Iterator[Interruptible[_Listed]], bound: int, *, backward: bool) -> None:
        self._parts = parts
        self._backward = backward
        self._bound = bound
        self._list([])

    def _list(self, groups: Sequence[Leaves]) -> None:
        """Lists leaves by distance. Those with the end of their windows where the search begins are equally near."""
        self._groups = groups
        none = [np.zeros(0, np.int64)]
        group = np.repeat(np.arange(len(groups)), [len(leaves) for leaves in groups])
        position = np.concatenate(none + [np.arange(len(leaves)) for leaves in groups])
        if self._backward:
            edge = np.concatenate(none + [np.minimum(leaves.stop, leaves.windows.stop) for leaves in groups])
        else:
            edge = np.concatenate(none + [np.maximum(leaves.first, leaves.windows.start) for leaves in groups])
        order = np.argsort(-edge if self._backward else edge, kind="stable")
        self._group, self._position, self._edge = group[order], position[order], edge[order]
        self._next = 0

    def has_more(self) -> Interruptible[bool]:
        """True if there are any left. Lists those of the next part where there is one."""
        while self._next >= len(self._edge):
            listing = next(self._parts, None)
            if listing is None:
                self._bound = 0 if self._backward else TICK_LIMIT
                return False
            listed = yield from listing
            self._bound = listed.bound
            self._list(listed.groups)
        return True

    @property
    def frontier(self) -> int:
        return self._bound if self._next >= len(self._edge) else int(self._edge[self._next])

    def take(self, count: int) -> list[Leaves]:
        """The next leaves, of which there are some, and all that begin or end with the last of them."""
        last = self._edge[min(self._next + count, len(self._edge)) - 1]
        edges = -self._edge if self._backward else self._edge
        stop = int(np.searchsorted(edges, -last if self._backward else last, side="right"))
        batch = slice(self._next, stop)
        self._next = stop
        group, position = self._group[batch], self._position[batch]
        return [self._groups[k].take(np.sort(position[group == k])) for k in np.unique(group).tolist()]
