"""Copies of devices by kind and stream: how many bytes, how fast."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.lanes import CurveBins, StepCurve, curve_bins
from tilescope.tiler.facts.lanes.copy_rates import Copies, copies_between, copy_kinds, kinds_of_track, rate_curve
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.question import StreamQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

NO_COPIES: Final = (
    "the trace has no copies of devices with bytes or rates: those are events of categories gpu_memcpy and gpu_memset "
    "of a PyTorch trace; record with ProfilerActivity.CUDA"
)


@dataclass(frozen=True, slots=True)
class _StreamKind:
    """Copies of one kind on one stream."""

    device: Device
    track: int
    kind: int
    title: str


def _stream_kinds(scope: Scope) -> Interruptible[list[_StreamKind]]:
    """Streams with copies, by device, each with its kinds."""
    reader = scope.reader
    kinds = yield from copy_kinds(reader)
    stream_kinds = []
    for device in (yield from devices_of(reader)) if kinds.titles else ():
        for work_track in device.tracks:
            if scope.is_done(work_track.track):
                present = yield from kinds_of_track(reader, work_track.track)
                stream_kinds += [
                    _StreamKind(device, work_track.track, kind, kinds.titles[kind - 1]) for kind in present
                ]
    return stream_kinds


@dataclass(slots=True)
class _Sums:
    """Copies of a kind that start in a span, and the rates in it."""

    count: int = 0
    size: int = 0
    ticks: int = 0  # of copies with bytes
    unknown: int = 0  # say neither bytes nor a rate
    fastest: int = 0

    def add(self, begun: Copies, curve: StepCurve, first: int, last: int) -> None:
        """Adds copies that start, and their rate between two ticks, of which the first is before the last."""
        self.count += len(begun.start)
        self.size += sum(begun.size[begun.size > 0].tolist())
        self.ticks += sum((begun.stop - begun.start)[begun.size >= 0].tolist())
        self.unknown += int(np.count_nonzero((begun.rate < 0) & (begun.size < 0)))
        _, greatest = curve.extremes(np.array([first, last], np.int64))
        self.fastest = max(self.fastest, int(greatest[0]))


def _answer(scope: Scope, question: StreamQuestion) -> Interruptible[Answer]:
    scope = scope.without_outliers()
    span = scope.within(question.ticks)
    rows = yield from _stream_kinds(scope)
    if question.tracks is not None:
        chosen = frozenset(scope.leaves(question.tracks))
        rows = [row for row in rows if row.track in chosen]
    sums: list[_Sums] = []
    for track, of_track in groupby(rows, key=lambda row: row.track):
        sums += yield from _sums(scope.reader, track, [row.kind for row in of_track], span)
        yield
    kept = [(row, figures) for row, figures in zip(rows, sums, strict=True) if figures.count or figures.fastest]
    tracks = scope.reader.tree.tracks
    columns = [
        Column("kind", "Copies", "name", [row.title for row, _ in kept]),
        Column("stream", "Stream", "name", [tracks[row.track].name for row, _ in kept]),
        Column("device", "Device", "text", [row.device.name for row, _ in kept]),
        Column("count", "Count", "count", [figures.count for _, figures in kept]),
        Column("bytes", "Bytes", "bytes", [figures.size for _, figures in kept]),
        Column("time", "Time", "ticks", [figures.ticks for _, figures in kept]),
        Column("rate", "Rate", "rate", [_mean(figures, scope.reader.tick_ps) for _, figures in kept], "B/s", "none"),
        Column("fastest", "Fastest", "rate", [float(figures.fastest) for _, figures in kept], "B/s", "max"),
        Column("track", "Track", "track", [row.track for row, _ in kept]),
    ]
    facts = [
        Fact("copies", "Copies", sum(figures.count for figures in sums), "count", "that start in this range"),
        Fact("bytes", "Bytes", sum(figures.size for figures in sums), "bytes", "that they move or set"),
        Fact("time", "Time", sum(figures.ticks for figures in sums), "ticks", "of copies that say bytes, added up"),
    ]
    notes = [] if rows else [Note("warning", "none of the tracks is a stream with copies")]
    if unknown := sum(figures.unknown for figures in sums):
        text = f"{plural(unknown, 'copy says', 'copies say')} neither bytes nor a rate"
        notes.append(Note("info", f"{text}: they are not in the lanes"))
    return Answer(facts, [Table("copies", "By kind and stream", columns)], notes=notes)


def _mean(figures: _Sums, tick_ps: int) -> float | None:
    """Bytes per second of the time of copies."""
    return figures.size * UNITS_PS["s"] / (figures.ticks * tick_ps) if figures.ticks else None


def _sums(reader: QueryReader, track: int, kinds: Sequence[int], span: TickRange) -> Interruptible[list[_Sums]]:
    """Sums of each of some kinds on a stream, whose copies are read once."""
    sums = {kind: _Sums() for kind in kinds}
    for piece in copies_between(reader, track, span.start, span.stop):
        if piece is not None:
            start, stop, copies = piece
            first, last = max(start, span.start), min(stop, span.stop)
            begins = (copies.start >= first) & (copies.start < last)
            for kind, of_kind in sums.items() if first < last else ():
                begun = copies.take(begins & (copies.kind == kind))
                of_kind.add(begun, rate_curve(copies, kind, start, stop), first, last)
        yield
    return list(sums.values())


_SLUG: Final = re.compile(r"[^a-z0-9]+")


def _key(row: _StreamKind) -> str:
    return f"{_SLUG.sub('-', row.title.lower())}-{row.track}"


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    rows = yield from _stream_kinds(scope)
    return [
        DerivedLane(_key(row), f"{row.title}, bytes per second", row.track, (row.track,), "counter", "bytes")
        for row in rows
    ]


def _row(scope: Scope, lane: DerivedLane) -> Interruptible[_StreamKind]:
    rows = yield from _stream_kinds(scope)
    return next(row for row in rows if _key(row) == lane.key)


def _lane_bins(scope: Scope, lane: DerivedLane, borders: NDArray[np.int64]) -> Interruptible[CurveBins]:
    curves = []
    for curve in _lane_pieces(scope, lane, TickRange(int(borders[0]), int(borders[-1]))):
        curves.append(curve)
        yield
    return curve_bins(curves, borders)


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[StepCurve | None]:
    row = yield from _row(scope, lane)
    for piece in copies_between(scope.reader, row.track, span.start, span.stop):
        yield None if piece is None else rate_curve(piece[2], row.kind, *piece[:2])


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The copies that run, the latest first."""
    row = yield from _row(scope, lane)
    events = []
    for piece in copies_between(scope.reader, row.track, tick, tick + 1):
        if piece is not None:
            copies = piece[2]
            runs = (copies.kind == row.kind) & (copies.start <= tick) & (copies.stop > tick)
            events += [LaneEvent((row.track, ordinal)) for ordinal in copies.ordinal[runs].tolist()[::-1]]
        yield
    return events


def _availability(scope: Scope) -> str:
    return "" if finish(_stream_kinds(scope)) else NO_COPIES


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    row = figures.greatest("copies", "bytes")
    if row is None:
        return "No copy starts in this range"
    most = f"{figures.cell('copies', 'bytes', row)} of it {figures.cell('copies', 'kind', row)}"
    return f"Copies move {figures.text('bytes')} in {figures.text('time')}, {most}"


TOOL: Final = Tool(
    id="copies",
    title="Copies",
    help="how many bytes copies move, how fast, by kind and stream",
    group="memory",
    question=StreamQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        added=("copies", "bytes", "time"),
        rows=(AddedRows("copies", ("kind", "track"), ("count", "bytes", "time")),),
        parts={"copies": ("copies.count",), "bytes": ("copies.bytes",), "time": ("copies.time",)},
    ),
    lanes=LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events),
)
