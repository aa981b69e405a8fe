"""The slices, bins and samples of a track that overlap a span, from its tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page, PageKey
from tilescope.tiler.query import (
    ROW_KINDS,
    Interruptible,
    Name,
    QueryReader,
    ViewRows,
    ViewTile,
    first_of_each,
    view_tiles,
)
from tilescope.tiler.resolver import TickRange, TrackRequest

MAX_ROWS: Final = 200_000  # of one answer: some 30 MB of JSON

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Columns by name, each of one length. Slices once each, though they reach over several tiles."""

    track: int
    slices: Columns  # ordinal, start, duration, row, name (an id), flags; none of them is in a bin
    bins: Columns  # start, duration, row, count, busy, name (an id), share, longest
    counter_bins: Columns  # start, duration, n, first, last, min, max, mean
    samples: Columns  # ordinal, start, value
    names: dict[int, Name]


def draw(
    reader: QueryReader, track: int, kind: str, span: TickRange, level: int, *, is_there: bool
) -> Interruptible[Drawn]:
    """Rows that overlap the span, with bins of `level`. Raises UsageError where they are too many, and DamagedStore."""
    tiles: list[ViewTile] = []
    if is_there:
        index = reader.tiles(track // TRACKS_PER_BLOCK)
        tiles = view_tiles(index, TrackRequest(track, kind), span, level, reader.root_level)
    pages: dict[PageKey, Page] = {}
    for key in dict.fromkeys(tile.page for tile in tiles):
        pages[key] = reader.exact_page(key)
        yield
    rows = {kind: ViewRows(kind, tiles, pages) for kind in ROW_KINDS}
    if sum(map(len, rows.values())) > MAX_ROWS:
        raise UsageError(
            f"the span has more than {MAX_ROWS:,} slices and bins of track {track} at this width: "
            "ask for a shorter one, or for fewer px"
        )
    slices = _slices(rows["slice"])
    is_split = split_slices(tiles, slices)
    bins = _bins(rows["bin"], ("row", "count", "busy", "name", "longest")) | {"share": rows["bin"]["share"] / 255}
    all_columns = (
        _once({name: column[~is_split] for name, column in slices.items()}),
        _joined(bins, bins_of_slices({name: column[is_split] for name, column in slices.items()}, level)),
        _bins(rows["counter_bin"], ("n", "first", "last", "min", "max", "mean")),
        _samples(rows["sample"]),
    )
    slices, bins, counters, samples = (_within(span, columns) for columns in all_columns)
    names = reader.names.by_id([*slices["name"].tolist(), *bins["name"].tolist()])
    return Drawn(track, slices, bins, counters, samples, names)


def split_slices(tiles: Sequence[ViewTile], slices: Columns) -> NDArray[np.bool_]:
    """Mask of slices that one tile shows whole and the tile beside it only as a part of its bins.

    A leaf holds the slices that reach out of it, whatever their length; an interior tile has the short ones in bins.
    `slices`: a row for each tile that has the slice. Shape (n,).
    """
    tile_starts = np.sort(np.array([tile.number << (8 + 2 * tile.level) for tile in tiles], np.int64))
    tile_stops = np.sort(np.array([(tile.number + 1) << (8 + 2 * tile.level) for tile in tiles], np.int64))
    start = slices["start"]
    last = np.maximum(start + slices["duration"] - 1, start)
    tiles_met = np.searchsorted(tile_starts, last, side="right") - np.searchsorted(tile_stops, start, side="right")
    _, number, rows = np.unique(slices["ordinal"], return_inverse=True, return_counts=True)
    is_split: NDArray[np.bool_] = tiles_met > rows[number]
    return is_split


def bins_of_slices(slices: Columns, level: int) -> Columns:
    """Bins of `level` with what lies of slices in a tile: each is in at most three, as it is shorter than two."""
    width = 1 << (2 * level)
    start = np.maximum(slices["start"], slices["tile_start"])
    stop = np.minimum(slices["start"] + slices["duration"], slices["tile_stop"])
    first = start // width
    pieces = np.maximum(-(-stop // width) - first, 1)
    which = np.repeat(np.arange(len(start)), pieces)
    bin_start = (first[which] + np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * width
    begins = slices["start"][which]
    return {
        "start": bin_start,
        "duration": np.full(len(which), width, np.int64),
        "row": slices["row"][which],
        "count": ((bin_start <= begins) & (begins < bin_start + width)).astype(np.int64),
        "busy": np.maximum(np.minimum(stop[which], bin_start + width) - np.maximum(start[which], bin_start), 0),
        "name": slices["name"][which],
        "longest": slices["duration"][which],
        "share": np.ones(len(which)),
    }


def _slices(rows: ViewRows) -> Columns:
    tile_start, tile_stop = rows.tile_ticks()
    names = ("ordinal", "start", "duration", "row", "name", "flags")
    return {"tile_start": tile_start, "tile_stop": tile_stop, **{name: rows[name] for name in names}}


def _once(slices: Columns) -> Columns:
    ordinals = slices["ordinal"]
    once = first_of_each(np.zeros_like(ordinals), ordinals)
    return {name: column[once] for name, column in slices.items()}


def _joined(bins: Columns, others: Columns) -> Columns:
    return {name: np.concatenate([column, others[name]]) for name, column in bins.items()}


def _bins(rows: ViewRows, names: Sequence[str]) -> Columns:
    place = rows.bin_columns()
    return {"start": place["start"], "duration": place["duration"], **{name: rows[name] for name in names}}


def _samples(rows: ViewRows) -> Columns:
    return {"ordinal": rows["ordinal"], "start": rows["time"], "value": rows["value"]}


def _within(span: TickRange, columns: Columns) -> Columns:
    """The rows that overlap the span, by start."""
    start = columns["start"]
    end = start + np.maximum(columns.get("duration", np.ones_like(start)), 1)
    which = np.flatnonzero((start < span.stop) & (end > span.start))
    ordered = which[np.argsort(start[which], kind="stable")]
    return {name: column[ordered] for name, column in columns.items()}
