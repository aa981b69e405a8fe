"""One memory of a run, a device's or the host's: how full it is at any time, its peak, and what lies in it then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.envelope import envelope
from tilescope.tiler.facts.lanes.step_curve import StepCurve
from tilescope.tiler.facts.memory.records import OwnerFrames
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
MemorySource = Literal["events", "tables"]

# Of a curve: for half as many spans of equal length the fullest and the emptiest event of each.
MAX_POINTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Fill:
    """Fill of a memory after an event. Bytes; None: not recorded."""

    stack: int | None
    heap: int
    free: int | None
    fragmentation: float | None
    capacity: int | None = None  # all there is

    @property
    def used(self) -> int:
        """Stack and heap."""
        return (self.stack or 0) + self.heap

    @property
    def reserved(self) -> int | None:
        """Bytes used and free together."""
        return None if self.free is None else self.used + self.free


@dataclass(frozen=True, slots=True)
class Peak:
    """The fullest moment of some windows: the last one, where there are several."""

    event: int  # index of the one that made it so
    time: int  # ticks; of a peak that was there before a window, its first
    fill: Fill


@dataclass(frozen=True, slots=True)
class Curve:
    """Fill of a memory from each time on; `event`: index of the last at or before it. Columns of shape (n,)."""

    time: Ints
    event: Ints


@dataclass(frozen=True, slots=True)
class Live:
    """Allocations that are in a memory at a time: alike ones together, those that take most first.

    Columns of shape (n,); texts are places in the memory's `texts`, -1: not recorded.
    """

    count: Ints
    size: Ints  # of each
    requested: Ints
    operation: Ints
    region: Ints
    data_type: Ints
    shape: Ints
    first: Ints  # which of the memory's events made the first of them
    total: int  # bytes of all

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True)
class FillBins:
    """Least and greatest fill of a memory in parts of a span: columns (n,), bytes, -1 not known yet."""

    start: Ints  # when each part begins, ticks
    least: Ints
    greatest: Ints


@dataclass(frozen=True, slots=True)
class MemoryPool:
    """Its events in the order of time; columns of shape (n,), bytes; -1, or NaN: not recorded."""

    name: str  # as the runtime calls it
    host: int  # group of the track tree, -1 none
    start: Ints
    track: NDArray[np.int32]
    ordinal: Ints
    is_made: NDArray[np.bool_]  # events that allocate; others free, or only say how full it is
    is_free: NDArray[np.bool_]
    stack: Ints
    heap: Ints
    free: Ints
    active: Ints  # allocated, or waited for by a stream
    fragmentation: NDArray[np.float64]
    lifetime: Ints
    requested: Ints
    size: Ints
    operation: NDArray[np.int32]
    region: NDArray[np.int32]
    data_type: NDArray[np.int32]
    shape: NDArray[np.int32]
    replaced: NDArray[np.int32]  # of each: the next event with the same address, n if there is none
    texts: Sequence[str]
    source: MemorySource = "events"
    is_reserved: bool = False  # its heap is what is reserved: nothing says how much of it is allocated
    is_counted: bool = False  # its heap is what the trace's own events come to
    is_allocators: bool = False  # its free bytes are those that an allocator has reserved: the device has more
    capacity: int | None = None  # bytes of the device, where the capture says them
    has_addresses: bool = True  # events say what they allocate and free, so that it is known what lies in it
    owners: OwnerFrames | None = None  # frames around each event; None: nobody says them

    def __len__(self) -> int:
        return len(self.start)

    @property
    def used(self) -> Ints:
        """Stack, where one is recorded, and heap."""
        return self._used(slice(None))

    @property
    def is_host(self) -> bool:
        """True if it is memory of the host."""
        return is_host_memory(self.name)

    @property
    def lifetime_peak(self) -> int | None:
        """The most that the allocator says it ever held."""
        most = int(self.lifetime.max(initial=-1))
        return most if most >= 0 else None

    def fill(self, event: int) -> Fill:
        """After an event."""
        free, fragmentation = int(self.free[event]), float(self.fragmentation[event])
        stack, heap = int(self.stack[event]), int(self.heap[event])
        capacity = self.capacity
        if capacity is None and free >= 0 and not self.is_allocators:
            capacity = max(stack, 0) + heap + free
        return Fill(
            stack if stack >= 0 else None,
            heap,
            free if free >= 0 else None,
            fragmentation if fragmentation == fragmentation else None,
            capacity,
        )

    def counts(self, windows: Windows) -> tuple[int, int, int, int]:
        """Allocations and frees in some windows, and the bytes of each, as far as they are recorded."""
        inside = self._inside(windows)
        size = np.maximum(self.size[inside], 0)
        made, freed = self.is_made[inside], self.is_free[inside]
        return int(np.count_nonzero(made)), int(np.count_nonzero(freed)), _sum(size[made]), _sum(size[freed])

    def peak(self, windows: Windows, parts: Windows | None = None) -> Peak | None:
        """The fullest moment of some windows; None: nothing is known by then.

        With `parts` of windows that of these, and of what the windows themselves hold as they begin.
        """
        before, opens = self._held(windows)
        inside = self._inside(windows if parts is None else parts)
        peak: Peak | None = None
        if len(before):
            k = len(before) - 1 - int(np.argmax(self._used(before)[::-1]))
            peak = Peak(int(before[k]), int(opens[k]), self.fill(int(before[k])))
        used = self._used(inside)
        if len(used):
            last = len(used) - 1 - int(np.argmax(used[::-1]))
            fullest = inside.start + last if isinstance(inside, slice) else int(inside[last])
            if peak is None or int(used[last]) >= peak.fill.used:
                peak = Peak(fullest, int(self.start[fullest]), self.fill(fullest))
        return peak

    def place(self, peak: Peak | None) -> tuple[int, int] | None:
        """Track and ordinal of the event that makes a peak; None where nothing is drawn of it."""
        if peak is None or self.ordinal[peak.event] < 0:
            return None
        return int(self.track[peak.event]), int(self.ordinal[peak.event])

    def curve(self, windows: Windows, most: int = MAX_POINTS) -> Curve:
        """Its fill over time, the peak and the least exactly; the ends of windows are points of it, too."""
        before, opens = self._held(windows)
        inside = np.arange(len(self))[self._inside(windows)]
        if not len(before) and not len(inside):
            return Curve(inside, inside)
        event_index = np.concatenate([before, inside])
        time = np.concatenate([opens, self.start[inside]])
        if len(before) > 1:
            order = np.lexsort((event_index, time))
            event_index, time = event_index[order], time[order]
        if len(event_index) > most:
            chosen = envelope(time, self._used(event_index), most)
            event_index, time = event_index[chosen], time[chosen]
        end = int(np.searchsorted(self.start, windows.stop)) - 1  # it stays so until the end
        return Curve(
            np.append(time, max(windows.stop - 1, int(time[-1]))),
            np.append(event_index, max(end, int(event_index[-1]))),
        )

    def bins(self, start: int, stop: int, count: int) -> FillBins:
        """Its fill in each of `count` parts of a span, with what it holds as the part begins: exactly."""
        length, rest = divmod(max(stop - start, 1), count)
        places = np.arange(count + 1, dtype=np.int64)
        borders = start + length * places + rest * places // count
        # Of each part the event before it, and those in it.
        first = np.maximum(np.searchsorted(self.start, borders[:-1]) - 1, 0)
        last = np.searchsorted(self.start, borders[1:])
        with_fill = np.flatnonzero(last > 0)
        # Part by part, with the places between them: those are not looked at.
        pairs = np.stack([first[with_fill], last[with_fill]], axis=1).ravel()
        used = np.append(self.used, 0)
        least, greatest = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
        if len(with_fill):
            least[with_fill] = np.minimum.reduceat(used, pairs)[::2]
            greatest[with_fill] = np.maximum.reduceat(used, pairs)[::2]
        return FillBins(borders[:-1], least, greatest)

    @property
    def most_used(self) -> int:
        """The most bytes that are in use at any time."""
        return int(self.used.max(initial=0))

    def used_curve(self, stop: int) -> StepCurve:
        """The bytes in use from its first event on, until a tick after its last."""
        return StepCurve(int(self.start[0]), max(stop, int(self.start[-1]) + 1), self.start, self.used)

    def live(self, event: int) -> Live:
        """Allocations in it after an event, as far as the trace tells when they were allocated."""
        places = np.arange(len(self), dtype=np.int32)
        live_rows = np.flatnonzero(self.is_made & (places <= event) & (self.replaced > event) & (self.size >= 0))
        keys = (self.size, self.requested, self.operation, self.region, self.data_type, self.shape)
        _, first, count = _alike([key[live_rows].astype(np.int64) for key in keys], len(live_rows))
        rows = live_rows[first]
        size = self.size[rows]
        order = np.lexsort((rows, -size, -(size.astype(np.float64) * count)))
        rows, count = rows[order], count[order]
        size, requested, operation, region, data_type, shape = (key[rows].astype(np.int64) for key in keys)
        total = _sum(self.size[live_rows])
        return Live(count, size, requested, operation, region, data_type, shape, rows, total)

    def made_in(self, windows: Windows) -> Ints:
        """The events that allocate in some windows."""
        inside = self._inside(windows)
        return np.arange(len(self))[inside][self.is_made[inside]]

    def events_in(self, windows: Windows) -> Ints:
        """The events in some windows."""
        return np.arange(len(self))[self._inside(windows)]

    def freed_at(self, made: Ints) -> Ints:
        """Ticks at which allocations are freed; -1: never in the trace, or nobody knows."""
        replaced = self.replaced[made]
        is_freed = (replaced > 0) & (replaced < len(self))
        return np.where(is_freed, self.start[np.where(is_freed, replaced, 0)], -1)

    def stays(self, made: Ints) -> NDArray[np.bool_]:
        """True for allocations that nothing frees in the trace; not for those of which nobody knows."""
        is_last: NDArray[np.bool_] = self.replaced[made] >= len(self)
        return is_last

    def _used(self, events: Ints | slice) -> Ints:
        """Bytes in use after some events."""
        return np.maximum(self.stack[events], 0) + self.heap[events]

    def _inside(self, windows: Windows) -> Ints | slice:
        """The events in some windows: a slice for one window, which copies nothing."""
        if len(windows) == 1:
            first, stop = np.searchsorted(self.start, [windows.start, windows.stop]).tolist()
            return slice(first, stop)
        return np.flatnonzero(windows.hold(self.start))

    def _held(self, windows: Windows) -> tuple[Ints, Ints]:
        """The events that say how full it is as each window begins, and when these do; not where nothing is known."""
        before = np.searchsorted(self.start, windows.starts) - 1
        has_before = before >= 0
        return before[has_before].astype(np.int64), windows.starts[has_before]


def is_host_memory(name: str) -> bool:
    """True for names of memories of hosts."""
    return "host" in name.lower() or name.startswith("CPU")


def _sum(sizes: Ints) -> int:
    """Exactly: a sum may be beyond 64 bits."""
    if not len(sizes) or int(sizes.max()) < 1 << 40:
        return int(sizes.sum())
    return sum(sizes.tolist())


def _alike(keys: Sequence[Ints], n: int) -> tuple[Ints, Ints, Ints]:
    """Groups of rows that are equal in all keys: number, first row, and count of each."""
    codes = np.zeros(n, np.int64)
    for key in keys:
        _, of_key = np.unique(key, return_inverse=True)
        _, codes = np.unique(codes * (int(of_key.max(initial=0)) + 1) + of_key, return_inverse=True)
    groups, first, count = np.unique(codes, return_index=True, return_counts=True)
    return groups, first, count
