"""Memory use of devices and hosts over time, and the allocations alive at the peak of a range."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Final, TypeVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes import CurveBins, StepCurve, curve_bins
from tilescope.tiler.facts.memory import (
    NO_ALLOCATIONS,
    Live,
    MemoryPool,
    Peak,
    hosts_of,
    listed_memories,
    memories_of,
    records_allocations,
    used_curve,
)
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value, Words
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.references import HostRef
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
T = TypeVar("T")

MAX_LISTED: Final = 10_000
MAX_BINS: Final = 8192
DEFAULT_LISTED: Final = 100

_SMALL_SHARE: Final = 0.1  # of the capacity

# The peak is shown in the timeline with so small a part of the range on both sides.
_AROUND: Final = 200

_NONE_YET: Final = "nothing was recorded by then: choose a longer span"
_NOT_SAID: Final = "the allocator does not say"
_BEFORE: Final = "allocated before the trace began, or not recorded"
_NO_ADDRESSES: Final = "not known: events do not say by address what they free"
_COUNTED: Final = "counted from the trace's own allocations"


MemoryName = Annotated[str, Meta(min_length=1, max_length=1000)]


class MemoryProfileQuestion(FigureQuestion, frozen=True, kw_only=True):
    """The memories of devices and hosts in a span or in steps."""

    host: Annotated[HostRef | None, Meta(description="The memories of this host only.")] = None
    memory: Annotated[
        MemoryName | None,
        Meta(
            description="The memory that is shown in detail, by its name in the table of memories, or as HOST · NAME; "
            "the fullest one of a device unless given.",
        ),
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most allocations that are listed.")] = (
        DEFAULT_LISTED
    )
    bins: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_BINS,
            description="Splits the span into so many parts of equal length, and says how full the memory is in each, "
            "at least and at most, in place of its curve and of what lies in it; 0: the curve.",
        ),
    ] = 0


@dataclass(frozen=True, slots=True)
class _MemoryRow:
    """A memory that the question is about, and how full it gets; without its events, which are many."""

    name: str
    host: str
    is_host: bool  # memory of the host itself
    windows: Windows
    peak: Peak | None
    event: tuple[int, int] | None  # that makes the peak: track and ordinal
    lifetime_peak: int | None
    counts: tuple[int, int, int, int]

    @property
    def fullness(self) -> tuple[bool, float, int]:
        """By which the fullest is found: a device's, and by its share of what there is where that is known."""
        if self.peak is None:
            return False, -1.0, 0
        fill = self.peak.fill
        return not self.is_host, (fill.used / fill.capacity if fill.capacity else 0.0), fill.used


def _answer(scope: Scope, question: MemoryProfileQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    if question.host is not None:
        of_host = set(scope.tracks_of(question.host))
        tracks = [track for track in tracks if track in of_host]
    rows: list[_MemoryRow] = []
    shown: tuple[_MemoryRow, MemoryPool] | None = None
    for host in hosts_of(scope.reader, tracks):
        memories = yield from memories_of(scope.reader, host)
        for memory in memories:
            if question.tracks is not None and not np.isin(memory.track, tracks).any():
                continue
            row = _memory_row(scope, question_windows, memory)
            rows.append(row)
            is_wanted = question.memory in (None, memory.name, f"{row.host} · {memory.name}")
            if is_wanted and (shown is None or row.fullness > shown[0].fullness):
                shown = row, memory
        yield
    if not rows:
        return Answer(notes=[Note("warning", NO_ALLOCATIONS)])
    table = _memories_table(rows)
    if shown is None:
        names = ", ".join(dict.fromkeys(row.name for row in rows))
        return Answer(tables=[table], notes=[Note("warning", f"there is no memory {question.memory!r}: {names}")])
    row, memory = shown
    facts = _facts(row, is_counted=memory.is_counted)
    if row.peak is None:
        return Answer(facts, [table], notes=[Note("warning", _NONE_YET)])
    if question.bins:
        return Answer(facts, [table], [_bins(memory, row.windows, question.bins)])
    live = memory.live(row.peak.event)
    yield
    return Answer(
        facts,
        [_allocations_table(memory, row.peak, live, question.limit), table],
        _series(memory, row.windows, row.peak),
        _notes(row, memory, live),
    )


def _memory_row(scope: Scope, question_windows: QuestionWindows, memory: MemoryPool) -> _MemoryRow:
    groups = scope.reader.tree.groups
    windows = question_windows.on_track(int(memory.track[0]))
    host = groups[memory.host].name if memory.host >= 0 else ""
    peak = memory.peak(windows) if len(windows) else None
    counts = memory.counts(windows) if len(windows) else (0, 0, 0, 0)
    event = None if peak is None else (int(memory.track[peak.event]), int(memory.ordinal[peak.event]))
    return _MemoryRow(memory.name, host, memory.is_host, windows, peak, event, memory.lifetime_peak, counts)


def _facts(row: _MemoryRow, *, is_counted: bool) -> list[Fact]:
    peak = row.peak
    fill = None if peak is None else peak.fill
    missing = _NONE_YET if peak is None else ""
    made, freed, made_bytes, freed_bytes = row.counts
    capacity = None if fill is None else fill.capacity
    free = None if fill is None else fill.free
    fragmentation = None if fill is None else fill.fragmentation
    return [
        Fact("memory", "Memory", row.name, "name", f"of {row.host}" if row.host else ""),
        Fact(
            "peak",
            "Peak",
            None if fill is None else fill.used,
            "bytes",
            missing or (_COUNTED if is_counted else "stack and heap"),
        ),
        Fact(
            "peak_time",
            "Peak at",
            None if peak is None else peak.time,
            "time",
            missing or "the last time that it is reached",
        ),
        Fact(
            "stack",
            "Stack at the peak",
            None if fill is None else fill.stack,
            "bytes",
            missing or "reserved for running programs",
        ),
        Fact("heap", "Heap at the peak", None if fill is None else fill.heap, "bytes", missing),
        Fact("free", "Free at the peak", free, "bytes", "" if free is not None else missing or _NOT_SAID),
        Fact(
            "fragmentation",
            "Fragmentation at the peak",
            fragmentation,
            "fraction",
            "" if fragmentation is not None else missing or _NOT_SAID,
        ),
        Fact("capacity", "Capacity", capacity, "bytes", "" if capacity is not None else missing or _NOT_SAID),
        Fact(
            "lifetime_peak",
            "Peak of the process",
            row.lifetime_peak,
            "bytes",
            _NOT_SAID
            if row.lifetime_peak is None
            else "as the allocator counts it: since the process began, and some count no stack",
        ),
        Fact("allocations", "Allocations", made, "count"),
        Fact("allocated", "Allocated", made_bytes, "bytes", "by all of them together"),
        Fact("frees", "Frees", freed, "count"),
        Fact("freed", "Freed", freed_bytes, "bytes", "by all of them together"),
    ]


def _series(memory: MemoryPool, windows: Windows, peak: Peak) -> list[Series]:
    curve = memory.curve(windows)

    def bytes_of(values: Ints) -> Ints:
        sizes = values[curve.event]
        return np.ma.MaskedArray(sizes, sizes < 0) if (sizes < 0).any() else sizes

    def column(name: str, title: str, values: Ints) -> Column:
        return Column(name, title, "bytes", bytes_of(values), total="max")

    time = Column("time", "Time", "time", curve.time)
    free = column("free", "Free", memory.free) if (memory.free[curve.event] >= 0).any() else None
    capacity = peak.fill.capacity
    # What is in use would not be seen below all that is free.
    is_small = capacity is not None and peak.fill.used < _SMALL_SHARE * capacity
    # Of areas the last one stands at the bottom.
    parts = [free] if free is not None and not is_small else []
    parts.append(column("heap", "Heap", memory.heap))
    if memory.stack.any():
        parts.append(column("stack", "Stack", memory.stack))
    limit = Column("peak", "Peak", "bytes", np.full(len(curve.event), peak.fill.used), total="max")
    fragmentation = memory.fragmentation[curve.event]
    if (fragmentation == fragmentation).any():
        parts.append(Column("fragmentation", "Fragmentation", "fraction", fragmentation, total="max"))
    charts = [Series("fill", f"Memory {memory.name} over time", "area", time, parts, lines=[limit])]
    if free is not None and is_small:
        charts.append(Series("free", "Free memory", "line", time, [free]))
    return charts


def _bins(memory: MemoryPool, windows: Windows, count: int) -> Series:
    """Memory use in parts of the span, gaps between windows included; nothing where it is not known yet."""
    bins = memory.bins(windows.start, windows.stop, count)
    x = Column("start", "Start", "time", bins.start)
    ys = [
        Column("least", "At least", "bytes", np.ma.MaskedArray(bins.least, bins.least < 0), total="min"),
        Column("greatest", "At most", "bytes", np.ma.MaskedArray(bins.greatest, bins.greatest < 0), total="max"),
    ]
    return Series("bins", f"Memory {memory.name}, part by part", "line", x, ys)


def _allocations_table(memory: MemoryPool, peak: Peak, live: Live, limit: int) -> Table:
    unknown = peak.fill.heap - live.total
    special: list[tuple[str, int]] = []
    if peak.fill.stack:
        special.append(("stack: reserved for running programs", peak.fill.stack))
    if unknown > 0:
        special.append((_BEFORE if memory.has_addresses else _NO_ADDRESSES, unknown))
    n = min(len(live), limit)
    rows = slice(n)
    none: list[Value] = [None] * len(special)
    words = [*memory.texts, *(text for text, _ in special)]
    operation = np.append(live.operation[rows], np.arange(len(memory.texts), len(words)))
    total = live.size * live.count
    first = live.first[rows]
    events = [
        f"{track}.{ordinal}" for track, ordinal in zip(memory.track[first].tolist(), memory.ordinal[first], strict=True)
    ]

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
        Column("start", "First allocated", "time", [*memory.start[first].tolist(), *none], total="min"),
        Column("event", "Event", "event", [*events, *none]),
        Column("track", "Track", "track", [*memory.track[first].tolist(), *none]),
    ]
    totals: dict[str, Value] = {"total": peak.fill.used, "count": int(live.count.sum())}
    rest: dict[str, Value] | None = None
    if n < len(live):
        rest = {"total": int(total[n:].sum()), "count": int(live.count[n:].sum())}
    return Table("allocations", "In it at the peak", columns, totals=totals, rest=rest)


def _memories_table(rows: Sequence[_MemoryRow]) -> Table:
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


def _notes(row: _MemoryRow, memory: MemoryPool, live: Live) -> list[Note]:
    peak = row.peak
    if peak is None:
        return []
    fill = peak.fill
    # What devices and hosts did around it.
    around = max(1, (row.windows.stop - row.windows.start) // _AROUND)
    where = f"{memory.name} on {row.host}" if row.host else memory.name
    share = f", {percent_text(fill.used / fill.capacity)} of what there is" if fill.capacity else ""
    notes = [
        Note(
            "info",
            f"Memory {where} is fullest here{share}",
            start=max(0, peak.time - around),
            end=peak.time + around,
            track=int(memory.track[peak.event]),
        )
    ]
    if memory.is_counted:
        notes.append(
            Note(
                "warning",
                f"events of memory {memory.name} do not say how much is allocated in all: it is counted from them, "
                "so what was there before the trace and never freed is missing",
            )
        )
    if live.total > fill.heap:
        notes.append(
            Note("warning", "more was allocated by then than the heap has: the trace lacks events that free memory")
        )
    return notes


def _availability(scope: Scope) -> str:
    return "" if records_allocations(scope.reader) else NO_ALLOCATIONS


def _listed_memories(scope: Scope) -> Interruptible[dict[str, MemoryPool]]:
    """The memories of all hosts by the keys of their lanes, as far as they are listed."""
    memories: list[MemoryPool] = []
    for host in hosts_of(scope.reader, scope.leaves(None)):
        memories += (yield from listed_memories(scope.reader, host)).memories
        yield
    return {_lane_key(memory): memory for memory in memories}


def _lane_key(memory: MemoryPool) -> str:
    """Made of host and name alone: how many others there are may change."""
    words = re.sub("[^a-z0-9]+", "-", memory.name.lower()).strip("-")[:40]
    digest = blake2b(memory.name.encode(errors="surrogatepass"), digest_size=4).hexdigest()
    return f"{memory.host}-{words}-{digest}"


def _left_out(scope: Scope) -> Interruptible[str]:
    for host in hosts_of(scope.reader, scope.leaves(None)):
        if not (yield from listed_memories(scope.reader, host)).is_whole:
            return (
                "of memories only those are listed with which a thread begins or ends its allocations, until the tool "
                "memory_profile has read them all"
            )
        yield
    return ""


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    memories = yield from _listed_memories(scope)
    groups = scope.reader.tree.groups
    hosts = {memory.host for memory in memories.values()}
    lanes = []
    # The fullest of a device first, as far as its first and last allocations tell.
    ranked = sorted(memories.items(), key=lambda entry: (entry[1].is_host, -_most_told(entry[1])))
    for key, memory in ranked:
        place = f"{groups[memory.host].name} · " if len(hosts) > 1 and memory.host >= 0 else ""
        makers = np.unique(memory.track).tolist()
        title = f"Memory {place}{memory.name}"
        lanes.append(DerivedLane(key, title, int(memory.track[0]), makers, "counter", figure="bytes"))
    return lanes


def _most_told(memory: MemoryPool) -> int:
    return max(memory.most_used, memory.lifetime_peak or 0)


def _lane_curve(scope: Scope, lane: DerivedLane) -> Interruptible[StepCurve | None]:
    memory = (yield from _listed_memories(scope))[lane.key]
    return (yield from used_curve(scope.reader, memory.host, memory.name))


def _lane_bins(scope: Scope, lane: DerivedLane, borders: Ints) -> Interruptible[CurveBins]:
    return curve_bins([(yield from _lane_curve(scope, lane))], borders)


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[StepCurve | None]:
    yield (yield from _lane_curve(scope, lane))


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The allocation or free that left the memory as full as it is."""
    listed = (yield from _listed_memories(scope))[lane.key]
    memories = yield from memories_of(scope.reader, listed.host)
    memory = next(memory for memory in memories if memory.name == listed.name)
    last = int(np.searchsorted(memory.start, tick, side="right")) - 1
    return [LaneEvent((int(memory.track[last]), int(memory.ordinal[last])))] if last >= 0 else []


TOOL: Final = Tool(
    id="memory_profile",
    title="Memory profile",
    help="how full the memories of devices and hosts are over time, and what lies in them at the peak",
    group="memory",
    question=MemoryProfileQuestion,
    answer=_answer,
    availability=_availability,
    contract=Contract(
        added=("memories.allocations", "memories.frees", "memories.allocated", "memories.freed"),
        rows=(AddedRows("memories", ("memory", "host"), ("allocations", "frees", "allocated", "freed")),),
    ),
    lanes=LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events, _left_out),
)
