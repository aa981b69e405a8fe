"""Records of allocations, as columns: an event for each that was made or freed.

Runtimes of an XSpace write them as events of the host, PyTorch as instants; what these tell is in their arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.facts.memory.arguments import PYTORCH, XSPACE, AllocationArguments, Runtime, Texts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import EVERYTHING, SLICE_KINDS, ArgumentReader, Events, Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import EventPlan, LeafRun
from tilescope.tiler.query.run_caches import RunCache

Ints = NDArray[np.int64]

NO_ALLOCATIONS: Final = (
    "the runtime recorded no allocations: TPU and GPU runtimes of TensorFlow and JAX write MemoryAllocation events "
    "(record with host_tracer_level 2 or more; JAX on CPU has none), PyTorch writes [memory] instants "
    "(profile_memory=True), torch_npu and MindSpore's profiler write memory_record.csv and operator_memory.csv "
    "(profile_memory=True)"
)

# Of a host: some 100 bytes each.
MAX_RECORDS: Final = 2_000_000

RUNTIMES: Final[dict[str, Runtime]] = {"MemoryAllocation": XSPACE, "MemoryDeallocation": XSPACE, "[memory]": PYTORCH}
_FREES: Final = "MemoryDeallocation"

# What events are read for at a time, so that others have their turn.
_EVENTS_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class OwnerFrames:
    """Frames around allocations; columns of shape (n,), texts as places in those of their records, -1: none."""

    operators: NDArray[np.int32]  # place in `chains`: 0 is that of none
    module: NDArray[np.int32]
    function: NDArray[np.int32]  # of Python
    chains: Sequence[Sequence[int]]  # texts of operators in each other, the innermost last

    def take(self, which: Ints) -> OwnerFrames:
        """Some of them."""
        return OwnerFrames(self.operators[which], self.module[which], self.function[which], self.chains)


@dataclass(frozen=True, slots=True)
class Records:
    """Allocations that were made and freed, in the order of time; columns of shape (n,). -1: not recorded."""

    start: Ints
    track: NDArray[np.int32]
    ordinal: Ints
    arguments: AllocationArguments
    texts: Sequence[str]
    is_whole: bool = True  # False: there may be others on the tracks that were read
    owners: OwnerFrames | None = None
    ignored: int = 0  # other events that record allocations, of no memory or of no size that a memory has

    def __len__(self) -> int:
        return len(self.start)

    @property
    def size_bytes(self) -> int:
        """Bytes of memory that they take, without texts."""
        own = self.start.nbytes + self.track.nbytes + self.ordinal.nbytes
        return own + sum(int(column.nbytes) for column in self.arguments.columns)


_KINDS: Final = RunCache[NDArray[np.uint8]]("allocation_names", "Names of events that record allocations")


def _kinds(reader: QueryReader) -> Interruptible[NDArray[np.uint8]]:
    """Codes of names, that of events without one first: 0, or 1 + the place of its runtime's event."""
    kinds = _KINDS.get(reader)
    if kinds is None:
        places = {name: place + 1 for place, name in enumerate(RUNTIMES)}
        kinds = _KINDS.keep(reader, (yield from reader.names.numbers(lambda name: places.get(name.text, 0))))
    return kinds


_HAS_ALLOCATIONS: Final = RunCache[bool]("has_allocations", "Whether runs record allocations")


def records_allocations(reader: QueryReader) -> bool:
    """True if some event has a name of those that record allocations, as far as the run is indexed."""
    is_recorded = _HAS_ALLOCATIONS.get(reader)
    if is_recorded is None:
        names = reader.names
        is_recorded = any(name.text in RUNTIMES for page in range(names.pages) for name in names.page(page))
        _HAS_ALLOCATIONS.keep(reader, is_recorded)
    return is_recorded


def records_of(reader: QueryReader, tracks: Sequence[int], *, ends_only: bool = False) -> Interruptible[Records]:
    """Records of these tracks, in the order of time. Raises UsageError for too many.

    With `ends_only` those of the first and the last page of each track on which there are any.
    """
    kinds = yield from _kinds(reader)
    reading, arguments = Reading(reader), ArgumentReader(reader.store)
    texts: Texts = {}
    parts: list[Records] = []
    count = 0
    is_whole = True
    with_events = (track for track in tracks if _holds_events(reader, track))
    for block, of_block in groupby(with_events, lambda track: track // TRACKS_PER_BLOCK):
        try:
            pages = reader.pages_with_names(block, kinds > 0)
        except NotBuilt:
            continue
        if pages.any():
            for track in of_block:
                plan = reader.plan(track, EVERYTHING)
                runs = [run for run in plan.leaf_runs if pages[run.first_of_page]]
                is_whole = is_whole and (not ends_only or len(runs) <= 2)
                for events in _events(reading, plan, runs, kinds, ends_only=ends_only):
                    count += len(events)
                    if count > MAX_RECORDS:
                        raise UsageError(f"a host of the run recorded more than {MAX_RECORDS:,} allocations and frees")
                    parts += _event_records(arguments, events, kinds, texts)
                    yield
        yield
    return replace(_in_order(parts, texts), is_whole=is_whole)


def _holds_events(reader: QueryReader, track: int) -> bool:
    entry = reader.tree.tracks[track]
    return entry.kind in SLICE_KINDS and entry.events != 0


def _events(
    reading: Reading,
    plan: EventPlan,
    runs: Sequence[LeafRun],
    kinds: NDArray[np.uint8],
    *,
    ends_only: bool,
) -> Iterator[Events]:
    """The events of these kinds in some leaves, page by page, some at a time."""
    for part in _ends(len(runs)) if ends_only else (range(len(runs)),):
        for place in part:
            (events,) = reading.events(plan, [runs[place]])
            selected = events.take(kinds[np.maximum(events.name, -1) + 1] > 0)
            selected = selected.take(np.argsort(selected.ordinal, kind="stable"))
            for first in range(0, len(selected), _EVENTS_AT_ONCE):
                yield selected.take(slice(first, first + _EVENTS_AT_ONCE))
            if ends_only and len(selected):
                break  # on pages before it were allocations of other tracks


def _ends(pages: int) -> Iterator[range]:
    """Positions of the first half of some pages, from the first on, and of the others, from the last on."""
    yield range((pages + 1) // 2)
    yield range(pages - 1, (pages + 1) // 2 - 1, -1)


def _event_records(
    arguments: ArgumentReader, events: Events, kinds: NDArray[np.uint8], texts: Texts
) -> Iterator[Records]:
    """The records of some events of one track."""
    names = list(RUNTIMES)
    kind = kinds[events.name + 1]
    for runtime in (XSPACE, PYTORCH):
        runtime_codes = [place + 1 for place, name in enumerate(names) if RUNTIMES[name] is runtime]
        runtime_events = events.take(np.isin(kind, runtime_codes))
        if not len(runtime_events):
            continue
        is_free = kinds[runtime_events.name + 1] == names.index(_FREES) + 1
        for batch in arguments.values(runtime_events.track, runtime_events.ordinal, runtime.names):
            here = runtime_events.take(batch.which)
            arguments_of_batch = runtime.read(batch.values, is_free[batch.which], texts)
            yield Records(here.start, np.full(len(here), here.track, np.int32), here.ordinal, arguments_of_batch, ())


def _in_order(parts: Sequence[Records], texts: Texts) -> Records:
    """All of some parts; what tells of no memory is counted alone."""
    start, ordinal = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, column) for part in parts)])
        for column in ("start", "ordinal")
    )
    track = np.concatenate([np.zeros(0, np.int32), *(part.track for part in parts)])
    all_arguments = AllocationArguments.joined([part.arguments for part in parts])
    order = np.lexsort((ordinal, track, start))
    order = order[all_arguments.memory[order] >= 0]
    ignored = len(start) - len(order)
    return Records(start[order], track[order], ordinal[order], all_arguments.take(order), list(texts), ignored=ignored)
