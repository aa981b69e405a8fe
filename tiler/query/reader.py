"""An open store, with what several questions need of it decoded once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.caches import Memo, forget_copied_values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore, NotBuilt
from tilescope.tiler.garbage import seldom_collected
from tilescope.tiler.lookup.arguments import event_metadata
from tilescope.tiler.lookup.manifest import run_manifest
from tilescope.tiler.lookup.steps import marked_steps
from tilescope.tiler.lookup.tiles import block_shape, page_content, stored_page
from tilescope.tiler.lookup.tracks import file_of, file_of_tracks
from tilescope.tiler.pages import (
    TRACKS_PER_BLOCK,
    Page,
    PageKey,
    TileFlag,
    decode_columns,
    decompress,
    with_residual,
)
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import PAGE_MAGIC, with_columns
from tilescope.tiler.query.events import EventPlan
from tilescope.tiler.query.interruptible import Interruptible
from tilescope.tiler.query.kept_pages import KeptBytes
from tilescope.tiler.query.names import Names
from tilescope.tiler.query.outliers import RunOutliers
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.query.so_far import StoreSoFar
from tilescope.tiler.query.tracks import TrackTree
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, Histogram
from tilescope.tiler.records.page_names import PAGE_NAMES, PageNames, join_page_names
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.resolver import PageWant, TileIndex, TrackRequest, View, resolve
from tilescope.tiler.store.store import Store, need
from tilescope.tiler.store.two_threads import WORTH_A_THREAD, for_each
from tilescope.tiler.windows import Windows
from tilescope.tiler.work_rules import NO_WORK_RULES, WorkRules

# Blocks whose tiles are kept arranged: some megabytes for a run of ten million events.
_KEPT_BLOCKS = 64

# Bytes of an entry are those of the largest block of three traces of GPUs, by tracemalloc.
_TILES = Memo("tiles", "Tiles of blocks, arranged", 13_000)
_PAGE_NAMES = Memo("page_names", "Pages of blocks on which names occur", 20_000)

# What native code needs to say when slices of which names run.
_OF_SLICES = frozenset({Col.INDEX, Col.SLOT, Col.N_SLICES, Col.START, Col.DURATION, Col.NAME})

# Where counters and devices share pages, the others are nine tenths of them; else a page is kept whole for all readers.
_WORTH_A_PART = 4

# Rollups whose tracks are kept: those of a screen.
_KEPT_ROLLUPS = 128


class TopTile(NamedTuple):
    """Level and index of the tile that has all slices of a track."""

    level: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here


class QueryReader:
    """Answers for one store, which it does not close. For whatever thread.

    `work_rules` are a user's, of what kind of work names are: what is kept with a reader is of these. `outliers` is
    what sums leave out; None: nothing.
    """

    def __init__(self, store: Store, work_rules: WorkRules = NO_WORK_RULES) -> None:
        self._so_far = StoreSoFar(store) if store.is_growing else None
        self.store: Store = self._so_far or store
        self.work_rules = work_rules
        self.manifest = run_manifest(store) if self._so_far is None else self._so_far.run_manifest()
        self.outliers: RunOutliers | None = None
        self.root_level = self.manifest.root_level
        self.tick_ps = self.manifest.tick_ps
        self.end = self.manifest.end
        tree = TrackTree.decode(need(self.store, TRACKS))
        self.tree = tree if self._so_far is None else self._so_far.tree(tree)
        self.names = Names(self.store)
        self._kept_children = lru_cache(_KEPT_ROLLUPS)(self.tree.children)
        self._kept_tiles = _TILES.remembered(self._arrange, _KEPT_BLOCKS)
        self._kept_page_names = _PAGE_NAMES.remembered(self._read_page_names, _KEPT_BLOCKS)
        self._kept_content = KeptBytes(self._content)
        self._kept_slices = KeptBytes(self.slice_content)  # of pages that are mostly something else
        self._kept_histograms = KeptBytes(self._histogram)
        self._kept_block_histograms = KeptBytes(self._block_histogram)

    @cached_property
    def without_outliers(self) -> QueryReader:
        """The same, whose sums leave outliers out; itself where there are none."""
        try:
            outliers = RunOutliers.read(self.manifest)
        except NotBuilt:  # figures are of all events so far
            return self
        if outliers is None:
            return self
        reader = copy.copy(self)
        forget_copied_values(reader)
        reader.outliers = outliers
        return reader

    @property
    def is_incomplete(self) -> bool:
        """True if something was read that is not there yet, or not final, of a run that is still being indexed."""
        return self._so_far is not None and self._so_far.is_incomplete

    @property
    def has_moved(self) -> bool:
        """True if the run is laid out otherwise by now than when this reader was made, because it is still read."""
        return self._so_far is not None and self._so_far.has_moved

    @property
    def is_whole(self) -> bool:
        """True if all of the run is there. Callers rely on it: if it is not, this counts as `is_incomplete`."""
        if self._so_far is not None:
            self._so_far.mark_incomplete()
        return self._so_far is None

    @cached_property
    def steps(self) -> RunSteps:
        """The steps that the trace marks, as far as it is built. Raises DamagedStore."""
        with seldom_collected():  # a pod has thousands of tracks with steps, and all of these objects stay
            return RunSteps(self.tree, self.names, file_of_tracks(self.store), marked_steps(self.store))

    def file_of(self, track: int) -> int:
        """The file of a track, -1 of a rollup: an index into the manifest's `files`. Raises DamagedStore."""
        return file_of(self.store, track)

    def event_metadata(self, file: int) -> XStatTables | None:
        """Names and stats that events of a file's kinds share; None for a file whose format has none.

        Raises DamagedStore, StoredLast.
        """
        return event_metadata(self.store, file)

    def tiles(self, block: int) -> TileIndex:
        """The tiles of a block. Raises DamagedStore or NotBuilt when it has no shape record."""
        return self._kept_tiles(block)

    def plan(self, track: int, windows: Windows) -> EventPlan:
        """Plan for reading events of a track that overlap a window. Raises UsageError where there is no such track."""
        self.tree.kind(track)
        return EventPlan(self.tiles(track // TRACKS_PER_BLOCK), track, windows, self.root_level)

    def leaves_of(self, track: int, ordinals: NDArray[np.int64]) -> Windows:
        """Windows of the leaves in which these events start. Raises UsageError when there is no such track."""
        self.tree.kind(track)
        shape = self.tiles(track // TRACKS_PER_BLOCK).shape
        leaves = shape.leaves(track % TRACKS_PER_BLOCK)
        has_start = np.zeros(len(leaves), np.bool_)
        has_start[np.searchsorted(np.cumsum(shape.events[leaves]), ordinals, side="right")] = True
        starting_leaves = leaves[has_start]
        shift = 2 * shape.level[starting_leaves] + 8
        return Windows.from_spans(shape.index[starting_leaves] << shift, (shape.index[starting_leaves] + 1) << shift)

    def ordinals_near(self, track: int, windows: Windows) -> tuple[int, int]:
        """Ordinals of a track between which its events are that start in the windows, both included; 0 and -1 of none.

        Up to a leaf more of them on either side. Raises UsageError when there is no such track.
        """
        self.tree.kind(track)
        if not len(windows.starts):
            return 0, -1
        shape = self.tiles(track // TRACKS_PER_BLOCK).shape
        leaves = shape.leaves(track % TRACKS_PER_BLOCK)
        shift = 2 * shape.level[leaves] + 8
        ends = np.cumsum(shape.events[leaves])  # an ordinal is a rank by start
        is_near = (shape.index[leaves] << shift < windows.stops[-1]) & (
            shape.index[leaves] + 1 << shift > windows.starts[0]
        )
        near = np.flatnonzero(is_near)
        if not len(near):
            return 0, -1
        return int(ends[near[0]] - shape.events[leaves][near[0]]), int(ends[near[-1]]) - 1

    def whole_histogram(self, track: int) -> Histogram | None:
        """The stored histogram of all slices of a track; None where there is none. Raises DamagedStore."""
        top = self.top_tile(track)
        if top is None:
            return None
        record = self.histogram_record(track, *top)
        return Histogram.decode(record, track, top.level) if record else None

    def top_tile(self, track: int) -> TopTile | None:
        """The tile with all slices of a track, if it may have a histogram. Raises DamagedStore."""
        tiles = self.tiles(track // TRACKS_PER_BLOCK)
        shape, top = tiles.shape, tiles.tops.get(track % TRACKS_PER_BLOCK)
        if top is None or not shape.flags[top] & TileFlag.HAS_HISTOGRAM:
            return None
        if int(shape.events[top]) != self.tree.tracks[track].events:
            return None
        return TopTile(int(shape.level[top]), int(shape.index[top]))

    def histogram_record(self, track: int, level: int, index: int) -> bytes:
        """The histogram of a tile, uncompressed; nothing where it has none. Raises DamagedStore."""
        return self._kept_histograms((track, level, index))

    def block_histogram_record(self, block: int, level: int, index: int) -> bytes:
        """That of a tile of all tracks of a block."""
        return self._kept_block_histograms((block, level, index))

    def pages(self, view: View, tracks: Sequence[int], nearby: Sequence[int] = ()) -> list[PageWant]:
        """The pages that show some tracks in a view, most urgent first. Raises UsageError for an unknown track."""
        visible, around = ([self._request(track) for track in part] for part in (tracks, nearby))
        return resolve(view, visible, self.tiles, self.root_level, around)

    def has_residual(self, page: PageKey) -> bool:
        """True if something was rounded off the bins of a page. Raises DamagedStore or NotBuilt as `tiles`."""
        return page in self.tiles(page.block).with_residual

    def exact_page(self, key: PageKey) -> Page:
        """A page, with what was rounded off its bins. Raises DamagedStore or NotBuilt."""
        page = self.decoded_page(key)
        if not self.has_residual(key):
            return page
        member = stored_page(self.store, key.residual)
        if member is None:
            raise DamagedStore(f"{key.residual.text()} is missing")
        return with_residual(page, decompress(member))

    def decoded_page(self, key: PageKey) -> Page:
        """A page, without its residual. Raises DamagedStore when it is not there."""
        return decode_columns(self.page_content(key))

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed, without its residual. Raises DamagedStore when it is not there."""
        return self._kept_content(key)

    def slice_content(self, key: PageKey) -> bytes:
        """A page, uncompressed, for those who read when slices of which names run; other columns may be left out.

        Raises DamagedStore.
        """
        content = self._kept_content.get(key) or self._kept_slices.get(key)
        if content is not None:
            return content
        content = self._content(key)
        part = None
        if content[: len(PAGE_MAGIC)] == PAGE_MAGIC:
            part = with_columns(content, _OF_SLICES, len(content) // _WORTH_A_PART)
        return self._kept_content.keep(key, content) if part is None else self._kept_slices.keep(key, part)

    def slice_contents(self, keys: Sequence[PageKey]) -> Interruptible[list[bytes]]:
        """The same of several pages, read by two threads where that is worth it. Raises DamagedStore."""
        content = self.slice_content
        unread = [key for key in dict.fromkeys(keys) if key not in self._kept_content and key not in self._kept_slices]
        read: dict[PageKey, bytes] = {}
        if len(unread) >= WORTH_A_THREAD:
            contents = yield from for_each(unread, lambda key, content: content(key), content, content)
            read = dict(zip(unread, contents, strict=True))
        # Few are kept for long: those that were read are not looked up again.
        return [read[key] if key in read else content(key) for key in keys]

    def page_names(self, block: int) -> PageNames:
        """On which pages of a block the slices of each name start. Raises DamagedStore or NotBuilt as `tiles`."""
        return self._kept_page_names(block)

    def pages_with_names(self, block: int, names: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the tiles of a block: true for the first of each page on which a slice of these names starts.

        `names`: mask by name id, that of events without one first. Raises DamagedStore or NotBuilt as `tiles`.
        """
        shape = self.tiles(block).shape
        starts = shape.page_starts()
        has_names = np.zeros(len(shape), np.bool_)
        has_names[starts[self.page_names(block).pages_with(names, len(starts))]] = True
        return has_names

    def _content(self, key: PageKey) -> bytes:
        return page_content(self.store, key)

    def _histogram(self, key: tuple[int, int, int]) -> bytes:
        record = self.store.get(HISTOGRAM, *key)
        return b"" if record is None else decompress(record)

    def _block_histogram(self, key: tuple[int, int, int]) -> bytes:
        record = self.store.get(BLOCK_HISTOGRAM, *key)
        return b"" if record is None else decompress(record)

    def _request(self, track: int) -> TrackRequest:
        kind = self.tree.kind(track)
        return TrackRequest(track, kind, self._kept_children(track) if kind == "rollup" else None)

    def _read_page_names(self, block: int) -> PageNames:
        self.tiles(block)  # it is there
        records = [record for _, record in self.store.scan(PAGE_NAMES, block)]
        if not records:
            raise DamagedStore(f"the names on the pages of block {block} are missing (index the trace again)")
        return join_page_names(PageNames.decode(decompress(record), block) for record in records)

    def _arrange(self, block: int) -> TileIndex:
        return TileIndex(block_shape(self.store, block))
