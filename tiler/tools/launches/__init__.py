"""Calls that launch work of devices: how long the work waits to start, and whether it is worth its call."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.launches import LaunchTimes, has_launches, launch_times
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.ticks import TICK_LIMIT, UNITS_PS
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.launch_notes import launch_notes
from tilescope.tiler.tools.launches.sums import LaunchFigures, LaunchSums
from tilescope.tiler.tools.like_hta import NOTE as HTA_NOTE
from tilescope.tiler.tools.like_hta import LikeHta, hta_devices, launches_table
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.queues import NO_LAUNCHES
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 50

_SLOW_CALL_US: Final = 50
_LATE_START_US: Final = 100

Ints = NDArray[np.int64]

# A length of time.
_Ticks = Annotated[int, Meta(ge=0, le=TICK_LIMIT, extra={"unit": "ticks"})]


class LaunchesQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Launches whose work starts in a span or in steps, on some streams."""

    slow_call: Annotated[_Ticks | None, Meta(description="A call that takes longer is slow. 50 µs unless given.")] = (
        None
    )
    late_start: Annotated[
        _Ticks | None,
        Meta(description="Work that starts more than this after the end of its call is late. 100 µs unless given."),
    ] = None
    only: Annotated[
        Literal["early", "late", "short", "slow"] | None,
        Meta(
            description="Which launches are listed one by one: early ones, whose work starts before their call ends, "
            "late ones, short work that takes less time than its call, or slow calls. All unless given."
        ),
    ] = None
    like_hta: LikeHta = False
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most names, and launches, that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: LaunchesQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    chosen = frozenset(scope.leaves(question.tracks))
    parts, streams, device_names = [], [], []
    for device in (yield from devices_of(scope.reader)):
        tracks = [work_track.track for work_track in device.tracks if work_track.track in chosen]
        times = (yield from launch_times(scope.reader, device)) if tracks else None
        for track in tracks:
            if times is not None and has_launches(scope.reader, track):
                on_stream = times.take(times.track == track)
                parts.append(on_stream.take(question_windows.on_track(track).hold(on_stream.start)))
                streams.append(track)
                device_names.append(device.name)
            yield
    times = LaunchTimes.joined(parts)
    figures = LaunchFigures.from_times(
        times, _ticks(scope, question.slow_call, _SLOW_CALL_US), _ticks(scope, question.late_start, _LATE_START_US)
    )
    stream = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    yield
    sums = LaunchSums.from_groups(times, figures, np.zeros(len(times), np.int64), 1)
    tables = [
        _streams_table(
            scope, streams, device_names, LaunchSums.from_groups(times, figures, stream, len(streams)), sums
        ),
        _names_table(scope, times, figures, sums, question.limit),
        _launches_table(scope, times, figures, question),
    ]
    notes = [*(yield from launch_notes(scope.reader))]
    if question.like_hta:
        tables.append((yield from launches_table(scope, (yield from hta_devices(scope)))))
        notes.append(HTA_NOTE)
    if not streams:
        notes.append(Note("warning", "none of the tracks is a stream with recorded launches"))
    return Answer(_facts(sums), tables, notes=notes)


def _ticks(scope: Scope, given: int | None, microseconds: int) -> int:
    return microseconds * UNITS_PS["us"] // scope.reader.tick_ps if given is None else given


def _facts(sums: LaunchSums) -> list[Fact]:
    row = sums.row(0)
    return [
        Fact("launches", "Launches", row["launches"], "count", "whose work starts in this range; a graph is one"),
        Fact("delay", "Delay", row["delay"], "ticks", "from the end of each call to the start of its work, added up"),
        Fact("longest", "Longest delay", row["longest"], "ticks"),
        Fact("calls", "Time of calls", row["calls"], "ticks", "on the host"),
        Fact("short", "Short work", row["short"], "count", "takes less time than its call, which is not slow"),
        Fact("slow", "Slow calls", row["slow"], "count"),
        Fact("late", "Late starts", row["late"], "count"),
        Fact("early", "Early starts", row["early"], "count", "before the end of the call: a delay of 0"),
    ]


def _streams_table(
    scope: Scope, streams: list[int], device_names: list[str], sums: LaunchSums, total: LaunchSums
) -> Table:
    tracks = scope.reader.tree.tracks
    columns = [
        Column("stream", "Stream", "name", [tracks[track].name for track in streams]),
        Column("device", "Device", "text", device_names),
        *sums.columns(list(range(len(streams)))),
        Column("track", "Track", "track", streams),
    ]
    return Table("streams", "By stream", columns, totals=total.row(0))


def _names_table(scope: Scope, times: LaunchTimes, figures: LaunchFigures, total: LaunchSums, limit: int) -> Table:
    """Launches by the name of their first work; those first that have most delay."""
    name, group = np.unique(times.name, return_inverse=True)
    sums = LaunchSums.from_groups(times, figures, group, len(name))
    delay, launches = sums.by_column["delay"], sums.by_column["launches"]
    order = sorted(range(len(name)), key=lambda row: (-delay[row], -launches[row], row))
    texts = scope.reader.names.by_id(name[order[:limit]].tolist())
    columns = [
        Column("name", "First work", "name", [texts[number].text for number in name[order[:limit]].tolist()]),
        *sums.columns(order[:limit]),
    ]
    rest = None
    if len(order) > limit:
        is_left = np.ones(len(name), np.int64)
        is_left[order[:limit]] = 0
        rest = LaunchSums.from_groups(times, figures, is_left[group], 2).row(1)
    return Table("names", "By what they launch", columns, totals=total.row(0), rest=rest)


def _launches_table(scope: Scope, times: LaunchTimes, figures: LaunchFigures, question: LaunchesQuestion) -> Table:
    """Launches one by one: early ones by how early, slow calls by how long, all others by their delay."""
    rows = np.arange(len(times)) if question.only is None else np.flatnonzero(getattr(figures, question.only))
    keys = {"early": times.lead, "slow": -times.call_duration, "short": times.duration - times.call_duration}
    key = -figures.delay if question.only is None or question.only == "late" else keys[question.only]
    rows = rows[np.lexsort((rows, key[rows]))][: question.limit]
    listed = times.take(rows)
    texts = scope.reader.names.by_id(np.unique(np.append(listed.name, listed.call_name)).tolist())
    columns = [
        Column("name", "Call", "name", [texts[name].text for name in listed.call_name.tolist()]),
        Column("work_name", "First work", "name", [texts[name].text for name in listed.name.tolist()]),
        Column("delay", "Delay", "ticks", figures.delay[rows]),
        Column("early_by", "Early by", "ticks", np.maximum(-listed.lead, 0)),
        Column("call_duration", "Time of the call", "ticks", listed.call_duration),
        Column("work_duration", "Time of the work", "ticks", listed.duration),
        Column("start", "Start of the call", "time", listed.call_start, total="none"),
        Column("call", "Call in the timeline", "event", _events(listed.call_track, listed.call)),
        Column("event", "Work in the timeline", "event", _events(listed.track, listed.ordinal)),
        Column("track", "Track", "track", listed.track),
    ]
    return Table("launches", "Launches", columns)


def _events(tracks: Ints, ordinals: Ints) -> list[str]:
    return [f"{track}.{ordinal}" for track, ordinal in zip(tracks.tolist(), ordinals.tolist(), strict=True)]


def _availability(scope: Scope) -> str:
    streams = (track.track for device in finish(devices_of(scope.reader)) for track in device.tracks)
    return "" if any(has_launches(scope.reader, track) for track in streams) else NO_LAUNCHES


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.count("launches"):
        return "No launched work starts in this range"
    text = f"Work starts {figures.text('longest')} after the end of its call at most, {figures.text('delay')} in all"
    return f"{text}; {figures.text('short')} of {figures.text('launches')} launches are of short work"


TOOL: Final = Tool(
    id="launches",
    title="Launches",
    help="how long work waits after its launch, and which calls are slow",
    group="waiting",
    question=LaunchesQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        added=("launches", "delay", "calls", "short", "slow", "late", "early"),
        by_track=True,
        rows=(
            AddedRows("streams", ("track",), ("launches", "delay", "calls", "work", "short", "slow", "late", "early")),
            AddedRows("names", ("name",), ("launches", "delay", "calls", "work", "short", "slow", "late", "early")),
        ),
        parts={"launches": ("streams.launches",), "delay": ("names.delay",), "calls": ("names.calls",)},
    ),
)
