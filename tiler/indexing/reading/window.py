"""The part of time that a run shows when its events do not fit on one time axis: wild times are set aside, and named.

1. Within TICK_LIMIT nanoseconds (73 years): those that hold the most events; of several the earliest.
2. Where some of these need picoseconds: TICK_LIMIT picoseconds (26 days), in the same way, if that costs next to
   nothing. So one wild time does not take the picoseconds from all others, and hosts that were traced a month apart
   stay together.

Whole crowds of events are taken or left (see tiler/columns/census.py); of those that are left, single events are kept
that lie within all the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from tilescope.tiler.columns import Crowd, Length, Span
from tilescope.tiler.ticks import TICK_LIMIT

# What an axis of picoseconds may cost each file: one event of so many, or a single one.
_ONE_IN = 100

NANOSECONDS, PICOSECONDS = 1, 1000  # ticks in a nanosecond


class Window(Struct, frozen=True):
    """A range of times that is shown: from `first_ns` to `last_ns` and `last_ps` beyond, as the run counts."""

    first_ns: int
    last_ns: int
    last_ps: int
    any_ps: bool
    ticks_per_ns: int  # of the axis that it was made for


class _Crowd(Struct, frozen=True):
    file: int
    length: Length
    first_ns: int
    last_ns: int
    last_ps: int
    any_ps: bool
    events: int


def fits(first_ns: int, last_ns: int, ticks_per_ns: int) -> bool:
    """True if an axis of so fine ticks holds the times."""
    return (last_ns - first_ns + 1) * ticks_per_ns < TICK_LIMIT


def choose_window(files: Sequence[tuple[Sequence[Crowd], int]]) -> Window | None:
    """The window to show of files, given as their crowds and the base of their times; None: all."""
    everyone = [_placed_crowd(file, crowd, base_ns) for file, (crowds, base_ns) in enumerate(files) for crowd in crowds]
    shown, ticks_per_ns = everyone, NANOSECONDS
    if not _fit(everyone, NANOSECONDS):
        shown = _busiest([crowd for crowd in everyone if crowd.length < Length.ENDLESS], NANOSECONDS)
    if any(crowd.any_ps for crowd in shown) and not _fit(shown, PICOSECONDS):
        close = _busiest([crowd for crowd in shown if crowd.length == Length.SHORT], PICOSECONDS)
        if any(crowd.any_ps for crowd in close) and _costs_little(shown, close):
            shown, ticks_per_ns = close, PICOSECONDS
    if len(shown) == len(everyone):
        return None
    whole = Span()
    for crowd in shown:
        whole.join(Span(crowd.first_ns, crowd.last_ns, crowd.last_ps))
    first_ns, last_ns = whole.first_ns or 0, whole.last_ns
    # Crowds that were left may have events that lie within.
    any_ps = any(crowd.any_ps and crowd.first_ns <= last_ns and crowd.last_ns >= first_ns for crowd in everyone)
    return Window(first_ns, last_ns, whole.last_ps, any_ps, ticks_per_ns)


def _placed_crowd(file: int, crowd: Crowd, base_ns: int) -> _Crowd:
    span = crowd.span
    first_ns = 0 if span.first_ns is None else span.first_ns
    return _Crowd(
        file, crowd.length, first_ns + base_ns, span.last_ns + base_ns, span.last_ps, span.any_ps, crowd.events
    )


def _fit(crowds: Sequence[_Crowd], ticks_per_ns: int) -> bool:
    first = min((crowd.first_ns for crowd in crowds), default=0)
    return fits(first, max((crowd.last_ns for crowd in crowds), default=first), ticks_per_ns)


def _busiest(crowds: Sequence[_Crowd], ticks_per_ns: int) -> list[_Crowd]:
    """The crowds of the axis that holds the most events. Each of them fits on one by itself."""
    by_first = sorted(crowds, key=lambda crowd: crowd.first_ns)
    by_last = sorted(crowds, key=lambda crowd: crowd.last_ns)
    lasts = [crowd.last_ns for crowd in by_last]
    ended = [0, *accumulate(crowd.events for crowd in by_last)]  # events of the first k crowds
    stop_after = (TICK_LIMIT - 1) // ticks_per_ns  # `fits` holds before first_ns + stop_after
    best, begun, first_ns = -1, 0, 0
    for crowd in by_first:
        # What ends in time, without what began before: each crowd that did ends in time, too.
        events = ended[bisect_left(lasts, crowd.first_ns + stop_after)] - begun
        if events > best:
            best, first_ns = events, crowd.first_ns
        begun += crowd.events
    return [crowd for crowd in crowds if first_ns <= crowd.first_ns and crowd.last_ns < first_ns + stop_after]


def _costs_little(crowds_before: Sequence[_Crowd], close: Sequence[_Crowd]) -> bool:
    """True if hardly any event of each file is left out."""
    total: Counter[int] = Counter()
    kept: Counter[int] = Counter()
    for counter, crowds in ((total, crowds_before), (kept, close)):
        for crowd in crowds:
            counter[crowd.file] += crowd.events
    return all(
        (lost := events - kept[file]) * _ONE_IN <= events or (lost == 1 and events > 2)
        for file, events in total.items()
    )
