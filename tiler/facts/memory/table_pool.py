"""A memory of which tables tell, read in the chunks in which something happens in a range or that may have its peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.memory.allocation_rows import DeviceAllocations
from tilescope.tiler.facts.memory.extents import Extents
from tilescope.tiler.facts.memory.fill_rows import Component, FillRows
from tilescope.tiler.facts.memory.joined_events import PoolIdentity, joined_pool
from tilescope.tiler.facts.memory.memory import MemoryFigures
from tilescope.tiler.facts.memory.pool import MemoryPool, MemorySource, is_host_memory
from tilescope.tiler.facts.memory.table_columns import Ints
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Mask = NDArray[np.bool_]

# Of a memory, which are worked on at once: a million take 0.2 GB.
MAX_ROWS: Final = 3_000_000

_NO_PEAK: Final = int(np.iinfo(np.int64).min)
_NO_CHUNKS: Final = np.zeros(0, np.int64)
_NO_WINDOWS: Final = Windows.single(0, 0)


@dataclass(frozen=True, slots=True)
class TablePool:
    """A memory of which tables tell, as a `RecordedMemory`: a component, the allocations in it, or both."""

    identity: PoolIdentity
    component: Component | None
    allocations: DeviceAllocations | None
    totals: tuple[str, ...]  # of the allocations, that are figures of the memory
    is_partial: bool  # any chunks tell what happens in them
    most: tuple[Ints, ...]  # bytes: of the chunks of the component, or else of what is made, and of what is freed

    @property
    def name(self) -> str:
        """Device and component."""
        return self.identity.name

    @property
    def host(self) -> int:
        """Group of the track tree, -1 if there is none."""
        return self.identity.host

    @property
    def source(self) -> MemorySource:
        """Tables."""
        return "tables"

    def is_on(self, _tracks: Sequence[int]) -> bool:
        """True: what tables say is beside all tracks."""
        return True

    @property
    def is_host(self) -> bool:
        """True if it is memory of the host."""
        return is_host_memory(self.name)

    @property
    def lifetime_peak(self) -> int | None:
        """None: tables do not say it."""
        return None

    @property
    def track(self) -> int:
        """A track whose steps are those of the memory, -1 if there is none."""
        return self.identity.track

    @property
    def is_reserved(self) -> bool:
        """True if nothing says how much of it is allocated."""
        return self.identity.is_reserved

    @property
    def is_counted(self) -> bool:
        """True if its fill is what the allocations of the table come to."""
        return self.identity.is_counted

    @property
    def is_allocators(self) -> bool:
        """True: its components say what is reserved for them."""
        return True

    @property
    def capacity(self) -> int | None:
        """None: no table has the bytes of the device."""
        return None

    @property
    def has_addresses(self) -> bool:
        """True if it is known what lies in it."""
        return self.identity.has_addresses

    def renamed(self, name: str) -> TablePool:
        """The same under another name."""
        return replace(self, identity=replace(self.identity, name=name))

    def figures(self, windows: Windows) -> Interruptible[MemoryFigures | str]:
        """Its figures in some windows; in words, why there are none."""
        if not len(windows):
            return MemoryFigures(None, None, (0, 0, 0, 0))
        inside, held = self._peak_windows(windows)
        narrowed = yield from self._narrowed(inside, held)
        if isinstance(narrowed, str):
            return narrowed
        if narrowed is not None:
            inside, held = narrowed, _NO_WINDOWS
        pool = yield from self._read(inside, held, is_narrow=narrowed is not None)
        if isinstance(pool, str):
            return pool
        peak = pool.peak(held, inside)
        counts = (0, 0, 0, 0)
        if self.allocations is not None:
            counts = yield from self.allocations.counts(windows)
        return MemoryFigures(peak, pool.place(peak), counts)

    def pool(self, windows: Windows, tick: int | None = None) -> Interruptible[MemoryPool | str]:
        """Its events in some windows, those before each, and what is there at a tick; in words, why there are none."""
        return (yield from self._read(windows, windows, tick, has_names=True))

    def _narrowed(self, inside: Windows, held: Windows) -> Interruptible[Windows | str | None]:
        """The ticks from the last sample of the peak to the next one, of windows that have it; in words, why not.

        None where more than the samples in these windows may say what the peak is.
        """
        component = self.component
        if component is None or self.totals or not self.is_partial:
            return None
        samples = component.extents.overlap(inside) | component.extents.opening(held.starts)
        if (words := self._excess(samples, _NO_CHUNKS)) is not None:
            return words
        fill = yield from component.rows(samples)
        used = fill.allocated if component.is_allocated else fill.reserved
        before = np.searchsorted(fill.tick, held.starts) - 1
        places = np.flatnonzero(inside.hold(fill.tick))
        most = int(used[places].max(initial=_NO_PEAK))
        if not len(places) or int(used[before[before >= 0]].max(initial=_NO_PEAK)) > most:
            return None
        peak = int(places[np.flatnonzero(used[places] == most)[-1]])
        # Allocations without a sample, also those of the moment of the next sample, have what was there before.
        last = int(fill.tick[peak + 1]) if peak + 1 < len(fill) else TICK_LIMIT - 1
        return inside.clipped(int(fill.tick[peak]), last + 1)

    def _sides(self) -> list[tuple[Extents, Ints]]:
        """Extents of the chunks that say how full it is, and the most of each."""
        if self.component is not None:
            return [(self.component.extents, self.component.most)]
        if self.allocations is None:
            return []
        return list(zip((self.allocations.made.extents, self.allocations.freed.extents), self.most, strict=True))

    def _peak_windows(self, windows: Windows) -> tuple[Windows, Windows]:
        """Parts of some windows that have the last moment of the peak, and windows before which it may be held."""
        sides = self._sides()
        if not self.is_partial:
            return windows, windows
        least, newest = _NO_PEAK, _NO_PEAK  # what the peak is at least, and when it is there at least
        for extents, most in sides:
            within = extents.within(windows)
            least = max(least, int(most[within].max(initial=_NO_PEAK)))
        for extents, most in sides:
            newest = max(newest, int(extents.first[extents.within(windows) & (most == least)].max(initial=_NO_PEAK)))
        starts, stops = [], []
        for extents, most in sides:
            until = self._until(extents)
            is_older = extents.within(windows) & (most == least) & (extents.last < newest)
            chosen = windows.meet(extents.first, until) & (most >= least) & ~is_older
            starts.append(extents.first[chosen])
            stops.append(until[chosen])
        is_held = any(bool((most[extents.opening(windows.starts)] >= least).any()) for extents, most in sides)
        if self.component is not None and self.totals:  # allocations before the first sample
            starts.append(np.zeros(1, np.int64))
            stops.append(sides[0][0].first[:1] + 1)
            is_held = True
        spans = Windows.from_spans(np.concatenate(starts), np.concatenate(stops))
        return windows.without(windows.without(spans)), windows if is_held else _NO_WINDOWS

    def _until(self, extents: Extents) -> Ints:
        """Until when the last row of each chunk holds, with all else that happens in the last of these ticks."""
        if self.component is None:
            return extents.last + 1
        return np.append(extents.first[1:] + 1, TICK_LIMIT)

    def _read(
        self,
        windows: Windows,
        held: Windows,
        tick: int | None = None,
        *,
        has_names: bool = False,
        is_narrow: bool = False,
    ) -> Interruptible[MemoryPool | str]:
        """Events in some windows, those before the ones that are held, and all that is there at a tick.

        Others may be among them, few if `is_narrow`: of these times and sizes are right, not how full the memory is.
        """
        component, allocations = self.component, self.allocations
        samples, chunks = np.zeros(0, np.bool_), _NO_CHUNKS
        if component is not None:
            samples = np.ones(len(component.extents), np.bool_)
            if self.is_partial:
                samples = component.extents.overlap(windows) | component.extents.opening(held.starts)
        if allocations is not None:
            chunks = allocations.near(windows, held) if self.is_partial else allocations.chunks
            if tick is not None and self.is_partial:
                chunks = np.union1d(chunks, allocations.alive(tick))
                if (words := self._excess(samples, chunks)) is not None:
                    return words
                begins = yield from allocations.begins_alive(chunks, tick)
                chunks = np.union1d(chunks, allocations.making(begins))
                if component is not None:
                    samples |= component.extents.holding(begins)
        if (words := self._excess(samples, chunks)) is not None:
            return words
        fill = rows = None
        if allocations is not None:
            rows = yield from allocations.rows(chunks, self.totals, windows if is_narrow else None, has_names=has_names)
        if component is not None:
            fill = yield from component.rows(samples)
            while rows is not None and (more := _lacking(component.extents, samples, fill.tick, rows.tick)).any():
                samples |= more
                fill = yield from component.rows(samples)
            fill = _with_sample_before(fill, windows) if is_narrow else fill
        return joined_pool(self.identity, fill, rows)

    def _excess(self, samples: Mask, chunks: Ints) -> str | None:
        """Words about too many rows."""
        count = 0 if self.component is None else self.component.count(samples)
        count += 0 if self.allocations is None else self.allocations.count(chunks)
        if count <= MAX_ROWS:
            return None
        return f"tables have {count:,} rows about {self.name} in the range, more than {MAX_ROWS:,}"


def _with_sample_before(fill: FillRows, windows: Windows) -> FillRows:
    """The samples from the moment before some windows on, to their end."""
    first, last = np.searchsorted(fill.tick, [windows.start, windows.stop]).tolist()
    before = int(np.searchsorted(fill.tick, fill.tick[first - 1])) if first else 0
    return fill.part(slice(before, last))


def _lacking(extents: Extents, chosen: Mask, samples: Ints, allocations: Ints) -> Mask:
    """Chunks with what holds at allocations that have no samples, of the first tick of a chosen chunk."""
    ticks = extents.first[chosen & ~np.append(False, chosen[:-1])]
    counts = [
        np.searchsorted(column, ticks, side="right") - np.searchsorted(column, ticks)
        for column in (samples, allocations)
    ]
    return extents.opening(ticks[counts[1] > counts[0]]) & ~chosen
