"""Figures of counters in a span: samples, extremes, means, change and rate; and performance counters of devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import TreeTrack
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.counters.figures import CounterFigures, figures
from tilescope.tiler.tools.counters.performance import performance_table, performance_tracks
from tilescope.tiler.tools.counters.plain_mean import plain_means
from tilescope.tiler.tools.counters.tiles import CounterTiles, counter_pages
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_COUNTERS: Final = 4096

_COUNTERS: Final = frozenset({"counter"})
_PS_PER_SECOND: Final = 10**12

# A note names counters whose samples end before more than this share of what is looked at.
_UNKNOWN_SHARE: Final = 0.1
_NAMED: Final = 3


class CountersQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Figures of counters in a span. A value holds until the next sample; behind the last one nobody knows it."""

    limit: Annotated[
        int, Meta(ge=0, le=MAX_COUNTERS, description="The most counters that are listed, in the order of the tracks.")
    ] = MAX_COUNTERS


def _answer(scope: Scope, question: CountersQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = scope.reader.tree.tracks
    counters = [track for track in scope.leaves(question.tracks, _COUNTERS) if tracks[track].events != 0]
    listed = counters[: question.limit]
    rows: list[CounterFigures] = []
    rates: list[float | None] = []
    stopped: list[int] = []
    tick_ps = scope.reader.tick_ps
    pages = counter_pages(scope.reader)
    for track in listed:
        windows = question_windows.on_track(track)
        first, last = _ends(tracks[track])
        if windows.clipped(last, TICK_LIMIT).ticks > _UNKNOWN_SHARE * windows.ticks:
            stopped.append(track)
        row = figures(CounterTiles(scope.reader, track, pages), first, last, windows)
        rows.append(row)
        seconds = windows.ticks * tick_ps / _PS_PER_SECOND
        rates.append(row.change / seconds if row.change is not None and seconds else None)
        yield
    means = yield from plain_means(scope.reader, listed, question_windows.on_track)
    span = question_windows.span(counters)
    columns = [
        Column("track", "Track", "track", listed),
        Column("name", "Name", "name", [tracks[track].name for track in listed]),
        Column("n", "Samples", "count", [row.n for row in rows]),
        Column("min", "Least", "number", [row.least for row in rows], total="min"),
        Column("max", "Greatest", "number", [row.greatest for row in rows], total="max"),
        Column("mean", "Mean over time", "number", [row.mean for row in rows], total="none"),
        Column("sample_mean", "Mean of samples", "number", means, total="none"),
        Column("first", "At the start", "number", [row.first for row in rows], total="none"),
        Column("last", "At the end", "number", [row.last for row in rows], total="none"),
        Column("change", "Change", "number", [row.change for row in rows], total="none"),
        Column("rate", "Rate", "rate", rates, unit="1/s", total="none"),
    ]
    facts = [
        Fact("counters", "Counters", len(counters), "count"),
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
    ]
    tables = [Table("counters", "Counters", columns)]
    notes = [_stopped_note([tracks[track].name for track in stopped], stopped[0])] if stopped else []
    of_devices = performance_tracks(scope, question.tracks)
    if of_devices:
        table, more = yield from performance_table(scope, question_windows, of_devices, question.limit)
        tables = [table] if not counters else [*tables, table]
        notes += more
    return Answer(facts, tables, notes=notes)


def _ends(track: TreeTrack) -> tuple[int, int]:
    """Times of the first and the last sample of a counter. Raises DamagedStore where a track with samples has none."""
    first, last = track.first, track.last
    if first is UNSET or last is UNSET:
        raise DamagedStore(f"track {track.id} has samples, and no first or last one (index the trace again)")
    return first, last


def _stopped_note(names: Sequence[str], track: int) -> Note:
    more = len(names) - _NAMED
    which = ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    text = f"no sample in the last tenth of the range: {which}. Means over time end with the last samples"
    return Note("info", text, track=track)


def _why_not(scope: Scope) -> Reason:
    if any(track.kind == "counter" for track in scope.reader.tree.tracks):
        return ""
    if performance_tracks(scope, None):
        return ""
    return "the trace has no counters: record some, such as memory or power, or performance counters of devices"


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    counters = plural(figures.count("counters"), "counter has", "counters have")
    row = figures.greatest("counters", "n")
    if row is None:
        return f"{counters} values here, of which none is listed"
    name, samples = figures.cell("counters", "name", row), figures.cell("counters", "n", row)
    return f"{counters} values; the most samples of those listed, {samples}, are of {name}"


TOOL: Final = Tool(
    id="counters",
    title="Counters",
    help="extremes, means, change and rate of counters in a span",
    group="counters",
    question=CountersQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_why_not,
    contract=Contract(rows=(AddedRows("counters", ("track",), ("n",)),), lists={"counters": "counters"}),
)
