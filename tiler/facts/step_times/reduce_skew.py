"""Begin and end of each all-reduce on each core: the core that comes last keeps the others waiting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_ALL_REDUCE: Final = PART_CODES[StepPart.ALL_REDUCE_COMPUTE]


@dataclass(frozen=True, slots=True)
class ReduceEvents:
    """All-reduces of a core, a row for each that begins in a window; columns (n,)."""

    window: Ints
    id: Ints
    name: Ints  # name id
    track: Ints  # and ordinal: of its event
    ordinal: Ints
    begin: Ints  # ticks
    end: Ints
    ps: Ints  # how long it takes on the device

    def __len__(self) -> int:
        return len(self.id)


def reduce_events(reader: QueryReader, core: TpuCore, starts: Ints, stops: Ints) -> Interruptible[ReduceEvents]:
    """All-reduces that begin in windows that ascend and share no time. Raises DamagedStore, NotBuilt."""
    lasting = np.flatnonzero(stops > starts)
    begins, ends = starts[lasting], stops[lasting]
    parts: list[tuple[Ints, ...]] = []
    for track in core.operations:
        kinds = track_kinds(reader, track)
        if kinds is None or not len(lasting):
            continue
        records, windows = OperationRecords(reader, track, kinds), Windows.from_spans(begins, ends)
        codes = yield from part_codes(reader, track, kinds)
        for number in range(kinds.records):
            if not records.meets(number, windows):
                continue
            operations = records.operations(number)
            if ALL_REDUCE_ID not in operations.numbers:
                continue
            events = records.events_in(number, len(operations), windows)
            row = events.ordinal - records.first(number)
            window = np.searchsorted(begins, events.start, side="right") - 1
            ids = operations.number(ALL_REDUCE_ID, row)
            is_reduce = (codes[operations.kind[row]] == _ALL_REDUCE) & (ids >= 0) & (window >= 0)
            is_reduce &= events.start < ends[np.maximum(window, 0)]
            reduce_rows, events = row[is_reduce], events.take(is_reduce)
            tracks, end = np.full(len(reduce_rows), track), events.start + events.duration
            parts.append(
                (
                    lasting[window[is_reduce]],
                    ids[is_reduce],
                    events.name,
                    tracks,
                    events.ordinal,
                    events.start,
                    end,
                    operations.duration[reduce_rows],
                )
            )
            yield
    nothing = (np.zeros(0, np.int64),) * 8
    return ReduceEvents(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))
