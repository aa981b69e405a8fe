"""Work in the queues of streams: launched, and not started yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.lanes import CurveBins, QueueCurve, StepCurve, curve_bins, queue_curve
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.question import StreamQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

NO_LAUNCHES: Final = (
    "no launch of work on a stream was recorded: record the activities of the CPU with those of the GPU; traces of "
    "TPUs have no streams"
)


@dataclass(frozen=True, slots=True)
class _Queue:
    device: Device
    track: int
    curve: QueueCurve


def _queues(scope: Scope) -> Interruptible[list[_Queue]]:
    """The streams for which launches were recorded, by device. Raises NotBuilt, StoredLast."""
    queues = []
    for device in (yield from devices_of(scope.reader)):
        for work_track in device.tracks:
            curve = queue_curve(scope.reader, work_track.track)
            if curve is not None:
                queues.append(_Queue(device, work_track.track, curve))
    return queues


def _answer(scope: Scope, question: StreamQuestion) -> Interruptible[Answer]:
    scope = scope.without_outliers()
    span = scope.within(question.ticks)
    queues = yield from _queues(scope)
    if question.tracks is not None:
        chosen = frozenset(scope.leaves(question.tracks))
        queues = [queue for queue in queues if queue.track in chosen]
    notes = [] if queues else [Note("warning", "none of the tracks is a stream with recorded launches")]
    borders = np.array([span.start, span.stop], np.int64) if span.start < span.stop else np.array([span.start])
    figures = []
    for queue in queues:
        figures.append((yield from _bins(scope, queue.curve, borders)))
        yield
    ticks = max(span.stop - span.start, 0)
    waiting = [int(bins.total.sum()) for bins in figures]
    tracks = scope.reader.tree.tracks
    columns = [
        Column("stream", "Stream", "name", [tracks[queue.track].name for queue in queues]),
        Column("device", "Device", "text", [queue.device.name for queue in queues]),
        Column("longest", "Longest", "count", [int(bins.greatest.max(initial=0)) for bins in figures], total="max"),
        Column("mean", "Mean", "number", [ticks_waiting / ticks if ticks else None for ticks_waiting in waiting]),
        Column("waiting", "Waiting", "ticks", waiting),
        Column("track", "Track", "track", [queue.track for queue in queues]),
    ]
    facts = [
        Fact("streams", "Streams", len(queues), "count"),
        Fact("waiting", "Waiting", sum(waiting), "ticks", "of all launched work, from its launch to its start"),
    ]
    return Answer(facts, [Table("streams", "Streams", columns)], notes=notes)


def _bins(scope: Scope, curve: QueueCurve, borders: NDArray[np.int64]) -> Interruptible[CurveBins]:
    curves = []
    for piece in curve.pieces(scope.reader, int(borders[0]), int(borders[-1])):
        curves.append(piece)
        yield
    return curve_bins(curves, borders)


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    queues = yield from _queues(scope)
    return [
        DerivedLane(
            str(queue.track), "Work in the queue", queue.track, (queue.track, *queue.curve.launching_tracks), "counter"
        )
        for queue in queues
    ]


def _lane_bins(scope: Scope, lane: DerivedLane, borders: NDArray[np.int64]) -> Interruptible[CurveBins]:
    curve = queue_curve(scope.reader, lane.track)
    return curve_bins([], borders) if curve is None else (yield from _bins(scope, curve, borders))


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[StepCurve | None]:
    curve = queue_curve(scope.reader, lane.track)
    if curve is not None:
        yield from curve.pieces(scope.reader, span.start, span.stop)


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The slices that wait, in the order in which they start."""
    curve = queue_curve(scope.reader, lane.track)
    if curve is None:
        return []
    pairs = yield from curve.waiting(scope.reader, tick)
    columns = (pairs.ordinal, pairs.track, pairs.launch)
    return [
        LaneEvent((lane.track, ordinal), (track, launch))
        for ordinal, track, launch in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _availability(scope: Scope) -> str:
    return "" if finish(_queues(scope)) else NO_LAUNCHES


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    streams = plural(figures.count("streams"), "stream", "streams")
    row = figures.greatest("streams", "longest")
    if row is None:
        return f"No launched work waits on {streams}"
    most = f"at most {figures.cell('streams', 'longest', row)} launches wait at once"
    stream = figures.cell("streams", "stream", row)
    return f"Launched work waits {figures.text('waiting')} in all on {streams}: {most}, on {stream}"


TOOL: Final = Tool(
    id="queues",
    title="Queues",
    help="how much launched work waits in the queue of each stream",
    group="waiting",
    question=StreamQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        added=("waiting",),
        rows=(AddedRows("streams", ("track",), ("waiting",)),),
        parts={"waiting": ("streams.waiting",)},
        lists={"streams": "streams"},
    ),
    lanes=LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events),
)
