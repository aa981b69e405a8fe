"""The slices, bins and samples of a track that overlap a span, from its tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page, PageKey
from tilescope.tiler.query import ROW_KINDS, Name, QueryReader, Steps, ViewRows, ViewTile, first_of_each, view_tiles
from tilescope.tiler.resolver import TickRange, TrackRequest

MAX_ROWS: Final = 200_000  # of one answer: some 30 MB of JSON

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Columns by name, each of one length. Slices once each, though they reach over several tiles."""

    track: int
    slices: Columns  # ordinal, start, duration, row, name (an id), flags
    bins: Columns  # start, duration, row, count, busy, name (an id), share, longest
    counter_bins: Columns  # start, duration, n, first, last, min, max, mean
    samples: Columns  # ordinal, start, value
    names: dict[int, Name]


def draw(reader: QueryReader, track: int, kind: str, span: TickRange, level: int, *, is_there: bool) -> Steps[Drawn]:
    """What overlaps the span, with bins of `level`. Raises UsageError where it is too much, and DamagedStore."""
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
    shares = {"share": rows["bin"]["share"] / 255}
    all_columns = (
        _slices(rows["slice"]),
        _bins(rows["bin"], ("row", "count", "busy", "name", "longest")) | shares,
        _bins(rows["counter_bin"], ("n", "first", "last", "min", "max", "mean")),
        _samples(rows["sample"]),
    )
    slices, bins, counters, samples = (_within(span, columns) for columns in all_columns)
    names = reader.names.of([*slices["name"].tolist(), *bins["name"].tolist()])
    return Drawn(track, slices, bins, counters, samples, names)


def _slices(rows: ViewRows) -> Columns:
    once = first_of_each(rows.track, rows["ordinal"])
    return {name: rows[name][once] for name in ("ordinal", "start", "duration", "row", "name", "flags")}


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
