"""A span on so many pixels: what a viewer draws, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.client.answers import NameTexts, flag_words, name_words
from tilescope.client.tables import Table
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page, PageKey, SliceFlag, TileFlag
from tilescope.tiler.resolver import TickRange, TileIndex, TrackRequest

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ViewTile:
    """A tile that shows part of a track, and where it lies."""

    track: int
    page: PageKey
    level: int
    number: int
    at: int  # which tile of its page


@dataclass(frozen=True, slots=True)
class RunView:
    """Tracks in a span, as exact as so many pixels need. Times are ticks.

    Each event of the tiles stands in `slices` by itself, or is counted in one of the `bins`: so the tiles' slices that
    start in them and the bins' counts add up to `events`. Tiles may reach beyond the span.
    """

    start: int
    end: int
    bin_ticks: int  # width of the bins; tiles above which nothing finer exists have wider ones
    pages: int
    page_bytes: int  # compressed, as they were sent
    events: int  # that start in the tiles
    slices: Table  # track, level, start, duration, row, name, category, ordinal, flags, exact
    bins: Table  # track, level, start, duration, row, count, busy, name, category, share, longest
    counter_bins: Table  # track, level, start, duration, n, first, last, min, max, mean
    samples: Table  # track, start, value, ordinal


def view_tiles(tiles: TileIndex, track: TrackRequest, span: TickRange, level: int, root_level: int) -> list[ViewTile]:
    """The tiles that show a track, coarsest first."""
    slot = np.array([track.track % TRACKS_PER_BLOCK], np.int64)
    _, found = tiles.tiles_for(slot, np.array([track.kind == "counter"]), span, level, root_level)
    starts = tiles.page_starts_of(found)
    shape = tiles.shape
    return [
        ViewTile(track.track, tiles.page_key(page), int(shape.level[tile]), int(shape.index[tile]), tile - page)
        for tile, page in zip(found.tolist(), starts.tolist(), strict=True)
    ]


def make_view(
    span: TickRange, level: int, tiles: Sequence[ViewTile], pages: Mapping[PageKey, Page], sizes: int, names: NameTexts
) -> RunView:
    """The view, from the pages of its tiles."""
    slices, bins, counters, samples = (_Rows(kind, tiles, pages) for kind in _KINDS)
    once = _first_of_each(slices.track, slices["ordinal"])
    starts_here = (slices["flags"] & SliceFlag.REACHES_IN) == 0
    name = slices["name"]
    bin_name = bins["name"]
    return RunView(
        span.start,
        span.stop,
        1 << (2 * level),
        len({tile.page for tile in tiles}),
        sizes,
        int(starts_here.sum() + bins["count"].sum() + counters["n"].sum() + len(samples.track)),
        Table(
            {
                "track": slices.track[once],
                "level": slices.level[once],
                "start": slices["start"][once],
                "duration": slices["duration"][once],
                "row": slices["row"][once],
                "name": name_words(name[once], names, 0),
                "category": name_words(name[once], names, 1),
                "ordinal": slices["ordinal"][once],
                "flags": flag_words(slices["flags"][once]),
                "exact": slices.is_leaf[once],
            }
        ),
        Table(
            {
                **bins.bin_columns(),
                "row": bins["row"],
                "count": bins["count"],
                "busy": bins["busy"],
                "name": name_words(bin_name, names, 0),
                "category": name_words(bin_name, names, 1),
                "share": bins["share"] / 255,
                "longest": bins["longest"],
            }
        ),
        Table({**counters.bin_columns(), **{c: counters[c] for c in ("n", "first", "last", "min", "max", "mean")}}),
        Table(
            {
                "track": samples.track,
                "start": samples["time"],
                "value": samples["value"],
                "ordinal": samples["ordinal"],
            }
        ),
    )


def used_names(tiles: Iterable[ViewTile], pages: Mapping[PageKey, Page]) -> set[int]:
    """Ids of the names that occur on the pages of tiles."""
    used: set[int] = set()
    for key in {tile.page for tile in tiles}:
        used.update(pages[key].slices.name.tolist())
        used.update(pages[key].bins.name.tolist())
    return used


_KINDS = ("slice", "bin", "counter_bin", "sample")


class _Rows:
    """All rows of one kind of content, of all tiles, with what their tiles say."""

    def __init__(self, kind: str, tiles: Sequence[ViewTile], pages: Mapping[PageKey, Page]) -> None:
        self._kind = kind
        self._parts: list[tuple[Page, slice]] = []
        counts = []
        for tile in tiles:
            page = pages[tile.page]
            ends = getattr(page, f"{kind}_ends")
            first, last = int(ends[tile.at]), int(ends[tile.at + 1])
            self._parts.append((page, slice(first, last)))
            counts.append(last - first)
        self.track = np.repeat(np.array([tile.track for tile in tiles], np.int64), counts)
        self.level = np.repeat(np.array([tile.level for tile in tiles], np.int64), counts)
        self._number = np.repeat(np.array([tile.number for tile in tiles], np.int64), counts)
        leaf = [bool(pages[tile.page].flags[tile.at] & TileFlag.LEAF) for tile in tiles]
        self.is_leaf: NDArray[np.bool_] = np.repeat(np.array(leaf, np.bool_), counts)

    def __getitem__(self, column: str) -> NDArray[Any]:
        parts = [getattr(getattr(page, f"{self._kind}s"), column)[rows] for page, rows in self._parts]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def bin_columns(self) -> dict[str, NDArray[Any]]:
        """Which ticks the bins cover."""
        width = np.int64(1) << (2 * self.level)
        start = ((self._number << 8) + self["bin"]) << (2 * self.level)
        return {"track": self.track, "level": self.level, "start": start, "duration": width}


def _first_of_each(track: Ints, ordinal: Ints) -> Ints:
    """Positions where an event stands for the first time: slices are repeated in the tiles that they reach into."""
    order = np.lexsort((np.arange(len(track)), ordinal, track))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(track[order]) != 0) | (np.diff(ordinal[order]) != 0)
    return np.sort(order[new])
