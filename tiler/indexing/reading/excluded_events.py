"""Events that do not lie within the run's window: taken out of a track's events, counted and named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, EventCounts, Phase, TrackKind
from tilescope.tiler.indexing.reading.piece import select
from tilescope.tiler.indexing.reading.window import PICOSECONDS, Window
from tilescope.tiler.indexing.scratch import Scratch

Mask = NDArray[np.bool_]

REASON = "outside_window"  # among what is ignored

_EXAMPLES = 3  # of a track
_TRACKS_NAMED = 5
_NAME_CHARS = 60

_EARLIEST_NS, _LATEST_NS = -(1 << 63), (1 << 63) - 1


class ExcludedEvents(Struct, frozen=True):
    """Events that were taken out of a track."""

    phases: tuple[int, ...] = (0,) * len(Phase)  # events as they are written, by Phase
    examples: tuple[tuple[int, int], ...] = ()  # start and duration in nanoseconds

    @property
    def events(self) -> int:
        """Number of the events."""
        return sum(self.phases)

    def __add__(self, other: ExcludedEvents) -> ExcludedEvents:
        phases = tuple(a + b for a, b in zip(self.phases, other.phases, strict=True))
        return ExcludedEvents(phases, (*self.examples, *other.examples)[:_EXAMPLES])

    def taken_from(self, counts: EventCounts, kind: TrackKind) -> EventCounts:
        """The counts of its file without these events: they are among the others."""
        slices = self.phases[Phase.COMPLETE] + self.phases[Phase.BEGIN]
        own, paired = (0, slices) if kind == TrackKind.ASYNC else (slices, 0)
        return structs.replace(
            counts,
            slices=counts.slices - own,
            async_slices=counts.async_slices - paired,
            instants=counts.instants - self.phases[Phase.INSTANT],
            counter_samples=counts.counter_samples - self.phases[Phase.COUNTER],
            flow_ends=counts.flow_ends - sum(self.phases[Phase.FLOW_START :]),
            other=counts.other + self.events,
        )


def split(piece: EventChunk, window: Window, base_ns: int) -> tuple[EventChunk, ExcludedEvents]:
    """Splits a piece into what lies within the window, and a count of the rest. `base_ns` is added to the times."""
    inside = _inside(piece, window, base_ns)
    if inside.all():
        return piece, ExcludedEvents()
    out = np.flatnonzero(~inside)
    args_size = np.diff(piece.args_end, prepend=0)[out]
    # Of a counter's event only the first sample has its arguments; a flow end without any is derived from a slice.
    key = np.full(len(out), -1, np.int64) if piece.key is None else piece.key[out]
    phase = piece.phase[out]
    written = (args_size > 0) | (phase < Phase.COUNTER) | ((phase > Phase.COUNTER) & (key < 0))
    phases = np.bincount(phase[written], minlength=len(Phase)).tolist()
    examples = out[:_EXAMPLES]
    times = zip(
        (base_ns + ns for ns in piece.time_ns[examples].tolist()), piece.duration_ns[examples].tolist(), strict=True
    )
    return select(piece, np.flatnonzero(inside), Scratch()), ExcludedEvents(tuple(phases), tuple(times))


def _inside(piece: EventChunk, window: Window, base_ns: int) -> Mask:
    first, last = window.first_ns - base_ns, window.last_ns - base_ns
    if last < _EARLIEST_NS or first > _LATEST_NS:
        return np.zeros(len(piece.phase), np.bool_)
    first, latest = max(first, _EARLIEST_NS), min(last, _LATEST_NS)
    beyond = np.zeros(len(piece.phase), np.int64)
    for column in (piece.time_ps, piece.duration_ps):
        if column is not None:
            beyond += column
    carry, beyond = beyond // 1000, beyond % 1000
    inside: Mask = (piece.time_ns >= first) & (piece.time_ns <= latest)
    left = latest - np.clip(piece.time_ns, first, latest) - carry  # at least -1
    duration = piece.duration_ns
    inside &= (duration < left) | ((duration == left) & ((beyond <= window.last_ps) | (latest < last)))
    # A flow end among slices belongs to the slice before it.
    flow = piece.phase >= Phase.FLOW_START
    if flow.any() and not flow.all():
        owner = np.maximum.accumulate(np.where(flow, -1, np.arange(len(flow))))
        inside = np.where(flow & (owner >= 0), inside[owner], inside)
    return inside


def describe(window: Window, tracks: Sequence[tuple[str, ExcludedEvents]]) -> str:
    """One line for people: how many of which tracks, and some of their times. The tracks are named already."""
    events = sum(excluded.events for _, excluded in tracks)
    days = "26 days" if window.ticks_per_ns == PICOSECONDS else "73 years"
    what = "1 event is set aside: it does" if events == 1 else f"{events:,} events are set aside: they do"
    most = sorted((track for track in tracks if track[1].events), key=lambda track: -track[1].events)
    named = [f"{_short(name)} ({excluded.events:,}: {_times(excluded)})" for name, excluded in most[:_TRACKS_NAMED]]
    if len(most) > _TRACKS_NAMED:
        named.append(f"and {len(most) - _TRACKS_NAMED:,} more tracks")
    where = f"from {window.first_ns:,} to {window.last_ns:,} ns"
    return f"{what} not lie within the {days} that hold the most events ({where}). Tracks: {'; '.join(named)}"


def _times(excluded: ExcludedEvents) -> str:
    times = [
        f"at {start_ns:,} ns" + (f" for {duration_ns:,} ns" if duration_ns else "")
        for start_ns, duration_ns in excluded.examples
    ]
    return ", ".join([*times, "…"] if excluded.events > len(times) else times)


def _short(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else name[: _NAME_CHARS - 1] + "…"
