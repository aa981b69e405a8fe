"""A memory of a run, as tools ask for it: figures of any windows, and the events that they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilescope.tiler.facts.memory.pool import MemoryPool, MemorySource, Peak
from tilescope.tiler.query import Interruptible
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Figures of a memory in some windows."""

    peak: Peak | None  # None: nothing is known by then
    event: tuple[int, int] | None  # that makes the peak: track and ordinal
    counts: tuple[int, int, int, int]  # allocations, frees, and the bytes of each


class RecordedMemory(Protocol):
    """A memory of a device or a host."""

    @property
    def name(self) -> str:
        """As the runtime calls it."""
        ...

    @property
    def host(self) -> int:
        """Group of the track tree, -1 if there is none."""
        ...

    @property
    def source(self) -> MemorySource:
        """Source of its events."""
        ...

    @property
    def track(self) -> int:
        """A track whose steps are those of the memory, -1 if there is none."""
        ...

    def is_on(self, tracks: Sequence[int]) -> bool:
        """True if some of its events are on one of these tracks, or beside all tracks."""
        ...

    @property
    def is_host(self) -> bool:
        """True if it is memory of the host."""
        ...

    @property
    def is_reserved(self) -> bool:
        """True if nothing says how much of it is allocated."""
        ...

    @property
    def is_counted(self) -> bool:
        """True if its fill is what its own allocations come to."""
        ...

    @property
    def is_allocators(self) -> bool:
        """True if its free bytes are those that an allocator has reserved: the device has more."""
        ...

    @property
    def capacity(self) -> int | None:
        """Bytes of the device; None: the capture does not say it."""
        ...

    @property
    def has_addresses(self) -> bool:
        """True if it is known what lies in it."""
        ...

    @property
    def lifetime_peak(self) -> int | None:
        """The most that the allocator says it ever held."""
        ...

    def figures(self, windows: Windows) -> Interruptible[MemoryFigures | str]:
        """Its figures in some windows; in words, why there are none."""
        ...

    def pool(self, windows: Windows, tick: int | None = None) -> Interruptible[MemoryPool | str]:
        """Its events in some windows, those before each, and what is there at a tick; in words, why there are none.

        Others may be among them: of these times and sizes are right, and not how full the memory is.
        """
        ...


@dataclass(frozen=True, slots=True)
class EventMemory:
    """A memory of which the events of a run tell: all of them are at hand."""

    events: MemoryPool

    @property
    def name(self) -> str:
        """As the runtime calls it."""
        return self.events.name

    @property
    def host(self) -> int:
        """Group of the track tree, -1 if there is none."""
        return self.events.host

    @property
    def source(self) -> MemorySource:
        """Source of its events."""
        return self.events.source

    @property
    def track(self) -> int:
        """A track whose steps are those of the memory."""
        return int(self.events.track[0])

    def is_on(self, tracks: Sequence[int]) -> bool:
        """True if some of its events are on one of these tracks."""
        return bool(np.isin(self.events.track, tracks).any())

    @property
    def is_host(self) -> bool:
        """True if it is memory of the host."""
        return self.events.is_host

    @property
    def is_reserved(self) -> bool:
        """True if nothing says how much of it is allocated."""
        return self.events.is_reserved

    @property
    def is_counted(self) -> bool:
        """True if its fill is what its own allocations come to."""
        return self.events.is_counted

    @property
    def is_allocators(self) -> bool:
        """True if its free bytes are those that an allocator has reserved."""
        return self.events.is_allocators

    @property
    def capacity(self) -> int | None:
        """Bytes of the device."""
        return self.events.capacity

    @property
    def has_addresses(self) -> bool:
        """True if it is known what lies in it."""
        return self.events.has_addresses

    @property
    def lifetime_peak(self) -> int | None:
        """The most that the allocator says it ever held."""
        return self.events.lifetime_peak

    def figures(self, windows: Windows) -> Interruptible[MemoryFigures | str]:
        """Its figures in some windows."""
        if not len(windows):
            return MemoryFigures(None, None, (0, 0, 0, 0))
        peak = self.events.peak(windows)
        yield
        return MemoryFigures(peak, self.events.place(peak), self.events.counts(windows))

    def pool(self, windows: Windows, tick: int | None = None) -> Interruptible[MemoryPool | str]:
        """All its events."""
        yield
        return self.events
