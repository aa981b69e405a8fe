"""A derived lane as a viewer draws it: bins with the least, the greatest and the exact sum, or with slices."""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np
from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.lanes import MAX_SLICES, CurveBins, SliceBins, borders
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.lane import DerivedLane, Ints
from tilescope.tiler.tools.lanes import lane_of_id
from tilescope.tiler.tools.question import TimeQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.tools.tool_calls import blamed

MAX_BINS: Final = 8192
DEFAULT_BINS: Final = 1000


class LaneBinsQuestion(TimeQuestion, frozen=True, kw_only=True):
    """A derived lane in a span, in so many bins."""

    lane: Annotated[str, Meta(min_length=1, max_length=220, description="Id of the lane, as the tool lanes has it.")]
    bins: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_BINS,
            description="Parts of equal length that the span is split into: fewer if it has fewer ticks.",
        ),
    ] = DEFAULT_BINS


def _answer(scope: Scope, question: LaneBinsQuestion) -> Interruptible[Answer]:
    scope = scope.without_outliers()
    span = scope.within(question.ticks)
    lanes, tool, lane = yield from lane_of_id(scope, question.lane)
    bins = borders(span.start, span.stop, question.bins)
    with blamed(tool):
        drawn = yield from lanes.bins(scope, lane, bins)
        if isinstance(drawn, SliceBins) != (lane.kind == "slices"):
            raise TypeError(f"the lane {lane.key!r} is of kind {lane.kind!r}, and its bins are not")
        tables = _slice_tables(drawn, bins) if isinstance(drawn, SliceBins) else [_counter_table(drawn, lane, bins)]
    facts = [
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
        Fact("bins", "Bins", len(bins) - 1, "count"),
    ]
    return Answer(facts, tables)


def _counter_table(drawn: CurveBins, lane: DerivedLane, bins: Ints) -> Table:
    is_recorded = drawn.recorded > 0
    is_missing = ~is_recorded

    def figures(values: Ints) -> Ints:
        return np.ma.MaskedArray(values, is_missing) if is_missing.any() else values

    return Table(
        "counter_bins",
        "Bins of the counter",
        [
            Column("start", "Start", "time", bins[:-1]),
            Column("duration", "Duration", "ticks", np.diff(bins)),
            Column("min", "Least", lane.figure, figures(drawn.least), total="min"),
            Column("max", "Greatest", lane.figure, figures(drawn.greatest), total="max"),
            Column("sum", "Value × ticks", "count", drawn.total),
            Column("recorded", "Recorded", "ticks", drawn.recorded),
        ],
    )


def _slice_tables(drawn: SliceBins, bins: Ints) -> list[Table]:
    if len(drawn.start) + len(drawn.bin) > MAX_SLICES:
        raise UsageError(f"the span has more than {MAX_SLICES:,} slices and bins of this lane: ask for fewer bins")
    names = list(drawn.names)
    return [
        Table(
            "slices",
            "Slices",
            [
                Column("start", "Start", "time", drawn.start),
                Column("duration", "Duration", "ticks", drawn.stop - drawn.start),
                Column("row", "Row", "id", drawn.row),
                Column("name", "Name", "name", [names[name] for name in drawn.name.tolist()]),
            ],
        ),
        Table(
            "bins",
            "Bins",
            [
                Column("start", "Start", "time", bins[drawn.bin]),
                Column("duration", "Duration", "ticks", np.diff(bins)[drawn.bin]),
                Column("row", "Row", "id", drawn.bin_row),
                Column("count", "Count", "count", drawn.count),
                Column("busy", "Busy", "ticks", drawn.busy),
                Column("name", "Name", "name", [names[name] for name in drawn.bin_name.tolist()]),
            ],
        ),
    ]


def _sentence(answer: Answer, tick_ps: int) -> str:
    return f"The lane is in {plural(Figures(answer, tick_ps).count('bins'), 'bin', 'bins')}"


TOOL: Final = Tool(
    id="lane_bins",
    title="Bins of a derived lane",
    help="what a viewer draws of a derived lane: values or slices by bin",
    group="raw",
    question=LaneBinsQuestion,
    answer=_answer,
    sentence=_sentence,
)
