"""Density of the hits of a search: what a viewer draws over its tracks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import View, sharp_level
from tilescope.tiler.search.bins import HitLanes, density
from tilescope.tiler.search.language import parse
from tilescope.tiler.search.selection import Selection, select
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import TrackQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search import QueryText
from tilescope.tiler.tools.tool import Tool

MAX_PX: Final = 16_384
DEFAULT_PX: Final = 400
MAX_BINS: Final = 1_000_000  # of all lanes together, with hits or without: 24 MB


class HitBinsQuestion(TrackQuestion, frozen=True, kw_only=True):
    """A search in what is on a screen."""

    query: QueryText
    px: Annotated[
        int, Meta(ge=1, le=MAX_PX, description="Pixels of the whole span: a bin is half a pixel to two wide.")
    ] = DEFAULT_PX
    by: Annotated[
        Literal["track", "lane"],
        Meta(description="lane: as a viewer draws it, each row of a track by itself, and a rollup as one."),
    ] = "track"


def _answer(scope: Scope, question: HitBinsQuestion) -> Interruptible[Answer]:
    query = parse(question.query)
    span = scope.within(question.ticks)
    view = View.of_span(span.start, max(span.stop, span.start + 1), question.px)
    level = sharp_level(view.ticks_per_px, scope.reader.root_level)
    tracks = scope.leaves(question.tracks)
    drawn = list(_lanes(scope, question, tracks))
    bins, lanes = (
        ((span.stop - span.start) >> (2 * level)) + 2,
        max((len(hit_lanes) for _, hit_lanes in drawn), default=0),
    )
    if bins * lanes > MAX_BINS:
        what = "tracks" if question.by == "track" else "rows"
        raise UsageError(
            f"{lanes:,} {what} of {bins:,} bins are more than {MAX_BINS:,}: ask for fewer tracks, or fewer px"
        )
    selection = yield from select(scope.reader, query, tracks)
    parts = []
    for lane_tracks, hit_lanes in drawn:
        parts.append((yield from density(scope.reader, _on(selection, lane_tracks), span, level, hit_lanes)))

    def column(name: str) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(0, np.int64), *(getattr(part, name) for part in parts)])

    columns = [
        Column("track", "Track", "track", column("track")),
        Column("row", "Row", "id", column("row")),
        Column("start", "Start", "time", column("start")),
        Column("count", "Count", "count", column("count")),
        Column("busy", "Busy", "ticks", column("busy")),
    ]
    if question.by == "track":
        del columns[1]
    return Answer(
        [Fact("bin_ticks", "Width of a bin", 1 << (2 * level), "ticks")], [Table("bins", "Bins with hits", columns)]
    )


def _lanes(scope: Scope, question: HitBinsQuestion, tracks: Sequence[int]) -> Iterator[tuple[Sequence[int], HitLanes]]:
    """Tracks that are looked through together, and their lanes; a track may be asked for by itself and in rollups."""
    reader = scope.reader
    if question.by == "track":
        yield tracks, HitLanes.of_tracks(reader, tracks)
        return
    named = question.tracks or ()
    rollups = [track for track in named if reader.tree.kind(track) == "rollup"]
    own = tracks if question.tracks is None else scope.leaves([track for track in named if track not in rollups])
    if own:
        yield own, HitLanes.of_rows(reader, own)
    for rollup in rollups:
        yield scope.leaves([rollup]), HitLanes.of_rollup(reader, rollup)


def _on(selection: Selection, tracks: Sequence[int]) -> Selection:
    wanted = set(tracks)
    return replace(selection, tracks=[track for track in selection.tracks if track in wanted])


def _sentence(answer: Answer, tick_ps: int) -> str:
    bins = plural(len(answer.table("bins")), "bin has", "bins have")
    return f"{bins} hits, each of {Figures(answer, tick_ps).text('bin_ticks')}"


TOOL: Final = Tool(
    id="hit_bins",
    title="Density of hits",
    help="how many events of a search start in each bin of a view",
    group="raw",
    question=HitBinsQuestion,
    answer=_answer,
    sentence=_sentence,
)
