"""A span on so many pixels: what a viewer draws, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilescope.client.answers import NameTexts, flag_words, name_words
from tilescope.client.tables import Table
from tilescope.tiler.pages import Page, PageKey, SliceFlag
from tilescope.tiler.query import ROW_KINDS, ViewRows, ViewTile, first_of_each
from tilescope.tiler.resolver import TickRange


@dataclass(frozen=True, slots=True)
class RunView:
    """Tracks in a span, as exact as so many pixels need. Times are ticks.

    Each event of the tiles is in `slices` by itself, or is counted in one of the `bins`: so the slices that start in
    the tiles and the counts of the bins add up to `events`. Tiles may reach beyond the span.
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


def make_view(
    span: TickRange, level: int, tiles: Sequence[ViewTile], pages: Mapping[PageKey, Page], sizes: int, names: NameTexts
) -> RunView:
    """The view, from the pages of its tiles."""
    slices, bins, counters, samples = (ViewRows(kind, tiles, pages) for kind in ROW_KINDS)
    once = first_of_each(slices.track, slices["ordinal"])
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
