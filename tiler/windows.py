"""Windows: pieces of a time axis in which something is looked at, such as the steps of a training run on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Windows:
    """The ticks [starts[k], stops[k]): ascending, none of them empty, none touching another. Make them with `of`."""

    starts: Ints
    stops: Ints

    @classmethod
    def of(cls, starts: Iterable[int] | Ints, stops: Iterable[int] | Ints) -> Windows:
        """The ticks that lie in any of these spans, which may be in any order and overlap; none before tick 0."""
        first, last = (
            np.asarray(list(times) if not isinstance(times, np.ndarray) else times, np.int64)
            for times in (starts, stops)
        )
        first, last = np.clip(first, 0, TICK_LIMIT), np.clip(last, 0, TICK_LIMIT)
        some = last > first
        if not some.all():
            first, last = first[some], last[some]
        if (first[1:] < first[:-1]).any():
            order = np.argsort(first, kind="stable")
            first, last = first[order], last[order]
        last = np.maximum.accumulate(last)
        begins = np.ones(len(first), np.bool_)
        begins[1:] = first[1:] > last[:-1]
        at = np.flatnonzero(begins)
        return cls(first[at], last[np.append(at[1:], len(first)) - 1] if len(at) else last)

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
        some = [windows for windows in (self, *others) if len(windows)]
        if len(some) < 2:
            return some[0] if some else self
        return Windows.of(np.concatenate([w.starts for w in some]), np.concatenate([w.stops for w in some]))

    def without(self, others: Windows) -> Windows:
        """The ticks that lie in these and not in the others."""
        if not len(self) or not len(others):
            return self
        if len(self) == 1:  # as a rule; the general way sorts
            within = others.clipped(self.start, self.stop)
            starts, stops = np.append(self.starts, within.stops), np.append(within.starts, self.stops)
            left = starts < stops
            return Windows(starts[left], stops[left])
        n, m = len(self), len(others)
        times = np.concatenate((self.starts, self.stops, others.starts, others.stops))
        order = np.argsort(times, kind="stable")
        inside = np.cumsum(np.repeat(np.array([1, -1, 0, 0]), (n, n, m, m))[order])
        taken = np.cumsum(np.repeat(np.array([0, 0, 1, -1]), (n, n, m, m))[order])
        at = np.flatnonzero((inside[:-1] > 0) & (taken[:-1] == 0))
        return Windows.of(times[order[at]], times[order[at + 1]])

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
