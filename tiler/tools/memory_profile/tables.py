"""Tables of the memory profile: memories, and what lies in the one that is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.memory import Live, MemoryPool, Peak
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.windows import Windows
from tilescope.tiler.words import Words

Ints = NDArray[np.int64]
T = TypeVar("T")

_BEFORE: Final = "allocated before the trace began, or not recorded"
_RESERVED: Final = "reserved"
_NO_OPERATORS: Final = "not known: operator_memory.csv has no allocations of this component"
_NO_ADDRESSES: Final = "not known: events do not say by address what they free"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory that the question is about, and how full it gets; without its events, which are many."""

    name: str
    host: str
    is_host: bool  # memory of the host itself
    has_allocations: bool  # False: it is sampled alone
    windows: Windows
    peak: Peak | None
    event: tuple[int, int] | None  # that makes the peak: track and ordinal
    track: int  # of this event, or else whose steps are those of the memory
    lifetime_peak: int | None
    counts: tuple[int, int, int, int]

    @property
    def fullness(self) -> tuple[bool, bool, float, int]:
        """By which the fullest is found: a device's of which allocations are known, by its share of what there is."""
        if self.peak is None:
            return False, False, -1.0, 0
        fill = self.peak.fill
        share = fill.used / fill.capacity if fill.capacity else 0.0
        return not self.is_host, self.has_allocations, share, fill.used


def allocations_table(memory: MemoryPool, peak: Peak, live: Live, limit: int) -> Table:
    """Allocations that are in a memory at its peak, alike ones together, and what is in it besides."""
    unknown = peak.fill.heap - live.total
    special: list[tuple[str, int]] = []
    if peak.fill.stack:
        special.append(("stack: reserved for running programs", peak.fill.stack))
    if unknown > 0:
        special.append((_unknown_words(memory), unknown))
    n = min(len(live), limit)
    rows = slice(n)
    none: list[Value] = [None] * len(special)
    words = [*memory.texts, *(text for text, _ in special)]
    operation = np.append(live.operation[rows], np.arange(len(memory.texts), len(words)))
    total = live.size * live.count
    first = live.first[rows]
    places = zip(memory.track[first].tolist(), memory.ordinal[first].tolist(), strict=True)
    events = [f"{track}.{ordinal}" if ordinal >= 0 else None for track, ordinal in places]

    def non_negative(values: Ints) -> list[Value]:
        return [None if value < 0 else value for value in values[rows].tolist()]

    def texts(name: str, title: str, codes: Ints) -> Column:
        padded = np.append(codes[rows], np.full(len(special), -1))
        return Column(name, title, "text", Words(padded.astype(np.int32), words))

    columns = [
        Column("operation", "Operation", "name", Words(operation.astype(np.int32), words)),
        Column("total", "Takes", "bytes", [*total[rows].tolist(), *(size for _, size in special)]),
        Column("count", "Count", "count", [*live.count[rows].tolist(), *none]),
        Column("size", "Each", "bytes", [*live.size[rows].tolist(), *none], total="none"),
        Column("requested", "Requested", "bytes", [*non_negative(live.requested), *none], total="none"),
        texts("region", "Region", live.region),
        texts("data_type", "Type", live.data_type),
        texts("shape", "Shape", live.shape),
        Column("start", "First allocated", "time", [*non_negative(memory.start[live.first]), *none], total="min"),
        Column("event", "Event", "event", [*events, *none]),
        Column("track", "Track", "track", [*memory.track[first].tolist(), *none]),
    ]
    totals: dict[str, Value] = {"total": peak.fill.used, "count": int(live.count.sum())}
    rest: dict[str, Value] | None = None
    if n < len(live):
        rest = {"total": int(total[n:].sum()), "count": int(live.count[n:].sum())}
    return Table("allocations", "In memory at the peak", columns, totals=totals, rest=rest)


def _unknown_words(memory: MemoryPool) -> str:
    if memory.is_reserved:
        return _RESERVED
    if memory.has_addresses:
        return _BEFORE
    return _NO_ADDRESSES if memory.source == "events" else _NO_OPERATORS


def memories_table(rows: Sequence[MemoryRow]) -> Table:
    """All memories that a question is about."""
    fills = [None if row.peak is None else row.peak.fill for row in rows]
    capacities = [None if fill is None else fill.capacity for fill in fills]
    peaks = [row.peak for row in rows]
    events = [row.event for row in rows]
    columns = [
        Column("memory", "Memory", "name", [row.name for row in rows]),
        Column("host", "Host", "text", [row.host or None for row in rows]),
        Column("peak", "Peak", "bytes", _each(fills, lambda fill: fill.used), total="max"),
        Column(
            "share",
            "Of its capacity",
            "fraction",
            [
                fill.used / capacity if fill and capacity else None
                for fill, capacity in zip(fills, capacities, strict=True)
            ],
            total="max",
        ),
        Column("peak_time", "Peak at", "time", _each(peaks, lambda peak: peak.time), total="max"),
        Column("stack", "Stack", "bytes", _each(fills, lambda fill: fill.stack), total="max"),
        Column("heap", "Heap", "bytes", _each(fills, lambda fill: fill.heap), total="max"),
        Column("free", "Free", "bytes", _each(fills, lambda fill: fill.free), total="min"),
        Column(
            "fragmentation", "Fragmentation", "fraction", _each(fills, lambda fill: fill.fragmentation), total="max"
        ),
        Column("capacity", "Capacity", "bytes", capacities),
        Column("lifetime_peak", "Peak of the process", "bytes", [row.lifetime_peak for row in rows], total="max"),
        Column("allocations", "Allocations", "count", [row.counts[0] for row in rows]),
        Column("frees", "Frees", "count", [row.counts[1] for row in rows]),
        Column("allocated", "Allocated", "bytes", [row.counts[2] for row in rows]),
        Column("freed", "Freed", "bytes", [row.counts[3] for row in rows]),
        Column("event", "Peak's event", "event", _each(events, lambda event: f"{event[0]}.{event[1]}")),
        Column("track", "Track", "track", _each(events, lambda event: event[0])),
    ]
    return Table("memories", "Memories", columns)


def _each(elements: Sequence[T | None], value: Callable[[T], Value]) -> list[Value]:
    return [None if element is None else value(element) for element in elements]
