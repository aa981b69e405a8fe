"""Windows: pieces of a time axis in which something is looked at, such as the steps of a training run on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Windows(Struct, frozen=True):
    """The ticks [starts[k], stops[k]): ascending, none of them empty, none touching another. Make them with `of`."""

    starts: Ints
    stops: Ints

    @classmethod
    def of(cls, starts: Iterable[int] | Ints, stops: Iterable[int] | Ints) -> Windows:
        """The ticks that lie in any of these spans, which may be in any order and overlap; none before tick 0."""
        first, last = (
            np.ascontiguousarray(times if isinstance(times, np.ndarray) else list(times), np.int64)
            for times in (starts, stops)
        )
        return cls(*_native.tick_spans(first, last, TICK_LIMIT))

    @classmethod
    def one(cls, start: int, stop: int) -> Windows:
        """One window, or none when it would be empty."""
        first, last = max(start, 0), min(stop, TICK_LIMIT)
        some = 1 if last > first else 0
        return cls(np.array([first][:some], np.int64), np.array([last][:some], np.int64))

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def start(self) -> int:
        """First tick of all; 0 without windows."""
        return int(self.starts[0]) if len(self) else 0

    @property
    def stop(self) -> int:
        """First tick after all; 0 without windows."""
        return int(self.stops[-1]) if len(self) else 0

    @property
    def ticks(self) -> int:
        """How many there are."""
        return int((self.stops - self.starts).sum())

    def clipped(self, start: int, stop: int) -> Windows:
        """What of them lies in the ticks [start, stop)."""
        if len(self) and self.start >= start and self.stop <= stop:
            return self
        if len(self) == 1:
            return Windows.one(max(self.start, start), min(self.stop, stop))
        return Windows.of(np.maximum(self.starts, start), np.minimum(self.stops, stop))

    def hold(self, times: Ints) -> Mask:
        """Which of these ticks lie in a window."""
        return self.meet(times, times)

    def meet(self, starts: Ints, ends: Ints) -> Mask:
        """Which of these events have a tick in a window, or start in one: [start, end), or just a tick."""
        if len(self) == 1:  # as a rule; the general way takes twice the time
            seen: Mask = (starts < self.stop) & ((starts >= self.start) | (ends > self.start))
            return seen
        at = np.searchsorted(self.stops, starts, side="right")  # the first window that ends after it
        first = np.append(self.starts, TICK_LIMIT)[at]
        found: Mask = (at < len(self)) & ((first <= starts) | (first < ends))
        return found

    def cover(self, starts: Ints, stops: Ints) -> Mask:
        """Which of these spans lie in one window as a whole."""
        if len(self) == 1:
            whole: Mask = (starts >= self.start) & (stops <= self.stop)
            return whole
        at = np.searchsorted(self.stops, starts, side="right")
        first, last = np.append(self.starts, TICK_LIMIT)[at], np.append(self.stops, -1)[at]
        found: Mask = (at < len(self)) & (first <= starts) & (stops <= last)
        return found

    def joined(self, *others: Windows) -> Windows:
        """The ticks that lie in these or in any of the others."""
        found = self
        for one in others:
            if not len(found):
                found = one
            elif len(one):
                found = Windows(*_native.joined_spans(found.starts, found.stops, one.starts, one.stops))
        return found

    def without(self, others: Windows) -> Windows:
        """The ticks that lie in these and not in the others."""
        if not len(self) or not len(others):
            return self
        return Windows(*_native.spans_without(self.starts, self.stops, others.starts, others.stops))

    def ticks_before(self, times: Ints) -> Ints:
        """Of each of these times how many ticks of the windows lie before it."""
        at = np.searchsorted(self.starts, times, side="right")  # windows that start no later
        ends = np.append(0, np.cumsum(self.stops - self.starts))
        beyond = np.maximum(np.append(0, self.stops)[at] - times, 0)
        return ends[at] - beyond


# What is looked at on each track.
WindowsOf = Callable[[int], Windows]


def everywhere(windows: Windows) -> WindowsOf:
    """The same windows on all tracks."""
    return lambda _track: windows
