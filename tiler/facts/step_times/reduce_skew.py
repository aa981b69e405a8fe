"""When each all-reduce begins and ends on each core: the core that comes last keeps the others waiting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import QueryReader, Steps
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


def reduce_events(reader: QueryReader, core: TpuCore, starts: Ints, stops: Ints) -> Steps[ReduceEvents]:
    """Those that begin in windows that ascend and share no time. Raises DamagedStore, NotBuilt."""
    lasting = np.flatnonzero(stops > starts)
    begins, ends = starts[lasting], stops[lasting]
    found: list[tuple[Ints, ...]] = []
    for track in core.operations:
        kinds = track_kinds(reader, track)
        if kinds is None or not len(lasting):
            continue
        records, windows = OperationRecords(reader, track, kinds), Windows.of(begins, ends)
        codes = yield from part_codes(reader, track, kinds)
        for number in range(kinds.records):
            if not records.meets(number, windows):
                continue
            of = records.operations(number)
            if ALL_REDUCE_ID not in of.numbers:
                continue
            events = records.events_in(number, len(of), windows)
            row = events.ordinal - records.first(number)
            at, ids = np.searchsorted(begins, events.start, side="right") - 1, of.number(ALL_REDUCE_ID, row)
            known = (codes[of.kind[row]] == _ALL_REDUCE) & (ids >= 0) & (at >= 0)
            known &= events.start < ends[np.maximum(at, 0)]
            some, events = row[known], events.take(known)
            tracks, end = np.full(len(some), track), events.start + events.duration
            found.append(
                (
                    lasting[at[known]],
                    ids[known],
                    events.name,
                    tracks,
                    events.ordinal,
                    events.start,
                    end,
                    of.duration[some],
                )
            )
            yield
    nothing = (np.zeros(0, np.int64),) * 8
    return ReduceEvents(*(np.concatenate(column) for column in zip(nothing, *found, strict=True)))
