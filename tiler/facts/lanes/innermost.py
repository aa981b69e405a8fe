"""Spans of time by the innermost of the events that run: each tick once, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InnermostSpans:
    """Spans that follow one another, columns of shape (n,), ticks; `event` is the place of the one that runs."""

    start: Ints
    stop: Ints
    event: Ints


def innermost_spans(start: Ints, stop: Ints, row: Ints, first: int, end: int) -> InnermostSpans:
    """The spans of [first, end) in which an event runs that no other one lies in.

    Columns of events of shape (n,), by start, longer first; those of one row do not overlap. Of events that overlap in
    part, the one that began later counts. An event without a tick is a span of none, before all others at its time:
    it comes between those that it parts.
    """
    lasts = stop > start
    times = np.unique(np.clip(np.concatenate([np.array([first]), start, stop]), first, end))
    times = times[times < end]
    event = np.full(len(times), -1)
    lasting = np.flatnonzero(lasts)
    lasting = lasting[np.argsort(row[lasting], kind="stable")]
    for places in np.split(lasting, np.flatnonzero(np.diff(row[lasting])) + 1):
        if not len(places):
            continue
        part = slice(*np.searchsorted(times, (start[places[0]], stop[places[-1]])).tolist())
        latest = places[np.maximum(np.searchsorted(start[places], times[part], side="right") - 1, 0)]
        runs = (start[latest] <= times[part]) & (times[part] < stop[latest])
        event[part] = np.maximum(event[part], np.where(runs, latest, -1))
    moments = np.flatnonzero(~lasts & (start >= first) & (start < end))
    before = np.searchsorted(times, start[moments])
    starts = np.insert(times, before, start[moments])
    stops = np.insert(np.append(times[1:], end)[: len(times)], before, start[moments])
    events = np.insert(event, before, moments)
    runs = events >= 0
    return InnermostSpans(starts[runs], stops[runs], events[runs])
