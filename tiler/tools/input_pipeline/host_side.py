"""Operations of input pipelines on hosts, and how much of the waiting each category explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.host_operations import (
    COPY_TO_DEVICE,
    HostOp,
    HostOperation,
    OpSource,
    host_op,
    host_operations,
    host_threads,
)
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.pages.page import decode_slice_names
from tilescope.tiler.query import EVERYTHING, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.windows import WindowsOf, everywhere


class InputCategory(StrEnum):
    """In the order in which pages list them."""

    ENQUEUE = "enqueue"
    PREPROCESSING = "preprocessing"
    ADVANCED = "advanced"  # files read ahead of their use
    DEMANDED = "demanded"  # files read when they are needed
    UNCLASSIFIED = "unclassified"


_ENQUEUE: Final = "InfeedEnqueue"
_ENQUEUES: Final = frozenset({_ENQUEUE, f"{_ENQUEUE}Tuple", COPY_TO_DEVICE})
_READERS: Final = tuple(
    f"::{reader}" for reader in ("TFRecord", "TextLine", "FixedLengthRecord", "SSTable", "RecordIO", "ArrayRecord")
)
_AHEAD: Final = tuple(
    f"::{stage}" for stage in ("MemoryReader", "MemoryWriter", "Interleave", "Prefetch", "ParallelMap")
)


@dataclass(frozen=True, slots=True)
class HostSide:
    """`operations` by their own time, greatest first; ticks. `explained`: of each category how much of the waiting."""

    operations: Sequence[tuple[HostOperation, InputCategory]]
    explained: dict[InputCategory, int]
    enqueued: tuple[int, int]  # how long input was enqueued, of how long from one to the next

    @property
    def own(self) -> int:
        """The time of all operations without those in them."""
        return sum(operation.own for operation, _ in self.operations)

    def own_of(self, category: InputCategory) -> int:
        """That of a category."""
        return sum(operation.own for operation, input_category in self.operations if input_category is category)


def host_side(
    reader: QueryReader, tracks: frozenset[int], windows_of: WindowsOf, copied: Fraction
) -> Interruptible[HostSide]:
    """Input operations on the threads of hosts among some tracks, in windows. Raises DamagedStore.

    `copied`: the share of the step time that is copying to devices, which stands for enqueuing where there is none.
    """
    threads = [track for track in host_threads(reader) if track in tracks]
    table = yield from host_operations(reader, threads, windows_of)
    operations = [
        (operation, category) for operation in table.operations if (category := _category(operation.op)) is not None
    ]
    operations.sort(key=lambda pair: (-pair[0].own, pair[0].op.name))
    enqueued = yield from _enqueued(reader, table.threads, windows_of) if _enqueues(operations) else _never()
    return HostSide(operations, _explained(operations, enqueued, copied), enqueued)


def _category(op: HostOp) -> InputCategory | None:
    """That of an operation of an input pipeline; None: it is none."""
    if op.type in _ENQUEUES or (op.source is OpSource.STAGE and op.type == "enqueue"):
        return InputCategory.ENQUEUE
    if op.source is OpSource.STAGE and op.type != "read":
        return InputCategory.PREPROCESSING
    if op.source is OpSource.STAGE or (op.source is OpSource.DATASET and op.name.endswith(_READERS)):
        return InputCategory.ADVANCED if any(stage in op.name for stage in _AHEAD) else InputCategory.DEMANDED
    return InputCategory.PREPROCESSING if op.source is OpSource.DATASET else None


def _enqueues(operations: Sequence[tuple[HostOperation, InputCategory]]) -> bool:
    return any(category is InputCategory.ENQUEUE for _, category in operations)


def _never() -> Interruptible[tuple[int, int]]:
    yield
    return 0, 0


# Of so many the pages are looked at: that is less work than to add up their names.
_FEW_EVENTS: Final = 1 << 15

_ENQUEUE_NAMES: Final = RunCache[NDArray[np.bool_]]("enqueues", "Names of operations that enqueue input")


def _enqueued(reader: QueryReader, threads: Sequence[int], windows_of: WindowsOf) -> Interruptible[tuple[int, int]]:
    """Sums over enqueues that another follows on their thread: their durations, and the times from start to start."""
    is_enqueue = _ENQUEUE_NAMES.get(reader)
    if is_enqueue is None:
        unless = ~(yield from reader.names.containing(_ENQUEUE))
        is_enqueue = (yield from reader.names.numbers(_is_enqueue, unless)).astype(np.bool_)
        _ENQUEUE_NAMES.keep(reader, is_enqueue)
    took = apart = 0
    for track in threads:
        if not (yield from _occurs(reader, track, is_enqueue)):
            continue
        plan = reader.plan(track, windows_of(track))
        starts, durations = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for events in Reading(reader).events(plan, plan.leaf_runs):
            is_counted = is_enqueue[events.name + 1] & windows_of(track).hold(events.start)
            starts.append(events.start[is_counted])
            durations.append(events.duration[is_counted])
            yield
        start = np.concatenate(starts)
        order = np.argsort(start, kind="stable")
        took += int(np.concatenate(durations)[order][:-1].sum())
        apart += int(np.diff(start[order]).sum())
    return took, apart


def _is_enqueue(name: Name) -> int:
    op = host_op(name.text)
    return int(op is not None and op.type in (_ENQUEUE, f"{_ENQUEUE}Tuple"))


def _occurs(reader: QueryReader, track: int, names: NDArray[np.bool_]) -> Interruptible[bool]:
    """True if events of some names may be on a track."""
    if reader.tree.tracks[track].events < _FEW_EVENTS:
        try:
            of_block = reader.tiles(track // TRACKS_PER_BLOCK)
        except NotBuilt:
            return False
        starts = np.unique(of_block.page_starts_of(of_block.shape.leaves(track % TRACKS_PER_BLOCK)))
        contents = (reader.page_content(of_block.page_key(start)) for start in starts.tolist())
        return any(bool(names[decode_slice_names(content) + 1].any()) for content in contents)
    try:
        for part in Reading(reader).histogram_parts([track], everywhere(EVERYTHING)):
            if part.has_other_names or bool(names[part.name + 1].any()):
                return True
            yield
    except NotBuilt:
        pass
    return False


def _explained(
    operations: Sequence[tuple[HostOperation, InputCategory]], enqueued: tuple[int, int], copied: Fraction
) -> dict[InputCategory, int]:
    """Ticks by category: its part of the time in which nothing is enqueued; without enqueues, its own time."""
    own = dict.fromkeys(InputCategory, 0)
    for operation, category in operations:
        own[category] += operation.own
    took, apart = enqueued
    enqueue = own.pop(InputCategory.ENQUEUE)
    others = sum(own.values())
    ratio = min(Fraction(took, apart), Fraction(1)) if apart else copied
    waiting = enqueue * (1 - ratio) / ratio if ratio and enqueue else Fraction(others)
    scaled = {category: round(ticks * waiting / others) if others else 0 for category, ticks in own.items()}
    scaled[InputCategory.UNCLASSIFIED] = max(0, round(waiting) - sum(scaled.values())) if not others else 0
    return {InputCategory.ENQUEUE: enqueue, **scaled}
