"""A track ready for the pyramid: times in ticks, slices paired, in canonical order, rows given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.build.gather import TrackEvents
from tilescope.tiler.columns import Phase
from tilescope.tiler.columns.pairing import pair

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrackData:
    """Columns of shape (n,), in canonical order: an event's rank in it is its ordinal. Times in ticks."""

    start: Ints
    duration: Ints
    row: NDArray[np.uint32]
    name: NDArray[np.int32]
    flags: NDArray[np.uint8]  # EventFlag
    value: NDArray[np.float64] | None  # of counter samples
    args_end: Ints
    args: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class Malformed:
    """What was odd about a track's events."""

    overlaps: int = 0  # slices that outlast one that encloses their start: put on extra rows
    ends_without_begin: int = 0  # left out
    begins_without_end: int = 0  # end with the slice around them, or with the trace
    renamed: int = 0  # begin and end have different names


@dataclass(frozen=True, slots=True)
class TimedEvents:
    """A track's events with times in ticks and names of the run, in file order."""

    events: TrackEvents
    start: Ints
    duration: Ints
    name: NDArray[np.int32]


def make_slices(timed: TimedEvents, run_end: int) -> tuple[TrackData, Malformed]:
    """Slices (and instants, which are slices of length 0). `run_end` is the tick at which open ones end."""
    events = timed.events
    if ((events.phase == Phase.BEGIN) | (events.phase == Phase.END)).any():
        pairs = pair(timed.start, timed.duration, events.phase, timed.name, events.key, run_end)
        flags = events.flags[pairs.source] | pairs.flags
        data, overlaps = _ordered(
            events, pairs.start, pairs.duration, pairs.name, flags, pairs.source, pairs.end_source
        )
        return data, Malformed(overlaps, pairs.ends_without_begin, pairs.begins_without_end, pairs.renamed)
    drawn = np.flatnonzero(events.phase < Phase.FLOW_START)
    if len(drawn) == len(events):
        data, overlaps = _ordered(events, timed.start, timed.duration, timed.name, events.flags, None, None)
    else:
        data, overlaps = _ordered(
            events, timed.start[drawn], timed.duration[drawn], timed.name[drawn], events.flags[drawn], drawn, None
        )
    return data, Malformed(overlaps)


def make_samples(timed: TimedEvents) -> TrackData:
    """Counter samples, in the order (time, order in the file)."""
    events = timed.events
    order = np.argsort(timed.start, kind="stable")
    args_end, args = _native.gather_bytes(events.args_end, events.args, order)
    value = np.full(len(events), np.nan) if events.value is None else events.value
    zeros = np.zeros(len(order), np.int64)
    rows = np.zeros(len(order), np.uint32)
    return TrackData(
        timed.start[order], zeros, rows, timed.name[order], events.flags[order], value[order], args_end, args
    )


def _ordered(
    events: TrackEvents,
    start: Ints,
    duration: Ints,
    name: NDArray[np.int32],
    flags: NDArray[np.uint8],
    source: Ints | None,
    end_source: Ints | None,
) -> tuple[TrackData, int]:
    """The slices in canonical order, and how many of them overlap. `source` is None when they are all events."""
    order = _native.canonical_order(start, duration)
    if order is not None:
        start, duration, name, flags = start[order], duration[order], name[order], flags[order]
        source = order if source is None else source[order]
        end_source = None if end_source is None else end_source[order]
    row, overlaps = _native.assign_rows(start, duration)
    args_end, args = _args(events, source, end_source)
    return TrackData(start, duration, row, name, flags, None, args_end, args), overlaps


def _args(events: TrackEvents, source: Ints | None, end_source: Ints | None) -> tuple[Ints, NDArray[np.uint8]]:
    """Arguments in the order of `source`; those of a slice's end follow those of its begin."""
    if source is None:
        return events.args_end, events.args
    if end_source is None or not (end_source >= 0).any():
        return _native.gather_bytes(events.args_end, events.args, source)
    empty = len(events)  # position of an empty string, put behind all others
    both = np.empty(2 * len(source), np.int64)
    both[0::2] = source
    both[1::2] = np.where(end_source >= 0, end_source, empty)
    ends, args = _native.gather_bytes(np.append(events.args_end, events.args_end[-1]), events.args, both)
    return np.ascontiguousarray(ends[1::2]), args
