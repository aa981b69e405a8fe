"""The run's time axis: from nanoseconds and picoseconds to ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import Crowd, Span, TickScale
from tilescope.tiler.indexing.reading.window import NANOSECONDS, PICOSECONDS, Window, choose_window, fits

Ints = NDArray[np.int64]
Picoseconds = NDArray[np.int16] | None


class FileTimes(Struct, frozen=True):
    """Times of the events of a file. `crowds` is called only when not all files fit on one axis."""

    span: Span
    base_ns: int  # to be added to its times
    crowds: Callable[[], Iterable[Crowd]]
    flow_span: Span = field(default_factory=Span)  # of the flow ends that are not among the crowds


class Timeline(Struct, frozen=True):
    """Ticks are counted from `origin_ns`, the time of the first event."""

    origin_ns: int
    tick_ps: int  # 1 or 1000
    end: int  # tick at which the last event ends
    rounds: bool  # whether picoseconds are dropped because the run is too long for them
    window: Window | None = None  # events that do not lie within are not shown; None: all are

    @classmethod
    def from_files(cls, files: Iterable[FileTimes]) -> Timeline:
        """The finest time axis for all files, or for what is shown of them."""
        with_events = [file for file in files if file.span.first_ns is not None]
        whole, with_flows = Span(), Span()
        for file in with_events:
            whole.join(_moved(file.span, file.base_ns))
            with_flows.join(_moved(file.flow_span, file.base_ns))
        if whole.first_ns is None:
            return cls(0, 1000, 0, False)
        with_flows.join(whole)
        finest = PICOSECONDS if whole.any_ps else NANOSECONDS
        if not fits(with_flows.first_ns or 0, with_flows.last_ns, finest):
            crowds = [(list(file.crowds()), file.base_ns) for file in with_events]
            window = choose_window(crowds) or _window_of_events(crowds, with_flows)
            if window is not None:
                return cls._within(Span(window.first_ns, window.last_ns, window.last_ps, window.any_ps), window)
        return cls._within(whole, None)

    @classmethod
    def _within(cls, span: Span, window: Window | None) -> Timeline:
        origin = span.first_ns or 0
        length_ns = span.last_ns - origin
        if span.any_ps and fits(origin, span.last_ns, PICOSECONDS):
            return cls(origin, 1, length_ns * 1000 + span.last_ps, False, window)
        return cls(origin, 1000, length_ns, span.any_ps, window)

    def scale(self, base_ns: int) -> TickScale:
        """Conversion of a file's times into ticks. `base_ns` is to be added to them."""
        # Modulo 2**64: a file's base may be anything, but what comes out is below TICK_LIMIT.
        return TickScale((self.origin_ns - base_ns) % (1 << 64), 1000 // self.tick_ps, self.rounds)

    def ticks(self, ns: Ints, ps: Picoseconds, base_ns: int, out: Ints | None = None) -> Ints:
        """Times as ticks, shape (n,), in `out` if that is given. `base_ns` is to be added to them."""
        return self._scale(ns, ps, self.scale(base_ns).from_ns, out)

    def durations(self, time_ps: Picoseconds, ns: Ints, ps: Picoseconds, out: Ints | None = None) -> Ints:
        """Durations as ticks, shape (n,), in `out` if that is given.

        Where picoseconds are dropped, ends are rounded down as starts are: what did not overlap still does not.
        """
        if not self.rounds or (time_ps is None and ps is None):
            return self._scale(ns, ps, 0, out)
        beyond = np.zeros(len(ns), np.int64)
        for column in (time_ps, ps):
            if column is not None:
                beyond += column
        return np.add(ns, beyond // 1000, out=out)

    def _scale(self, ns: Ints, ps: Picoseconds, from_ns: int, out: Ints | None) -> Ints:
        ticks = np.empty(len(ns), np.int64) if out is None else out
        beyond = None if ps is None or self.tick_ps == 1000 else np.ascontiguousarray(ps)
        _native.write_ticks(np.ascontiguousarray(ns), beyond, from_ns, 1000 // self.tick_ps, ticks)
        return ticks


def _window_of_events(files: Sequence[tuple[Sequence[Crowd], int]], with_flows: Span) -> Window | None:
    """The window from the first to the last event, where flow ends beside it would cost an axis; None: they do not."""
    events = Span()
    for crowds, base_ns in files:
        for crowd in crowds:
            events.join(_moved(crowd.span, base_ns))
    first_ns = events.first_ns or 0
    finest = PICOSECONDS if events.any_ps and fits(first_ns, events.last_ns, PICOSECONDS) else NANOSECONDS
    if fits(with_flows.first_ns or 0, with_flows.last_ns, finest):
        return None
    return Window(first_ns, events.last_ns, events.last_ps, events.any_ps, finest)


def _moved(span: Span, base_ns: int) -> Span:
    """The span, `base_ns` later."""
    if span.first_ns is None:
        return span
    return Span(span.first_ns + base_ns, span.last_ns + base_ns, span.last_ps, span.any_ps)
