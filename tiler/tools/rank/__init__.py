"""Rank of one slice by its duration among those of its name, how these are spread, and the ones before and after it."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.query import SLICE_KINDS, Interruptible, Place
from tilescope.tiler.search.hits import Hits, join, page_of_hits
from tilescope.tiler.search.selection import Selection
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.nesting.family import slice_at
from tilescope.tiler.tools.nesting.row_slices import RowSlice
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.rank.ranking import durations_of, exact_median, longer_than, name_selection
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.search import events_table
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.windows import WindowsOf


class RankQuestion(SpanQuestion, frozen=True, kw_only=True):
    """One slice, and the span and the tracks whose slices of the same name it is compared with."""

    track: Annotated[int, Meta(ge=0, le=2**32 - 1, description="Number of the slice's track.", extra={"unit": "track"})]
    ordinal: Annotated[int, Meta(ge=0, le=2**62, description="Rank of the slice on its track, by time.")]


def _answer(scope: Scope, question: RankQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    track, reader = question.track, scope.reader
    if reader.tree.kind(track) not in SLICE_KINDS:
        raise UsageError(f"track {track} has no slices: only these have durations")
    if not scope.is_done(track):
        raise NotBuilt(f"track {track} is not built yet")
    row_slice = slice_at(reader, track, question.ordinal)
    yield
    windows_of = question_windows.on_track
    selection = name_selection(reader, row_slice.name, scope.leaves(question.tracks))
    durations = yield from durations_of(reader, selection, windows_of)
    longer = yield from longer_than(reader, selection, windows_of, durations, row_slice.duration)
    median = yield from exact_median(reader, selection, windows_of, durations)
    is_exact = longer.least == longer.most
    name = reader.names[row_slice.name]
    facts = [
        Fact("name", "Name", name.text, "name"),
        Fact("duration", "Duration", row_slice.duration, "ticks"),
        Fact("count", "Slices of its name", durations.count, "count", "that start in the span"),
        Fact("rank", "Rank", longer.least + 1 if is_exact else None, "count", "1 is the longest"),
        Fact("longer", "Longer, at least", longer.least, "count"),
        Fact("longer_most", "Longer, at most", longer.most, "count"),
        Fact("equal", "As long", longer.equal, "count", "with this slice, where it starts in the span"),
        Fact("shortest", "Shortest", durations.shortest, "ticks"),
        Fact("median", "Median", median, "ticks"),
        Fact("about_median", "Median ±1%", durations.median, "ticks"),
        Fact("mean", "Mean", durations.mean, "ticks"),
        Fact("longest", "Longest", durations.longest, "ticks"),
        Fact("total", "Total", durations.total, "ticks", "of all their durations"),
    ]
    notes = []
    if not is_exact:
        others = plural(longer.most - longer.least, "slice is", "slices are")
        notes.append(Note("info", f"{others} about as long: too many to compare one by one"))
    bins = durations.bins()
    distribution = [
        Column("least", "From", "ticks", bins.least),
        Column("most", "To", "ticks", bins.most),
        Column("count", "Count", "count", bins.count),
    ]
    beside = yield from _beside(scope, selection, windows_of, track, row_slice)
    tables = [
        Table("distribution", "Durations", distribution, totals={"count": durations.count}),
        events_table(scope, beside, None, "Before and after it on its track"),
    ]
    return Answer(facts, tables, notes=notes)


def _beside(
    scope: Scope, selection: Selection, windows_of: WindowsOf, track: int, row_slice: RowSlice
) -> Interruptible[Hits]:
    """The slices of the name just before and just after one, on its track."""
    if track not in selection.tracks:
        return join([])
    here = Selection(selection.chosen, [track], is_kept=True)
    place = Place(row_slice.start, track, row_slice.ordinal)
    before = yield from page_of_hits(scope.reader, here, windows_of, 1, place, backward=True)
    after = yield from page_of_hits(scope.reader, here, windows_of, 1, place)
    return join([before.hits, after.hits])


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    takes = f"{figures.text('name') or 'This slice'} takes {figures.text('duration')}"
    if figures.count("count") < 2:
        return f"{takes}; {plural(figures.count('count'), 'slice', 'slices')} of its name in all"
    longer = figures.text("longer") if figures.text("rank") else f"at least {figures.text('longer')}"
    median = figures.text("median") or f"about {figures.text('about_median')}"
    return f"{takes}: {longer} of {figures.text('count')} slices of its name take longer, and their median is {median}"


TOOL: Final = Tool(
    id="rank",
    title="Rank",
    help="where the duration of a slice stands among those of its name",
    group="raw",
    question=RankQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(added=("count", "total"), by_track=True, parts={"count": ("distribution.count",)}),
)
