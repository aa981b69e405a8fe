"""Idle times of devices: their length, what ended each gap, and what the host did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import NO_DEVICES, Device
from tilescope.tiler.facts.findings import WAIT_TITLES, IdleReason, idle_reasons
from tilescope.tiler.facts.operators_end import BEHIND_OPERATORS, recorded_range
from tilescope.tiler.query import Interruptible, Name
from tilescope.tiler.ticks import TICK_LIMIT, UNITS_PS
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.findings import opening
from tilescope.tiler.tools.gaps.edges import Edge, Edges, edges_of
from tilescope.tiler.tools.gaps.gap_search import GapPlace, Gaps, LaneGaps, Order, Search
from tilescope.tiler.tools.gaps.lanes import Lane, Lanes, lanes_of
from tilescope.tiler.tools.gaps.meanwhile import HostWork, host_work
from tilescope.tiler.tools.gaps.stream_waits import short_gap_ticks, stream_waits, waits_tables
from tilescope.tiler.tools.launch_notes import launch_notes
from tilescope.tiler.tools.like_hta import NOTE as HTA_NOTE
from tilescope.tiler.tools.like_hta import LikeHta, hta_devices, idle_table
from tilescope.tiler.tools.question import After, FigureQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows, recorded_span
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.windows import Windows

MAX_GAPS: Final = 500
DEFAULT_GAPS: Final = 50

_ON_THE_HOST: Final = "host"
_ON_THE_DEVICE: Final = "device"


class GapsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Gaps of devices, or of tracks, in a span or in steps."""

    at_least: Annotated[
        int,
        Meta(
            ge=0,
            le=TICK_LIMIT,
            description="How long a gap lasts at least that counts; shorter ones are idle time, too.",
            extra={"unit": "ticks"},
        ),
    ] = 0
    each_track: Annotated[
        bool, Meta(description="The gaps of each track by itself: a device is idle where none of its streams is busy.")
    ] = False
    short_gap: Annotated[
        Annotated[int, Meta(ge=0, le=TICK_LIMIT, extra={"unit": "ticks"})] | None,
        Meta(
            description="Of each track: a gap shorter than this, whose work was launched before it, is a wait for a "
            "kernel, a longer one has other reasons. 30 µs unless given."
        ),
    ] = None
    like_hta: LikeHta = False
    order: Annotated[Order, Meta(description="Which gaps come first: the longest, or the earliest.")] = "longest"
    limit: Annotated[int, Meta(ge=0, le=MAX_GAPS, description="The most gaps that are listed.")] = DEFAULT_GAPS
    after: Annotated[After | None, Meta(description="Where to go on: `more` of the answer before.")] = None


def _answer(scope: Scope, question: GapsQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    lanes = yield from lanes_of(scope, question.tracks, by_device=not question.each_track)
    after = None if question.after is None else GapPlace.parse(question.after)
    search = Search(question.at_least, question.order, question.limit, after)
    of_lanes: list[LaneGaps] = []
    is_cut = False
    for number, lane in enumerate(lanes.lanes):
        windows, first_launch, within = question_windows.on_track(lane.track), None, question_windows.within
        if lane.device is not None:
            within = yield from recorded_range(scope.reader, lane.device, within)
            is_cut |= within != question_windows.within
            windows = question_windows.on_device(lane.device)
            first_launch = question_windows.first_launch(lane.device)
        of_lanes.append(
            (yield from search.look_through(scope.reader, lane, number, windows, within, first_launch=first_launch))
        )
    search.settle()
    gaps = search.first.take(slice(question.limit))
    more = None
    if len(search.first) > len(gaps) and len(gaps):
        more = gaps.place(len(gaps) - 1, question.order).text()
    edges = yield from edges_of(scope.reader, lanes, gaps)
    host = yield from host_work(scope.reader, lanes, gaps, edges)
    waits = []
    if question.each_track and scope.reader.is_whole:
        waits = yield from stream_waits(scope.reader, lanes.lanes, of_lanes, question_windows, question.short_gap)
    tables = [
        _gaps_table(scope, lanes, gaps, edges, host, of_lanes, more),
        _lanes_table(lanes.lanes, of_lanes),
        *waits_tables(waits),
        _lengths_table(search),
    ]
    if question.like_hta:
        least = short_gap_ticks(scope.reader, question.short_gap) * scope.reader.tick_ps // UNITS_PS["us"]
        tables.append((yield from idle_table(scope, (yield from hta_devices(scope)), least)))
    if scope.reader.is_whole and lanes.lanes and all(lane.device is not None for lane in lanes.lanes):
        reasons = yield from idle_reasons(scope.reader, _devices(lanes.lanes, of_lanes, question_windows))
        tables.insert(0, _reasons_table(reasons))
    cause = yield from opening(scope, question)
    notes = [*cause.notes, *_notes(lanes, of_lanes, edges, host), *(yield from launch_notes(scope.reader))]
    notes += [HTA_NOTE] if question.like_hta else []
    headline = cause.headline
    if headline is None and is_cut and not _sum(of_lanes, lambda lane_gaps: lane_gaps.span):
        headline = Note("warning", f"When devices are idle here is {BEHIND_OPERATORS}")
    return Answer(_facts(of_lanes, question.at_least, is_cut=is_cut), tables, notes=notes, headline=headline)


def _devices(
    lanes: Sequence[Lane], of_lanes: Sequence[LaneGaps], question_windows: QuestionWindows
) -> list[tuple[Device, Windows]]:
    """Devices, each with the windows of which the idle time is counted."""
    return [
        (lane.device, question_windows.device_part(lane.device, lane_gaps.start, lane_gaps.stop))
        for lane, lane_gaps in zip(lanes, of_lanes, strict=True)
        if lane.device is not None
    ]


def _reasons_table(reasons: Sequence[IdleReason]) -> Table:
    """Idle time by what devices wait for."""
    idle = sum(reason.ticks for reason in reasons)
    spots = [reason.spot for reason in reasons]
    columns = [
        Column("reason", "Waits for", "text", [WAIT_TITLES[reason.wait] for reason in reasons]),
        Column("idle", "Idle", "ticks", [reason.ticks for reason in reasons]),
        Column("share", "Share", "fraction", [reason.ticks / idle for reason in reasons]),
        Column("where", "Most in", "text", [reason.where or None for reason in reasons]),
        Column("track", "Track", "track", [spot.track if spot else None for spot in spots]),
        Column("start", "Start", "time", [spot.start if spot else None for spot in spots], total="none"),
        Column("end", "End", "time", [spot.stop if spot else None for spot in spots], total="none"),
        Column("event", "Event", "event", [spot.event if spot else None for spot in spots], total="none"),
    ]
    return Table("reasons", "Idle time by reason", columns, totals={"idle": idle})


def _sum(of_lanes: Sequence[LaneGaps], figure: Callable[[LaneGaps], int]) -> int:
    return sum(map(figure, of_lanes))


def _facts(of_lanes: Sequence[LaneGaps], at_least: int, *, is_cut: bool) -> list[Fact]:
    listed = _sum(of_lanes, lambda lane_gaps: lane_gaps.idle_listed)
    idle, span = _sum(of_lanes, lambda lane_gaps: lane_gaps.idle), _sum(of_lanes, lambda lane_gaps: lane_gaps.span)
    note = f"of at least {at_least:,} ticks" if at_least > 1 else ""
    return [
        Fact(
            "idle_share",
            "Idle between work",
            idle / span if span else None,
            "fraction",
            "of the span, by the clock of the timeline" if span else BEHIND_OPERATORS if is_cut else "there is no work",
        ),
        Fact("idle", "Idle", idle, "ticks", "span less busy"),
        Fact("count", "Gaps", _sum(of_lanes, lambda lane_gaps: lane_gaps.count), "count", note),
        Fact("span", "Span", span, "ticks", f"{recorded_span(is_cut=is_cut)}, in this range"),
        Fact("busy", "Busy", _sum(of_lanes, lambda lane_gaps: lane_gaps.busy), "ticks"),
        Fact("lanes", "Devices or tracks", len(of_lanes), "count", "whose gaps are counted"),
        Fact("idle_in_gaps", "Idle in them", listed, "ticks"),
        Fact("idle_in_short", "Idle in shorter ones", idle - listed, "ticks"),
    ]


def _gaps_table(
    scope: Scope,
    lanes: Lanes,
    gaps: Gaps,
    edges: Edges,
    host: HostWork,
    of_lanes: Sequence[LaneGaps],
    more: str | None,
) -> Table:
    length = gaps.stop - gaps.start
    names = scope.reader.names.by_id(
        [
            *(edge.name for edge in (*edges.before, *edges.ended) if edge is not None),
            *(launch.edge.name for launch in edges.launch if launch is not None),
            *(work.name for work in host.by_gap if work is not None),
        ]
    )
    spans = [f"{start}-{stop}" for start, stop in zip(gaps.start.tolist(), gaps.stop.tolist(), strict=True)]
    launches = [None if launch is None else launch.edge for launch in edges.launch]
    shares = [
        None if work is None else work.ticks / ticks for work, ticks in zip(host.by_gap, length.tolist(), strict=True)
    ]
    meanwhile = [None if work is None else names[work.name].text for work in host.by_gap]
    columns = [
        Column("start", "Start", "time", gaps.start),
        Column("duration", "Length", "ticks", length),
        Column("lane", "Of", "name", [lanes.lanes[number].name for number in gaps.lane.tolist()]),
        Column("ended_by", "Ended by", "name", _texts(edges.ended, names)),
        Column("waited_for", "Waited for", "text", _waited_for(gaps, edges)),
        Column("meanwhile", "Meanwhile on the host", "name", meanwhile),
        Column("meanwhile_share", "Share", "fraction", shares, total="max"),
        Column("before", "Before", "name", _texts(edges.before, names)),
        Column("launched_by", "Launched by", "name", _texts(launches, names)),
        Column("gap", "Gap", "span", spans),
        Column("track", "Track", "track", gaps.track),
        Column("host_track", "Host track", "track", [None if work is None else work.track for work in host.by_gap]),
        Column("ended_by_event", "Ending event", "event", _events(edges.ended)),
        Column("before_event", "Event before", "event", _events(edges.before)),
        Column("launch_event", "Launching event", "event", _events(launches)),
    ]
    total = _sum(of_lanes, lambda lane_gaps: lane_gaps.idle_listed)
    left = total - int(length.sum())
    n_left = _sum(of_lanes, lambda lane_gaps: lane_gaps.count) - len(gaps)
    rest: dict[str, Value] | None = {"duration": left} if n_left else None
    return Table("gaps", "Gaps", columns, totals={"duration": total}, rest=rest, more=more)


def _texts(edges: Sequence[Edge | None], names: dict[int, Name]) -> list[str | None]:
    return [None if edge is None else names[edge.name].text for edge in edges]


def _events(edges: Sequence[Edge | None]) -> list[str | None]:
    return [None if edge is None else edge.event for edge in edges]


def _waited_for(gaps: Gaps, edges: Edges) -> list[str | None]:
    """The host launched the work only after the gap had begun; or it was there, and the device did not take it up."""
    return [
        None if launch is None else _ON_THE_HOST if launch.start >= start else _ON_THE_DEVICE
        for launch, start in zip(edges.launch, gaps.start.tolist(), strict=True)
    ]


def _lanes_table(lanes: Sequence[Lane], of_lanes: Sequence[LaneGaps]) -> Table:
    spans = [lane_gaps.span for lane_gaps in of_lanes]
    columns = [
        Column("lane", "Of", "name", [lane.name for lane in lanes]),
        Column("span", "Span", "ticks", spans),
        Column("busy", "Busy", "ticks", [lane_gaps.busy for lane_gaps in of_lanes]),
        Column("idle", "Idle", "ticks", [lane_gaps.idle for lane_gaps in of_lanes]),
        Column(
            "idle_share",
            "Idle",
            "fraction",
            [lane_gaps.idle / lane_gaps.span if lane_gaps.span else None for lane_gaps in of_lanes],
            total="max",
        ),
        Column("count", "Gaps", "count", [lane_gaps.count for lane_gaps in of_lanes]),
        Column("idle_in_gaps", "Idle in them", "ticks", [lane_gaps.idle_listed for lane_gaps in of_lanes]),
        Column("longest", "Longest", "ticks", [lane_gaps.longest for lane_gaps in of_lanes], total="max"),
        Column("track", "Track", "track", [lane.track for lane in lanes]),
        Column("start", "Start", "time", [lane_gaps.start for lane_gaps in of_lanes], total="min"),
        Column("end", "End", "time", [lane_gaps.stop for lane_gaps in of_lanes], total="max"),
    ]
    span, idle = sum(spans), _sum(of_lanes, lambda lane_gaps: lane_gaps.idle)
    totals: dict[str, Value] = {
        "span": span,
        "busy": span - idle,
        "idle": idle,
        "idle_share": idle / span if span else None,
        "count": _sum(of_lanes, lambda lane_gaps: lane_gaps.count),
        "idle_in_gaps": _sum(of_lanes, lambda lane_gaps: lane_gaps.idle_listed),
        "longest": max((lane_gaps.longest for lane_gaps in of_lanes), default=0),
    }
    return Table("lanes", "By device or track", columns, totals=totals)


def _lengths_table(search: Search) -> Table:
    """All gaps, by the power of ten of their length."""
    decades = [decade for decade in range(1, len(search.ticks)) if search.counts[decade]]
    idle = sum(search.ticks)
    columns = [
        Column("at_least", "At least", "ticks", [10 ** (decade - 1) for decade in decades], total="min"),
        Column("below", "Below", "ticks", [10**decade for decade in decades], total="max"),
        Column("count", "Gaps", "count", [int(search.counts[decade]) for decade in decades]),
        Column("idle", "Idle", "ticks", [search.ticks[decade] for decade in decades]),
        Column("share", "Share", "fraction", [search.ticks[decade] / idle for decade in decades]),
    ]
    totals: dict[str, Value] = {"count": int(search.counts.sum()), "idle": idle}
    return Table("lengths", "All gaps by length", columns, totals=totals)


def _notes(lanes: Lanes, of_lanes: Sequence[LaneGaps], edges: Edges, host: HostWork) -> list[Note]:
    notes = []
    if not lanes.devices:
        notes.append(Note("info", f"Tracks are judged one by one: {NO_DEVICES}."))
    cut = _sum(of_lanes, lambda lane_gaps: lane_gaps.cut)
    if cut:
        text = plural(cut, "gap reaches", "gaps reach")
        notes.append(Note("info", f"{text} an edge of the range: only the part inside counts."))
    if edges.ended and lanes.devices and not any(launch is not None for launch in edges.launch):
        notes.append(
            Note(
                "info", "No flow says what launched the work at their ends: of the host's threads the busiest is shown."
            )
        )
    if host.left_out > 0:
        notes.append(Note("info", f"The host has more threads: {host.left_out:,} were not examined."))
    return notes


def _sentence(answer: Answer, tick_ps: int) -> str:
    """Idle time, where no finding says why."""
    figures = Figures(answer, tick_ps)
    if not figures.text("idle_share"):
        return "No device or track works in this range"
    lanes = plural(figures.count("lanes"), "device or track is", "devices or tracks are")
    idle = f"idle {figures.text('idle_share')} of the time: {figures.text('idle')} in all"
    return f"From first to last work {lanes} {idle}"


TOOL: Final = Tool(
    id="gaps",
    title="Gaps",
    help="when devices are idle, what ended it, what the host did meanwhile",
    group="waiting",
    question=GapsQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("span", "busy", "idle", "gaps.duration"),
        rows=(AddedRows("lanes", ("track",), ("span", "busy", "idle")),),
        parts={
            "span": ("busy", "idle"),
            "idle": ("idle_in_gaps", "idle_in_short"),
            "count": ("lanes.count",),
            "lengths.count": ("count",),
            "idle_in_gaps": ("gaps.duration",),
        },
        lists={"gaps": "count", "lanes": "lanes"},
    ),
)
