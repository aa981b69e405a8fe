"""Time of the operations of a host's threads in any windows, exactly: in ticks of the timeline.

Sums of the leaves that a page has of a track are kept, so that a question reads again only those that its windows cut.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.host_operations.event_ops import EventOps
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Slices
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.span_sums import LEFT_OUT, SpanSums
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

# Events of a track that are looked at without further ado: of some leaves.
_FEW_EVENTS: Final = 1 << 15

# Rows of sums that are kept, of some 60 bytes.
_KEPT_ROWS: Final = 500_000
_ROW_BYTES: Final = 40  # five numbers

# Leaves whose operations are kept, of some hundred events: the ends of tracks are looked at before all of them.
_KEPT_LEAVES: Final = 256

# A short track has both ends on the page that is added up next: some hundred kilobytes.
_KEPT_PAGES: Final = 4

# Pages between which whoever asks may stop: some milliseconds.
_PAGES_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class OpPart:
    """Sums of operations by number, each once: columns of shape (n,); times in ticks."""

    op: Ints
    count: Ints  # that start there
    total: Ints  # what lies there
    own: Ints  # without the operations in them
    longest: Ints  # of those that start there


class OpSums:
    """Sums of operations on the tracks of one run. Several threads may share it."""

    def __init__(self, reader: QueryReader, ops: EventOps) -> None:
        self._reader = reader
        self._ops = ops
        self._kept: OrderedDict[tuple[int, int], OpPart] = OrderedDict()  # by track and first tile of the page
        self._rows = 0
        self._lock = Lock()
        self._decoded = lru_cache(_KEPT_PAGES)(reader.decoded_page)
        self._without: dict[int, bool] = {}
        self._spans: dict[int, tuple[int, int] | None] = {}
        self._ends: OrderedDict[tuple[int, int], Codes] = OrderedDict()  # by track and tile, operations of leaves

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        with self._lock:
            return self._rows * _ROW_BYTES + sum(codes.nbytes for codes in self._ends.values())

    def parts(self, track: int, windows: Windows) -> Iterator[OpPart | None]:
        """Parts that add up to the sums of a track; None where the caller may stop. Raises DamagedStore, NotBuilt."""
        leaves = _Leaves(self._reader, track)
        if self._has_none(leaves):
            return
        windows = self._prolonged(windows)
        for number, tiles in enumerate(leaves.by_page()):
            first, stop = leaves.times(tiles)
            if windows.meet(first, stop).any():
                page = int(leaves.of_block.page_starts_of(tiles[:1])[0])
                if windows.cover(first, stop).all():
                    yield self._whole(leaves, page, tiles)
                else:
                    yield self._read(leaves, page, leaf_parts(leaves.shape, tiles, windows))
            if number % _PAGES_AT_ONCE == _PAGES_AT_ONCE - 1:
                yield None

    def span(self, track: int) -> tuple[int, int] | None:
        """The start of the first operation of a track, and the end of the last one. Raises DamagedStore, NotBuilt."""
        if track not in self._spans:
            leaves = _Leaves(self._reader, track)
            first = last = None
            if not self._has_none(leaves):
                first = self._bounds(leaves, leaves.tiles)
                last = self._bounds(leaves, leaves.tiles[::-1])
            self._spans[track] = None if first is None or last is None else (first[0], last[1])
        return self._spans[track]

    def _bounds(self, leaves: _Leaves, order: Ints) -> tuple[int, int] | None:
        """Begin and end of operations in the first of some leaves that has any: all of those that reach into it."""
        for tile in order.tolist():
            page = int(leaves.of_block.page_starts_of(np.array([tile]))[0])
            decoded = self._decoded(leaves.of_block.page_key(page))
            rows = slice(int(decoded.slice_ends[tile - page]), int(decoded.slice_ends[tile - page + 1]))
            slices = decoded.slices
            is_op = self._leaf_ops(leaves.track, tile, slices, rows) != LEFT_OUT
            if is_op.any():
                start, duration = slices.start[rows][is_op], slices.duration[rows][is_op]
                return int(start.min()), int((start + duration).max())
        return None

    def _leaf_ops(self, track: int, tile: int, slices: Slices, rows: slice) -> Codes:
        """The operation of each slice of a leaf by number, or LEFT_OUT; `rows`: its slices among those of its page."""
        key = track, tile
        with self._lock:
            if key in self._ends:
                return self._ends[key]
        codes = self._ops.of_events(track, slices.name[rows], slices.ordinal[rows])
        with self._lock:
            self._ends[key] = codes
            while len(self._ends) > _KEPT_LEAVES:
                self._ends.popitem(last=False)
        return codes

    def _has_none(self, leaves: _Leaves) -> bool:
        """True if no event on the pages of a track can be an operation."""
        if leaves.track not in self._without:
            self._without[leaves.track] = self._finds_none(leaves)
        return self._without[leaves.track]

    def _finds_none(self, leaves: _Leaves) -> bool:
        shape = leaves.shape
        telling = self._ops.telling(self._reader.file_of(leaves.track))
        if self._reader.tree.tracks[leaves.track].events < _FEW_EVENTS:
            return False  # to look at them is less work than to look at the names on all pages of the block
        whole = self._reader.whole_histogram(leaves.track)
        if whole is not None:
            return not (whole.has_other_names or bool(telling[whole.name + 1].any()))
        starts = shape.page_starts()
        pages = self._reader.page_names(shape.block).pages_with(telling, len(starts))
        return not np.isin(leaves.of_block.page_starts_of(leaves.tiles), starts[pages]).any()

    def _prolonged(self, windows: Windows) -> Windows:
        """Leaves reach beyond the run, and are within its last window all the same."""
        if windows.stop <= self._reader.end:
            return windows
        return Windows(windows.starts, np.append(windows.stops[:-1], TICK_LIMIT))

    def _whole(self, leaves: _Leaves, page: int, tiles: Ints) -> OpPart:
        key = leaves.track, page
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        part = self._read(leaves, page, np.stack((tiles, *leaves.times(tiles))))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = part
                self._rows += len(part.op) + 1
            while self._rows > _KEPT_ROWS:
                _, dropped = self._kept.popitem(last=False)
                self._rows -= len(dropped.op) + 1
        return part

    def _read(self, leaves: _Leaves, page: int, parts: Ints) -> OpPart:
        """The sums of parts of leaves on a page."""
        key = leaves.of_block.page_key(page)
        content, decoded = self._reader.page_content(key), self._decoded(key)
        slices = decoded.slices
        names = np.full(len(slices), LEFT_OUT, np.int32)
        has_ops = False
        for tile in np.unique(parts[0]).tolist():
            rows = slice(int(decoded.slice_ends[tile - page]), int(decoded.slice_ends[tile - page + 1]))
            names[rows] = self._leaf_ops(leaves.track, tile, slices, rows)
            has_ops = has_ops or bool((names[rows] != LEFT_OUT).any())
        if not has_ops:
            return NO_OPS
        sums = SpanSums()
        sums.add_leaves(content, leaves.shape, page, parts, names=names)
        op_sums = sums.take()
        return OpPart(
            op_sums.name,
            op_sums.count,
            op_sums.busy,
            op_sums.self_busy,
            np.where(op_sums.count > 0, op_sums.longest, 0),
        )


class _Leaves:
    """The leaves of a track."""

    def __init__(self, reader: QueryReader, track: int) -> None:
        self.track = track
        self.of_block = reader.tiles(track // TRACKS_PER_BLOCK)
        self.shape = self.of_block.shape
        self.tiles = self.shape.leaves(track % TRACKS_PER_BLOCK)  # by time

    def times(self, tiles: Ints) -> tuple[Ints, Ints]:
        """First tick of some leaves, and first tick after them."""
        shift = 2 * self.shape.level[tiles] + 8
        stop = np.minimum((self.shape.index[tiles] + 1) << shift, TICK_LIMIT)
        return self.shape.index[tiles] << shift, stop

    def by_page(self) -> list[Ints]:
        """Tiles of each page, in the order of the page."""
        tiles = np.sort(self.tiles)
        pages = self.of_block.page_starts_of(tiles)
        return np.split(tiles, np.flatnonzero(np.diff(pages)) + 1) if len(tiles) else []


_NO: Final[Any] = np.zeros(0, np.int64)
NO_OPS: Final = OpPart(_NO, _NO, _NO, _NO, _NO)
