"""Memory use of devices and hosts over time, and the allocations alive at the peak of a range."""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import MEMORY_TABLES, with_faults
from tilescope.tiler.facts.memory import (
    NO_ALLOCATIONS,
    Fill,
    Live,
    MemoryPool,
    Peak,
    RecordedMemory,
    hosts_of,
    memories_of,
    memory_tables,
    records_allocations,
)
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.size_text import size_text
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.memory_profile.growth import growth_tables
from tilescope.tiler.tools.memory_profile.lanes import LANES
from tilescope.tiler.tools.memory_profile.lifetimes import lifetime_tables
from tilescope.tiler.tools.memory_profile.tables import MemoryRow, allocations_table, memories_table
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.references import HostRef
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

MAX_LISTED: Final = 10_000
MAX_BINS: Final = 8192
DEFAULT_LISTED: Final = 100

_SMALL_SHARE: Final = 0.1  # of the capacity

# The peak is shown in the timeline with so small a part of the range on both sides.
_AROUND: Final = 200

_NONE_YET: Final = "nothing was recorded before the end of this span: choose a longer one"
_NO_TIMELINE: Final = (
    "what files beside the timeline say of memories is of hosts without a timeline, or without the tracks asked for"
)
_IGNORED: Final = "no memory is named, or no number of bytes, or more than 2 EiB"
_NOT_SAID: Final = "the allocator did not record it"
_NO_STACK: Final = "the allocator says none: runtimes of TPUs set it aside for programs"
_RESERVED: Final = "reserved: no file says how much of it is allocated"
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


def _answer(scope: Scope, question: MemoryProfileQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    if question.host is not None:
        host_tracks = set(scope.tracks_of(question.host))
        tracks = [track for track in tracks if track in host_tracks]
    rows: list[MemoryRow] = []
    shown: list[tuple[MemoryRow, RecordedMemory]] = []  # at most one
    notes: list[Note] = []
    ignored = 0
    for host in hosts_of(scope.reader, tracks):
        of_host = yield from memories_of(scope.reader, host)
        ignored += of_host.ignored
        for memory in of_host.memories:
            # What tables tell of is of the whole host.
            if question.tracks is not None and not memory.is_on(tracks):
                continue
            row = yield from _memory_row(scope, question_windows, memory)
            if isinstance(row, str):
                notes.append(Note("warning", f"{row}: it is left out"))
                continue
            rows.append(row)
            is_wanted = question.memory in (None, memory.name, f"{row.host} · {memory.name}")
            if is_wanted and (not shown or row.fullness > shown[0][0].fullness):
                shown[:] = [(row, memory)]
            yield
    if ignored:
        events = plural(ignored, "event about memory is", "events about memory are")
        notes.append(Note("warning", f"{events} left out: {_IGNORED}"))
    if not rows:
        return Answer(notes=notes or [Note("warning", _no_memory_words(scope))])
    table = memories_table(rows)
    if not shown:
        names = ", ".join(dict.fromkeys(row.name for row in rows))
        notes.append(Note("warning", f"there is no memory {question.memory!r}: {names}"))
        return Answer(tables=[table], notes=notes)
    ((row, memory),) = shown
    facts = _facts(row, memory)
    if row.peak is None:
        return Answer(facts, [table], notes=[Note("warning", _NONE_YET), *notes])
    headline = _headline(row, row.peak, memory)
    # Parts of the span are also between the windows.
    span = Windows.single(row.windows.start, row.windows.stop) if question.bins else row.windows
    pool = yield from memory.pool(span, None if question.bins else row.peak.time)
    if isinstance(pool, str):
        notes.append(Note("warning", f"{pool}: choose a shorter span to see its curve and what lies in it"))
        return Answer(facts, [table], notes=notes, headline=headline)
    if question.bins:
        return Answer(facts, [table], [_bins(pool, row.windows, question.bins)], notes)
    peak = pool.peak(row.windows) or row.peak
    live = pool.live(peak.event)
    yield
    return Answer(
        facts,
        [
            allocations_table(pool, peak, live, question.limit),
            *lifetime_tables(pool, row.windows, question.limit),
            *growth_tables(pool, row.windows, question.limit),
            table,
        ],
        _series(pool, row.windows, peak),
        [*_notes(pool, live, peak.fill.heap), *notes],
        headline=headline,
    )


def _memory_row(
    scope: Scope, question_windows: QuestionWindows, memory: RecordedMemory
) -> Interruptible[MemoryRow | str]:
    """The row of a memory; in words, why there is none."""
    groups = scope.reader.tree.groups
    windows = question_windows.on_track(memory.track)
    host = groups[memory.host].name if memory.host >= 0 else ""
    figures = yield from memory.figures(windows)
    if isinstance(figures, str):
        return figures
    has_allocations = memory.source == "events" or memory.has_addresses
    track = figures.event[0] if figures.event is not None else memory.track
    return MemoryRow(
        memory.name,
        host,
        memory.is_host,
        has_allocations,
        windows,
        figures.peak,
        figures.event,
        track,
        memory.lifetime_peak,
        figures.counts,
    )


def _facts(row: MemoryRow, memory: RecordedMemory) -> list[Fact]:
    peak = row.peak
    fill = None if peak is None else peak.fill
    missing = _NONE_YET if peak is None else ""
    made, freed, made_bytes, freed_bytes = row.counts
    capacity = None if fill is None else fill.capacity
    free = None if fill is None else fill.free
    fragmentation = None if fill is None else fill.fragmentation
    own = "of what is reserved for it" if memory.is_allocators else ""
    of_device = "" if memory.capacity is None else "of the device, as its runtime says"
    reserved = None
    if fill is not None and own:
        reserved = fill.used if memory.is_reserved else fill.reserved
    return [
        Fact("memory", "Memory", row.name, "name", f"of {row.host}" if row.host else ""),
        Fact(
            "peak",
            "Peak",
            None if fill is None else fill.used,
            "bytes",
            missing or _peak_words(memory, fill),
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
            missing or ("reserved for running programs" if fill and fill.stack is not None else _NO_STACK),
        ),
        Fact("heap", "Heap at the peak", None if fill is None else fill.heap, "bytes", missing),
        Fact("free", "Free at the peak", free, "bytes", own if free is not None else missing or _NOT_SAID),
        Fact(
            "fragmentation",
            "Fragmentation at the peak",
            fragmentation,
            "fraction",
            "" if fragmentation is not None else missing or _NOT_SAID,
        ),
        Fact(
            "capacity",
            "Capacity",
            capacity,
            "bytes",
            missing or _NOT_SAID if capacity is None else of_device,
        ),
        Fact(
            "reserved",
            "Reserved at the peak",
            reserved,
            "bytes",
            "by the allocator, used or not" if reserved is not None else missing or _NOT_SAID,
        ),
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


def _peak_words(memory: RecordedMemory, fill: Fill | None) -> str:
    if memory.is_counted:
        return _COUNTED
    if memory.is_reserved:
        return _RESERVED
    return "allocated" if fill is None or fill.stack is None else "stack and heap"


def _share_words(fill: Fill, memory: RecordedMemory) -> str:
    if not fill.capacity:
        return f", of {size_text(fill.reserved)} that are reserved for it" if fill.reserved else ""
    whole = "what there is" if memory.capacity is None else f"the device's {size_text(memory.capacity)}"
    return f", {percent_text(fill.used / fill.capacity)} of {whole}"


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
    is_limit = free is not None and memory.capacity is not None
    parts = [free] if free is not None and not is_small and not is_limit else []
    parts.append(column("heap", "Heap", memory.heap))
    if (memory.stack > 0).any():
        parts.append(column("stack", "Stack", memory.stack))
    limit = Column("peak", "Peak", "bytes", np.full(len(curve.event), peak.fill.used), total="max")
    fragmentation = memory.fragmentation[curve.event]
    if (fragmentation == fragmentation).any():
        parts.append(Column("fragmentation", "Fragmentation", "fraction", fragmentation, total="max"))
    lines = [limit]
    if is_limit:
        lines.append(column("reserved", "Reserved", np.where(memory.free < 0, -1, memory.used + memory.free)))
    charts = [Series("fill", f"Memory {memory.name} over time", "area", time, parts, lines=lines)]
    if free is not None and is_small and not is_limit:
        charts.append(Series("free", "Free memory", "line", time, [free]))
    active = memory.active[curve.event]
    if ((active >= 0) & (active != memory.heap[curve.event])).any():
        ys = [column("heap", "Allocated", memory.heap), column("active", "Active", memory.active)]
        charts.append(Series("active", "Allocated, and active: freed, but waited for by a stream", "line", time, ys))
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


def _headline(row: MemoryRow, peak: Peak, memory: RecordedMemory) -> Note:
    fill = peak.fill
    # What devices and hosts did around it.
    around = max(1, (row.windows.stop - row.windows.start) // _AROUND)
    where = f"{memory.name} on {row.host}" if row.host else memory.name
    return Note(
        "info",
        f"Memory {where} holds {size_text(fill.used)} at its peak{_share_words(fill, memory)}",
        start=max(0, peak.time - around),
        end=peak.time + around,
        track=row.track,
    )


def _notes(memory: MemoryPool, live: Live, heap: int) -> list[Note]:
    notes = []
    if memory.is_counted:
        notes.append(
            Note(
                "warning",
                f"events of memory {memory.name} do not say how much is allocated in all: it is counted from them, "
                "so what was there before the trace and never freed is missing",
            )
        )
    if live.total > heap:
        notes.append(
            Note("warning", "more was allocated by then than the heap has: the trace lacks events that free memory")
        )
    return notes


def _no_memory_words(scope: Scope) -> str:
    reader = scope.reader
    return NO_ALLOCATIONS if reader.store.is_growing or not memory_tables(reader) else _NO_TIMELINE


def _availability(scope: Scope) -> str:
    if records_allocations(scope.reader) or memory_tables(scope.reader):
        return ""
    return with_faults(scope.reader, NO_ALLOCATIONS, MEMORY_TABLES)


def _sentence(answer: Answer, tick_ps: int) -> str:
    """The peak, where no curve of it is asked for, or there is none."""
    figures = Figures(answer, tick_ps)
    if figures.text("peak"):
        return f"Memory {figures.text('memory')} holds {figures.text('peak')} at its peak"
    memory = f" in memory {figures.text('memory')}" if figures.text("memory") else ""
    return f"No allocation{memory} was recorded in this range"


TOOL: Final = Tool(
    id="memory_profile",
    title="Memory profile",
    help="how full memories are over time, and what fills them at the peak",
    group="memory",
    question=MemoryProfileQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        added=("memories.allocations", "memories.frees", "memories.allocated", "memories.freed"),
        rows=(AddedRows("memories", ("memory", "host"), ("allocations", "frees", "allocated", "freed")),),
    ),
    lanes=LANES,
)
