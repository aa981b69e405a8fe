"""The events behind what a derived lane shows at a tick, and those that launched them: ends of arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible, Reading
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.lane import LaneEvent
from tilescope.tiler.tools.lanes import lane_of_id
from tilescope.tiler.tools.question import Question, Tick
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.tools.tool_calls import blamed

MAX_EVENTS: Final = 10_000
DEFAULT_EVENTS: Final = 100


class LaneEventsQuestion(Question, frozen=True, kw_only=True):
    """The events of a derived lane at a tick."""

    lane: Annotated[str, Meta(min_length=1, max_length=220, description="Id of the lane, as the tool lanes has it.")]
    tick: Annotated[Tick, Meta(description="The tick that is asked about.")]
    limit: Annotated[int, Meta(ge=1, le=MAX_EVENTS, description="The most events that are listed.")] = DEFAULT_EVENTS


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    start: int
    duration: int


def _answer(scope: Scope, question: LaneEventsQuestion) -> Interruptible[Answer]:
    scope = scope.without_outliers()
    source, tool, lane = yield from lane_of_id(scope, question.lane)
    with blamed(tool):
        events = yield from source.events(scope, lane, question.tick)
    listed = events[: question.limit]
    rows = yield from _rows(scope, listed)
    works = [rows[lane_event.event] for lane_event in listed]
    launches = [None if lane_event.launch is None else rows[lane_event.launch] for lane_event in listed]
    columns = [
        Column("event", "Event", "event", [_text(lane_event.event) for lane_event in listed]),
        Column("name", "Name", "name", [row.name for row in works]),
        Column("start", "Start", "time", [row.start for row in works]),
        Column("duration", "Duration", "ticks", [row.duration for row in works]),
        Column("launched", "Launched", "time", [None if launch is None else launch.start for launch in launches]),
        Column(
            "launch_event", "Launch", "event", [lane_event.launch and _text(lane_event.launch) for lane_event in listed]
        ),
        Column("track", "Track", "track", [lane_event.event[0] for lane_event in listed]),
    ]
    return Answer([Fact("events", "Events", len(events), "count")], [Table("events", "Events of the lane", columns)])


def _text(event: tuple[int, int]) -> str:
    track, ordinal = event
    return f"{track}.{ordinal}"


def _rows(scope: Scope, listed: Sequence[LaneEvent]) -> Interruptible[dict[tuple[int, int], _Row]]:
    """Name and time of all events and launches. Raises DamagedStore."""
    reader = scope.reader
    places = {place for lane_event in listed for place in (lane_event.event, lane_event.launch) if place is not None}
    rows = {}
    for track in sorted({track for track, _ in places}):
        ordinals = np.array(sorted(ordinal for owner, ordinal in places if owner == track), np.int64)
        plan = reader.plan(track, reader.leaves_of(track, ordinals))
        for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
            here = events.take(np.isin(events.ordinal, ordinals))
            names = reader.names.by_id(np.unique(here.name).tolist())
            columns = (here.ordinal, here.name, here.start, here.duration)
            for ordinal, name, start, duration in zip(*(column.tolist() for column in columns), strict=True):
                rows[track, ordinal] = _Row(names[name].text, start, duration)
            yield
    return rows


def _sentence(answer: Answer, tick_ps: int) -> str:
    events = plural(Figures(answer, tick_ps).count("events"), "event is", "events are")
    return f"{events} behind what the lane shows then"


TOOL: Final = Tool(
    id="lane_events",
    title="Events of a derived lane",
    help="events behind what a derived lane shows at a moment",
    group="raw",
    question=LaneEventsQuestion,
    answer=_answer,
    sentence=_sentence,
)
