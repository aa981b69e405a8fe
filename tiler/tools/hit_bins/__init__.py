"""How dense the hits of a search are: what a viewer draws over its tracks."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Steps
from tilescope.tiler.resolver import View, sharp_level
from tilescope.tiler.search.bins import density
from tilescope.tiler.search.language import parse
from tilescope.tiler.search.selection import select
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.question import Question, Tick, Tracks, span_of
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search import QueryText
from tilescope.tiler.tools.tool import Tool

MAX_PX: Final = 16_384
DEFAULT_PX: Final = 400
MAX_BINS: Final = 1_000_000  # of all tracks together, with hits or without: 24 MB


class HitBinsQuestion(Question, frozen=True, kw_only=True):
    """A search in what is on a screen."""

    query: QueryText
    start: Annotated[Tick | None, Meta(description="First tick of the span; the run's start unless given.")] = None
    end: Annotated[Tick | None, Meta(description="First tick after the span; the run's end unless given.")] = None
    tracks: Annotated[
        Tracks | None,
        Meta(description="Track numbers and ranges, as in 1,5,8-12; a rollup stands for its tracks. All unless given."),
    ] = None
    px: Annotated[
        int, Meta(ge=1, le=MAX_PX, description="Pixels of the whole span: a bin is half a pixel to two wide.")
    ] = DEFAULT_PX


def _answer(scope: Scope, question: HitBinsQuestion) -> Steps[Answer]:
    query = parse(question.query)
    span = scope.within(span_of(question.start, question.end))
    view = View.of_span(span.start, max(span.stop, span.start + 1), question.px)
    level = sharp_level(view.ticks_per_px, scope.reader.root_level)
    tracks = scope.leaves(question.tracks)
    bins = ((span.stop - span.start) >> (2 * level)) + 2
    if bins * len(tracks) > MAX_BINS:
        raise UsageError(
            f"{len(tracks):,} tracks of {bins:,} bins are more than {MAX_BINS:,}: ask for fewer tracks, or fewer px"
        )
    selection = yield from select(scope.reader, query, tracks)
    found = yield from density(scope.reader, selection, span, level)
    columns = [
        Column("track", "Track", "track", found.track),
        Column("start", "Start", "time", found.start),
        Column("count", "Count", "count", found.count),
        Column("busy", "Busy", "ticks", found.busy),
    ]
    return Answer(
        [Fact("bin_ticks", "Width of a bin", 1 << (2 * level), "ticks")], [Table("bins", "Bins with hits", columns)]
    )


TOOL: Final = Tool(
    id="hit_bins",
    title="Density of hits",
    help="how many events of a search start in each bin of a view, and how long they are busy in it, exactly",
    group="events",
    question=HitBinsQuestion,
    answer=_answer,
)
