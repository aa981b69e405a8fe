"""Goes through every record of a store: none is missing, none is there that should not be, no byte differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Set

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details.chunk import count_of
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, XStatTables, check_page, page_count
from tilescope.tiler.errors import DamagedStore, FormatFailed
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Shape
from tilescope.tiler.readers.formats import codec
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.catalogue import record_of
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.origins import ORIGINS
from tilescope.tiler.records.overview import OVERVIEW, OverviewGrid
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.tables import TABLES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.answers import AnswerCheck
from tilescope.tiler.verify.attachments import AttachmentCheck
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.flow_bins import FlowTileCheck
from tilescope.tiler.verify.flows import FlowRecordCheck
from tilescope.tiler.verify.launches import LaunchCheck
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.operations import OperationCheck
from tilescope.tiler.verify.origins import OriginCheck
from tilescope.tiler.verify.own_texts import OwnTextCheck
from tilescope.tiler.verify.page_reader import check_bytes, inflate
from tilescope.tiler.verify.prover import Prover, Take
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.side_tables import SideTableCheck
from tilescope.tiler.verify.steps import StepRecordCheck
from tilescope.tiler.verify.stored_rows import StoredRowsCheck
from tilescope.tiler.verify.tree import BlockTree


def read_trees(store: Store, catalogue: Catalogue) -> list[BlockTree]:
    """The tiles of all blocks. Raises DamagedStore where they form no trees."""
    trees: list[BlockTree] = []
    for number in range(-(-len(catalogue.tracks) // TRACKS_PER_BLOCK)):
        record = store.get(SHAPE, number)
        if record is None:
            raise _error(store, f"the shape record of block {number} is missing")
        try:
            shape = Shape.decode(inflate(record))
        except DamagedStore as error:
            raise _error(store, f"the shape record of block {number} is damaged: {error}") from error
        if shape.block != number:
            raise _error(store, f"the shape record of block {number} is that of block {shape.block}")
        trees.append(BlockTree(catalogue, shape))
    return trees


class RecordCheck:
    """Takes all records in the order of their keys, and has a prover for each kind."""

    def __init__(self, store: Store, catalogue: Catalogue, trees: list[BlockTree], memory: ProofMemory) -> None:
        self._store = store
        self._memory = memory
        self._catalogue = catalogue
        self._trees = trees
        self._tally = tally = Tally()
        self._pages = [0] * len(trees)  # seen so far, of each block
        self._names = 0
        self._details = [0] * len(catalogue.tracks)  # events seen so far, of each track
        self._tables = 0
        self._tables_entries: list[int] = []  # of each file
        self._tables_pages: list[int] = []
        self._tables_page = (0, 0)  # file and page that come next
        self._overview = 0  # pages seen so far
        slices = LeafSlices(store, catalogue, trees, memory)
        flows = FlowRecordCheck(catalogue, slices, memory, tally)
        # What is missing is told in this order.
        self._provers: tuple[Prover, ...] = (
            AttachmentCheck(store, len(catalogue.files), tally),
            OriginCheck(store, catalogue, tally),
            StoredRowsCheck(store, len(catalogue.files), tally),
            flows,
            StepRecordCheck(catalogue, slices, tally),
            OperationCheck(store, catalogue, slices, tally),
            FlowTileCheck(store, catalogue, flows, slices, memory, tally),
            LaunchCheck(store, catalogue, memory, tally),
            OwnTextCheck(store, catalogue, tally),
            SideTableCheck(store, len(catalogue.files), tally),
            AnswerCheck(store),
        )
        self._histograms = {key for tree in trees for key in _histogram_keys(tree)}
        self._takes: dict[Record, Take] = {
            ARGUMENT_TABLES: self._take_tables,
            ARGUMENTS: self._take_details,
            ARGUMENT_TABLE_PAGES: self._take_tables_page,
            HISTOGRAM: self._take_histogram,
            ATTACHMENTS: self._take_known,
            BLOCK_HISTOGRAM: self._take_histogram,
            PAGE_NAMES: self._take_page_names,
            MANIFEST: self._take_known,
            NAMES: self._take_names,
            OVERVIEW: self._take_overview,
            PAGE: self._take_page,
            SPREAD: self._take_histogram,
            BLOCK_SPREAD: self._take_histogram,
            SHAPE: self._take_shape,
            TRACKS: self._take_known,
            TRACK_SUMS: self._take_histogram,
            TRACK_SUMS_SPREAD: self._take_histogram,
            ORIGINS: self._take_known,
            BLOCK_TRACKS: self._refuse,
            TABLES: self._take_known,
        }
        for prover in self._provers:
            self._takes |= prover.takes

    @property
    def proven(self) -> Set[Record]:
        """The kinds of records that have a prover."""
        return self._takes.keys()

    def check(self, done: Callable[[int], None]) -> Tally:
        """Counts of what was checked. Calls `done` with numbers of bytes. Raises DamagedStore, ShortOfMemory."""
        try:
            return self._check(done)
        except MemoryError:
            short = self._memory.short("its records")
        raise short

    def _check(self, done: Callable[[int], None]) -> Tally:
        for key, value in self._store.records():
            record = record_of(key)
            if record is None:
                raise self._unknown(key)
            self._takes[record](key, value)
            done(len(value))
        for tree, seen in zip(self._trees, self._pages, strict=True):
            if seen < len(tree.page_keys):
                raise tree.error(int(tree.page_first[seen]), "its page is missing")
        if self._names != self._catalogue.names:
            raise _error(self._store, f"there are {self._names} names, the manifest says {self._catalogue.names}")
        if self._tables != len(self._catalogue.files):
            what = f"there are {self._tables} tables of arguments for {len(self._catalogue.files)} files"
            raise _error(self._store, what)
        for track, seen in zip(self._catalogue.tracks, self._details, strict=True):
            if seen != track.details:
                raise self._catalogue.track_error(track.id, f"arguments of {seen} events, at ingest {track.details}")
            self._tally["details_events"] += seen
        file, page = self._next_tables_page()
        if file < len(self._tables_pages):
            raise _error(self._store, f"page {page} of the tables of arguments of file {file} is missing")
        for prover in self._provers:
            prover.finish()
        return self._tally

    def _refuse(self, key: bytes, value: bytes) -> None:
        raise self._unknown(key)  # a published store has none

    def _take_known(self, key: bytes, value: bytes) -> None:
        inflate(value)  # its content was checked when the catalogue was made

    def _take_shape(self, key: bytes, value: bytes) -> None:
        block = int.from_bytes(key[1:5], "big")
        if block >= len(self._trees) or key != SHAPE.key(block):
            raise self._unknown(key)

    def _take_page(self, key: bytes, value: bytes) -> None:
        page = PageKey(*PAGE.numbers_in(key))
        if page.block >= len(self._trees):
            raise self._unknown_page(page)
        tree = self._trees[page.block]
        seen = self._pages[page.block]
        expected = tree.page_keys[seen] if seen < len(tree.page_keys) else None
        if expected is not None and page > expected:
            raise tree.error(int(tree.page_first[seen]), "its page is missing")
        if page != expected:
            raise self._unknown_page(page)
        check_bytes(tree, seen, value)
        self._pages[page.block] += 1
        self._tally["pages"] += 1
        self._tally["page_bytes"] += len(value)

    def _take_names(self, key: bytes, value: bytes) -> None:
        page_size = self._catalogue.names_per_page
        number, left = divmod(self._names, page_size)
        if key != NAMES.key(number) or left:
            raise _error(self._store, f"page {number} of the names is missing")
        try:
            entries = json.loads(inflate(value))
        except (ValueError, DamagedStore) as error:
            raise _error(self._store, f"page {number} of the names is damaged: {error}") from error
        pairs = isinstance(entries, list) and all(
            isinstance(entry, list) and len(entry) == 2 and all(isinstance(text, str) for text in entry)
            for entry in entries
        )
        if not pairs or not 0 < len(entries) <= page_size:
            raise _error(self._store, f"page {number} of the names is damaged")
        self._names += len(entries)
        self._tally["names"] += len(entries)

    def _take_tables(self, key: bytes, value: bytes) -> None:
        if self._tables >= len(self._catalogue.files) or key != ARGUMENT_TABLES.key(self._tables):
            raise self._unknown(key)
        try:
            head = inflate(value)
            tables = codec(self._catalogue.files[self._tables]).tables(head, _no_page)
        except FormatFailed:  # of another package: what its tables say is its own
            tables = None
        except (ValueError, LookupError, TypeError, DamagedStore) as error:
            raise _error(self._store, f"the tables of arguments of file {self._tables} are damaged: {error}") from error
        entry_count = len(tables.first) if isinstance(tables, XStatTables) else 0
        self._tables_pages.append(page_count(entry_count))
        self._tables_entries.append(entry_count)
        self._tables += 1

    def _take_tables_page(self, key: bytes, value: bytes) -> None:
        file, page = self._next_tables_page()
        if file >= len(self._tables_pages) or ARGUMENT_TABLE_PAGES.numbers_in(key) < (file, page):
            raise self._unknown(key)
        what = f"page {page} of the tables of arguments of file {file}"
        if ARGUMENT_TABLE_PAGES.numbers_in(key) != (file, page):
            raise _error(self._store, f"{what} is missing")
        try:
            entry_count = check_page(page, inflate(value))
        except (ValueError, DamagedStore) as error:
            raise _error(self._store, f"{what} is damaged: {error}") from error
        if entry_count != min(ENTRIES_PER_PAGE, self._tables_entries[file] - page // 2 * ENTRIES_PER_PAGE):
            raise _error(self._store, f"{what} has {entry_count} entries")
        self._tables_page = (file, page + 1)

    def _next_tables_page(self) -> tuple[int, int]:
        file, page = self._tables_page
        while file < len(self._tables_pages) and page == self._tables_pages[file]:
            file, page = file + 1, 0
        return file, page

    def _take_overview(self, key: bytes, value: bytes) -> None:
        # What is in the pages is looked at when the tiles have been proven.
        if key != OVERVIEW.key(self._overview) or self._overview >= OverviewGrid.of(self._catalogue.end).pages:
            raise self._unknown(key)
        inflate(value)
        self._overview += 1

    def _take_details(self, key: bytes, value: bytes) -> None:
        track = int.from_bytes(key[1:5], "big")
        tracks = self._catalogue.tracks
        if track >= len(tracks) or tracks[track].kind == TrackKind.ROLLUP:
            raise self._unknown(key)
        seen = self._details[track]
        if key != ARGUMENTS.key(track, seen):
            raise self._catalogue.track_error(track, f"arguments of event {seen} are missing")
        try:
            n = count_of(inflate(value))
        except DamagedStore as error:
            raise self._catalogue.track_error(track, f"arguments from event {seen} on are damaged: {error}") from error
        if not n:
            raise self._catalogue.track_error(track, f"arguments from event {seen} on are damaged")
        self._details[track] += n
        self._tally["details_chunks"] += 1

    def _take_histogram(self, key: bytes, value: bytes) -> None:
        # That none is missing, and what is in each, is looked at where they are computed anew.
        if key not in self._histograms:
            raise self._unknown(key)

    def _take_page_names(self, key: bytes, value: bytes) -> None:
        # What is in it is looked at with the pages.
        block, first = PAGE_NAMES.numbers_in(key)
        if block >= len(self._trees) or first >= max(1, len(self._trees[block].page_keys)):
            raise self._unknown(key)

    def _unknown_page(self, page: PageKey) -> DamagedStore:
        track = page.block * TRACKS_PER_BLOCK + page.slot
        return self._catalogue.tile_error(track, page.level, page.index, "a page that no shape record knows")

    def _unknown(self, key: bytes) -> DamagedStore:
        return unexpected(self._store.location, key)


def _histogram_keys(tree: BlockTree) -> Iterator[bytes]:
    for tile in np.flatnonzero(tree.shape.has_histogram):
        position = int(tree.level[tile]), int(tree.index[tile])
        track = tree.block * TRACKS_PER_BLOCK + int(tree.slot[tile])
        yield HISTOGRAM.key(track, *position)
        yield SPREAD.key(track, *position)
    for tile in np.flatnonzero(tree.shape.has_block_histogram):
        position = int(tree.level[tile]), int(tree.index[tile])
        yield BLOCK_HISTOGRAM.key(tree.block, *position)
        yield BLOCK_SPREAD.key(tree.block, *position)
    for tile in np.flatnonzero(tree.shape.has_track_sums):
        position = int(tree.level[tile]), int(tree.index[tile])
        yield TRACK_SUMS.key(tree.block, *position)
        yield TRACK_SUMS_SPREAD.key(tree.block, *position)


def _no_page(_number: int) -> bytes:
    return b""  # pages are taken as they come


def _error(store: Store, what: str) -> DamagedStore:
    return DamagedStore(f"{store.location}: {what}")
