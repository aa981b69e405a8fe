"""Tables of the hosts' work for the input, and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Note, Series, Table, Value
from tilescope.tiler.tools.input_pipeline.host_side import HostSide, InputCategory

CATEGORY_TITLES: Final = {
    InputCategory.ENQUEUE: "Enqueuing data",
    InputCategory.PREPROCESSING: "Preprocessing",
    InputCategory.ADVANCED: "Reading files in advance",
    InputCategory.DEMANDED: "Reading files on demand",
    InputCategory.UNCLASSIFIED: "Other reading or processing",
}
_ADVICE: Final = {
    InputCategory.ENQUEUE: "combine small chunks of input into fewer and larger ones",
    InputCategory.PREPROCESSING: "raise num_parallel_calls of Dataset.map, or preprocess the data offline",
    InputCategory.ADVANCED: "tune the size of prefetch, cycle_length of interleave, and buffer_size of the reader",
    InputCategory.DEMANDED: "read in advance: prefetch, interleave, and a buffer for the reader",
    InputCategory.UNCLASSIFIED: "use tf.data, or mark the stages of your own pipeline, so that they can be told apart",
}


@dataclass(frozen=True, slots=True)
class CategoryTimes:
    """Ticks by category: `own` time of operations, and how much of the waiting is `explained`."""

    own: Mapping[InputCategory, int]
    explained: Mapping[InputCategory, int]
    greatest: Mapping[InputCategory, str]  # names of operations


def category_times(side: HostSide) -> CategoryTimes:
    """Times of the operations of a trace."""
    greatest: dict[InputCategory, str] = {}
    for operation, category in side.operations:
        greatest.setdefault(category, operation.op.name)
    return CategoryTimes({category: side.own_of(category) for category in InputCategory}, side.explained, greatest)


def categories_table(times: CategoryTimes) -> Table:
    """The five categories, with what to do about each."""
    own, explained = sum(times.own.values()), sum(times.explained.values())
    columns = [
        Column("category", "Category", "name", [CATEGORY_TITLES[category] for category in InputCategory]),
        Column("self", "Self", "ticks", [times.own[category] for category in InputCategory]),
        Column(
            "share", "Share", "fraction", [times.own[category] / own if own else None for category in InputCategory]
        ),
        Column("explained", "Waiting explained", "ticks", [times.explained[category] for category in InputCategory]),
        Column(
            "explained_share",
            "Of the waiting",
            "fraction",
            [times.explained[category] / explained if explained else None for category in InputCategory],
        ),
        Column("greatest", "Longest operation", "text", [times.greatest.get(category) for category in InputCategory]),
        Column("advice", "What to do", "text", [_ADVICE[category] for category in InputCategory]),
    ]
    totals: dict[str, Value] = {"self": own, "explained": explained}
    return Table("input_categories", "What providing input takes", columns, totals=totals)


def categories_chart(times: CategoryTimes) -> Series:
    """The categories as parts of two bars: of the work of hosts, and of the waiting that it explains."""
    sums = {category: (times.own[category], times.explained[category]) for category in InputCategory}
    ys = [
        Column(category.value, CATEGORY_TITLES[category], "ticks", list(ticks))
        for category, ticks in sums.items()
        if any(ticks)
    ]
    x = Column("what", "", "name", ["Work of hosts", "Explained wait"])
    return Series("host_input", "What providing input takes", "area", x, ys)


def operations_table(side: HostSide, limit: int) -> Table:
    """Operations of input pipelines."""
    listed, own = side.operations[:limit], side.own
    totals_of: list[Value] = [operation.total / own if own else None for operation, _ in listed]
    shares = [operation.own / own if own else None for operation, _ in listed]
    columns = [
        Column("name", "Operation", "name", [operation.op.name for operation, _ in listed]),
        Column("category", "Category", "text", [CATEGORY_TITLES[category] for _, category in listed]),
        Column("count", "Count", "count", [operation.count for operation, _ in listed]),
        Column("total", "Total", "ticks", [operation.total for operation, _ in listed]),
        Column("total_share", "Of all", "fraction", totals_of, total="none"),
        Column("self", "Self", "ticks", [operation.own for operation, _ in listed]),
        Column("share", "Self of all", "fraction", shares),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(share or 0.0 for share in shares)), total="max"),
        Column(
            "mean",
            "Mean",
            "ticks",
            [nearest_mean(operation.total, operation.count) if operation.count else None for operation, _ in listed],
            total="none",
        ),
        Column("longest", "Longest", "ticks", [operation.longest for operation, _ in listed], total="max"),
        Column("track", "Track", "track", [operation.track for operation, _ in listed]),
    ]
    totals: dict[str, Value] = {"count": sum(operation.count for operation, _ in side.operations), "self": own}
    rest: dict[str, Value] | None = None
    if len(listed) < len(side.operations):
        others = side.operations[limit:]
        rest = {
            "count": sum(operation.count for operation, _ in others),
            "self": sum(operation.own for operation, _ in others),
        }
    return Table("input_operations", "Input operations", columns, totals=totals, rest=rest)


def advice(side: HostSide) -> list[Note]:
    """Advice on what to do first on the host, with its figures."""
    whole = sum(side.explained.values())
    if not side.operations or not whole:
        return []
    first = max(InputCategory, key=lambda category: side.explained[category])
    share = percent_text(side.explained[first] / whole)
    text = f"{CATEGORY_TITLES[first]} takes {share} of what providing input takes on hosts"
    operations = [operation for operation, category in side.operations if category is first]
    if not operations:
        return [Note("info", f"{text}: {_ADVICE[first]}.")]
    text += (
        f", most of it {operations[0].op.name} ({percent_text(operations[0].own / side.own)} of all): {_ADVICE[first]}."
    )
    return [Note("info", text, track=operations[0].track)]
