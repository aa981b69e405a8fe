"""A track as a viewer draws it, for clients that do not want pages: slices, and bins with exact sums."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import View, sharp_level
from tilescope.tiler.schema import Kind
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.bins.drawn import Drawn, draw
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import TimeQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_PX: Final = 16_384
DEFAULT_PX: Final = 1000


class BinsQuestion(TimeQuestion, frozen=True, kw_only=True):
    """A track in a span, on so many pixels."""

    track: Annotated[
        int,
        Meta(
            ge=0,
            le=2**32 - 1,
            description="Number of the track; a rollup is drawn as it is.",
            extra={"unit": "track"},
        ),
    ]
    px: Annotated[
        int, Meta(ge=1, le=MAX_PX, description="Pixels of the whole span: a bin is half a pixel to two wide.")
    ] = DEFAULT_PX


def _answer(scope: Scope, question: BinsQuestion) -> Interruptible[Answer]:
    reader = scope.reader
    kind = reader.tree.kind(question.track)
    span = scope.within(question.ticks)
    view = View.of_span(span.start, max(span.stop, span.start + 1), question.px)
    level = sharp_level(view.ticks_per_px, reader.root_level)
    has_events = span.start < span.stop and reader.tree.tracks[question.track].events != 0
    is_there = scope.is_done(question.track) and has_events
    drawn = yield from draw(reader, question.track, kind, span, level, is_there=is_there)
    facts = [
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
        Fact("bin_ticks", "Width of a bin", 1 << (2 * level), "ticks", "wider where nothing finer is kept"),
    ]
    return Answer(facts, _tables(drawn))


def _tables(drawn: Drawn) -> list[Table]:
    slices, bins, counters, samples = drawn.slices, drawn.bins, drawn.counter_bins, drawn.samples

    def names(ids: NDArray[Any]) -> list[Column]:
        texts = [drawn.names[name] for name in ids.tolist()]
        return [
            Column("name", "Name", "name", [name.text for name in texts]),
            Column("category", "Category", "text", [name.category for name in texts]),
        ]

    def events(ordinals: NDArray[Any]) -> Column:
        return Column("event", "Event", "event", [f"{drawn.track}.{ordinal}" for ordinal in ordinals.tolist()])

    def figures(rows: dict[str, NDArray[Any]], kind: Kind, *columns: str) -> list[Column]:
        return [Column(name, name.capitalize(), kind, rows[name]) for name in columns]

    flags = [" ".join(SliceFlag(value).words) for value in slices["flags"].tolist()]
    return [
        Table(
            "slices",
            "Slices",
            [
                events(slices["ordinal"]),
                *figures(slices, "time", "start"),
                *figures(slices, "ticks", "duration"),
                *figures(slices, "id", "row"),
                *names(slices["name"]),
                Column("flags", "Flags", "text", flags),
            ],
        ),
        Table(
            "bins",
            "Bins",
            [
                *figures(bins, "time", "start"),
                *figures(bins, "ticks", "duration"),
                *figures(bins, "id", "row"),
                *figures(bins, "count", "count"),
                *figures(bins, "ticks", "busy"),
                *names(bins["name"]),
                *figures(bins, "fraction", "share"),
                *figures(bins, "ticks", "longest"),
            ],
        ),
        Table(
            "counter_bins",
            "Bins of the counter",
            [
                *figures(counters, "time", "start"),
                *figures(counters, "ticks", "duration"),
                *figures(counters, "count", "n"),
                *figures(counters, "number", "first", "last", "min", "max", "mean"),
            ],
        ),
        Table(
            "samples",
            "Samples",
            [events(samples["ordinal"]), *figures(samples, "time", "start"), *figures(samples, "number", "value")],
        ),
    ]


def _sentence(answer: Answer, tick_ps: int) -> str:
    return f"A bin is {Figures(answer, tick_ps).text('bin_ticks')} wide"


TOOL: Final = Tool(
    id="bins",
    title="Bins",
    help="what a viewer draws of a track: slices, and bins of all others",
    group="raw",
    question=BinsQuestion,
    answer=_answer,
    sentence=_sentence,
)
