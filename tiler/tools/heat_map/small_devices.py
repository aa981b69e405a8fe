"""Busy time of devices with few events, many at once: to read each by itself takes longer than what is on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.heat_map.grid import Grid
from tilescope.tiler.tools.heat_map.lanes import BusyLane
from tilescope.tiler.tools.heat_map.tile_rows import tile_rows
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_FEW: Final = 1 << 12  # events of a device
_MANY: Final = 1 << 16  # events that are read together


class SmallDevices:
    """Devices that are read together, and what the rows of a map have of them."""

    def __init__(self, reader: QueryReader, grid: Grid, rows: int) -> None:
        self._reader = reader
        self._grid = grid
        self.ticks = np.zeros((rows, grid.columns), np.int64)  # busy, of those that have been read
        self._lanes: list[tuple[BusyLane, int]] = []
        self._events = 0

    def can_have(self, lane: BusyLane) -> bool:
        """True of a device with few events, all of which count."""
        outliers = self._reader.outliers
        if outliers is not None and any(outliers.ordinals(work.track) is not None for work in lane.work):
            return False
        return bool(lane.work) and self._events_of(lane) <= _FEW

    def add(self, lane: BusyLane, row: int) -> None:
        """A device that is read with others."""
        self._lanes.append((lane, row))
        self._events += max(1, self._events_of(lane))  # those without events are bounded, too

    def read_many(self) -> Iterator[None]:
        """Reads them once there are many events."""
        if self._events >= _MANY:
            yield from self.read()

    def read(self) -> Iterator[None]:
        """Reads those that were added. Raises DamagedStore."""
        lanes, self._lanes, self._events = self._lanes, [], 0
        by_block: dict[int, list[tuple[int, int, NDArray[np.uint8]]]] = defaultdict(list)
        for number, (device, _) in enumerate(lanes):
            for work in device.work:
                by_block[work.track // TRACKS_PER_BLOCK].append((number, work.track % TRACKS_PER_BLOCK, work.kinds))
        spans = [np.zeros((3, 0), np.int64)]
        for block, tracks in by_block.items():
            spans += self._work(block, tracks)
            yield
        lane, start, stop = np.concatenate(spans, axis=1)
        order = np.argsort(lane.astype(np.uint16), kind="stable")  # one pass for each byte; there are at most _MANY
        borders = np.cumsum(np.bincount(lane, minlength=len(lanes)))[:-1]
        windows = [Windows.from_spans(start[part], stop[part]) for part in np.split(order, borders)] if lanes else []
        rows = np.repeat(np.array([row for _, row in lanes], np.int64), [len(each) for each in windows])
        starts, stops = (
            np.concatenate([np.zeros(0, np.int64), *(getattr(each, end) for each in windows)])
            for end in ("starts", "stops")
        )
        own, place = np.unique(rows, return_inverse=True)
        self.ticks[own] += self._grid.ticks_within(place, starts, stops, len(own))

    def _events_of(self, lane: BusyLane) -> int:
        return sum(self._reader.tree.tracks[work.track].events for work in lane.work)

    def _work(self, block: int, tracks: list[tuple[int, int, NDArray[np.uint8]]]) -> Iterator[Ints]:
        """Work on some tracks of a block: number of the lane, first tick, first tick after it; shape (3, n).

        `tracks`: of each the number of its lane, its slot, and which names are work.
        """
        index, span = self._reader.tiles(block), self._grid.span
        shape = index.shape
        place = np.full(TRACKS_PER_BLOCK, -1)
        place[[slot for _, slot, _ in tracks]] = np.arange(len(tracks))
        lanes = np.array([lane for lane, _, _ in tracks], np.int64)
        tiles = np.flatnonzero(shape.is_leaf & (place[shape.slot] >= 0))
        shift = 2 * shape.level[tiles] + 8
        first, stop = shape.index[tiles] << shift, (shape.index[tiles] + 1) << shift
        tiles = tiles[(first < span.stop) & (stop > span.start)]
        starts = index.page_starts_of(tiles)
        for page_start in np.unique(starts).tolist():
            on_page = tiles[starts == page_start]
            page = self._reader.decoded_page(index.page_key(page_start))
            rows, of_tile = tile_rows(page.slice_ends, on_page - page_start)
            place_of = place[shape.slot[on_page]][of_tile]
            is_work = np.zeros(len(rows), np.bool_)
            by_kinds: dict[int, list[int]] = defaultdict(list)  # tracks have tables of kinds in common
            for number in np.unique(place_of).tolist():
                by_kinds[id(tracks[number][2])].append(number)
            for numbers in by_kinds.values():
                own = np.isin(place_of, numbers) if len(by_kinds) > 1 else slice(None)
                is_work[own] = tracks[numbers[0]][2][page.slices.name[rows[own]] + 1] != Work.NONE
            rows, start = rows[is_work], page.slices.start[rows[is_work]]
            yield np.stack((lanes[place_of[is_work]], start, start + page.slices.duration[rows]))
