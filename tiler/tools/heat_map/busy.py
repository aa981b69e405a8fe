"""Busy time of lanes in each column, exactly: from the tiles of their tracks, or from the work on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.busy import Busy, Piece, UnsortedPiece
from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.heat_map.grid import Grid
from tilescope.tiler.tools.heat_map.lanes import BusyLane
from tilescope.tiler.tools.heat_map.small_devices import SmallDevices
from tilescope.tiler.tools.heat_map.tile_rows import tile_rows
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_WORTH_A_THREAD: Final = 1 << 16  # events of a lane: fewer are sorted sooner than handed over


def busy_ticks(
    reader: QueryReader, lanes: Sequence[tuple[BusyLane, int]], grid: Grid, rows: int
) -> Iterator[Ints | None]:
    """Busy ticks in each column of rows, shape (rows, columns), last; before it None where whoever asks may stop.

    `lanes`: each with its row. A device is busy while it works on anything, a track while a slice of its outermost row
    runs, an asynchronous one while any does. Raises DamagedStore.
    """
    busy = np.zeros((rows, grid.columns), np.int64)
    all_names = np.full(reader.names.count + 1, Work.COMPUTATION, np.uint8)
    in_tiles: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by block: track and row
    small = SmallDevices(reader, grid, rows)
    for lane, row in lanes:
        work = lane.work
        if small.can_have(lane):
            small.add(lane, row)
            yield from small.read_many()
            continue
        if reader.tree.tracks[lane.track].kind == "async" and not work:
            work = (WorkTrack(lane.track, all_names),)  # slices on several of its rows run at the same time
        if work and not _is_all_work(reader, work):
            for ticks in _work_ticks(reader, work, grid):
                busy[row] += ticks
                yield None
        else:
            in_tiles[lane.track // TRACKS_PER_BLOCK].append((lane.track, row))
    yield from small.read()
    busy += small.ticks
    cut = grid.cut(reader.end)  # nothing runs behind it: a last column that reaches beyond it is whole
    for block, members in sorted(in_tiles.items()):
        tracks, row_of_tracks = zip(*members, strict=True)
        ticks, is_binned = _block_ticks(reader, block, tracks, grid)
        for column, span in cut.items():
            for place in np.flatnonzero(is_binned[:, column]).tolist():
                work = (WorkTrack(tracks[place], all_names),)
                ticks[place, column] = Busy(reader, work).ticks(Windows.single(*span))
                yield None
        np.add.at(busy, list(row_of_tracks), ticks)
        yield None
    yield busy


def _is_all_work(reader: QueryReader, work: Sequence[WorkTrack]) -> bool:
    """True of a device with one track on which all is work, as far as tiles say: the outermost row has all of it."""
    if len(work) > 1 or reader.tree.tracks[work[0].track].kind == "async":
        return False
    names = reader.whole_histogram(work[0].track)
    return names is not None and not names.has_other_names and bool(work[0].kinds[names.name + 1].all())


def _work_ticks(reader: QueryReader, work: Sequence[WorkTrack], grid: Grid) -> Iterator[Ints]:
    """Ticks of each column in which a device works, piece by piece: they add up."""
    span = Windows.single(*grid.span)
    busy = Busy(reader, [track.of_any_kind for track in work])
    is_much = sum(reader.tree.tracks[track.track].events for track in work) >= _WORTH_A_THREAD
    for piece in busy.pieces(span) if is_much else _sorted(busy.unsorted_pieces(span)):
        if piece is not None:
            windows = piece.work.any
            yield grid.ticks_within(np.zeros(len(windows), np.int64), windows.starts, windows.stops, 1)[0]


def _sorted(pieces: Iterator[UnsortedPiece | None]) -> Iterator[Piece | None]:
    for piece in pieces:
        yield None if piece is None else piece.sorted()


def _block_ticks(reader: QueryReader, block: int, tracks: Sequence[int], grid: Grid) -> tuple[Ints, NDArray[np.bool_]]:
    """Busy ticks of some tracks of a block, and where bins have some of them; both of shape (tracks, columns).

    Bins count as a whole, in columns that are cut too.
    """
    index = reader.tiles(block)
    slots = np.array([track % TRACKS_PER_BLOCK for track in tracks], np.int64)
    is_counter = np.zeros(len(tracks), np.bool_)
    level = min(grid.shift // 2, reader.root_level)
    which, tiles = index.tiles_for(slots, is_counter, grid.span, level, reader.root_level)
    starts = index.page_starts_of(tiles)
    ticks, binned = np.zeros((2, len(tracks), grid.columns), np.int64)
    for start in np.unique(starts).tolist():
        on_page = starts == start
        page = reader.exact_page(index.page_key(start))
        of_bins, of_slices = _page_ticks(page, tiles[on_page] - start, which[on_page], len(tracks), grid)
        ticks += of_bins + of_slices
        binned += of_bins
    return ticks, binned > 0


def _page_ticks(page: Page, tiles: Ints, which: Ints, tracks: int, grid: Grid) -> tuple[Ints, Ints]:
    """Busy ticks that bins and slices of tiles of a page have, shape (tracks, columns); `which` track each is of."""
    tile_start = page.index[tiles] << (2 * page.level + 8)
    bins, of_tile = tile_rows(page.bin_ends, tiles)
    counted = page.bins.row[bins] == 0
    bins, of_tile = bins[counted], of_tile[counted]
    # Bins are as wide as a column, or a part of it that is a power of two: coarser tiles are leaves, which have none.
    column = (tile_start[of_tile] + (page.bins.bin[bins] << (2 * page.level)) - grid.start) >> grid.shift
    inside = (column >= 0) & (column < grid.columns)
    ticks = np.zeros((tracks, grid.columns), np.int64)
    np.add.at(ticks, (which[of_tile[inside]], column[inside]), page.bins.busy[bins[inside]])
    slices, of_tile = tile_rows(page.slice_ends, tiles)
    counted = page.slices.row[slices] == 0
    slices, of_tile = slices[counted], of_tile[counted]
    # Slices that reach over tiles are in each of them: what lies in a tile counts there.
    start = page.slices.start[slices]
    stop = np.minimum(start + page.slices.duration[slices], tile_start[of_tile] + (1 << (2 * page.level + 8)))
    return ticks, grid.ticks_within(which[of_tile], np.maximum(start, tile_start[of_tile]), stop, tracks)
