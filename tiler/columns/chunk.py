"""Chunks that a reader yields: events as columns.

One type for all formats, so that the stages after the readers know nothing of formats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

import numpy as np
from numpy.typing import NDArray


class Phase(IntEnum):
    """Meaning of one row of a chunk. BEGIN and END are paired later, per track and key."""

    COMPLETE = 0  # slice with a duration
    BEGIN = 1
    END = 2
    INSTANT = 3
    COUNTER = 4
    FLOW_START = 5
    FLOW_STEP = 6
    FLOW_END = 7


class EventFlag(IntFlag):
    """Marks that a reader or the pairing puts on an event. Those of slices have the bits of pages' SliceFlag."""

    NONE = 0
    BIND_ENCLOSING = 1  # a flow end that binds to the enclosing slice
    OPEN = 2  # the trace ended before the slice did
    RENAMED = 4  # begin and end have different names
    AGGREGATED = 8  # stands for many occurrences (XEvent.num_occurrences)
    CLAMPED = 16  # a negative duration was set to 0
    NO_DURATION = 32  # a complete event without a duration, kept as an instant
    STEP = 64  # a step annotation: its arguments have the number of the step


@dataclass(frozen=True, slots=True)
class EventChunk:
    """Columns of n events of one file, in file order.

    Times are exact: `time_ns` is nanoseconds since the epoch (or since whatever the file counts from), `time_ps` the
    picoseconds beyond it, 0 to 999; None means 0 throughout. Durations likewise, never negative.
    """

    track: NDArray[np.int32]  # (n,) index into TraceSummary.tracks
    phase: NDArray[np.uint8]  # (n,) Phase
    time_ns: NDArray[np.int64]  # (n,)
    time_ps: NDArray[np.int16] | None  # (n,)
    duration_ns: NDArray[np.int64]  # (n,) 0 unless COMPLETE
    duration_ps: NDArray[np.int16] | None  # (n,)
    name: NDArray[np.int32]  # (n,) index into TraceSummary.names; -1: an END without a name
    # (n,) number of the async pairing key or flow id, -1 where there is none; below -1 the correlation of a slice:
    # see tiler/indexing/reading/correlations.py
    key: NDArray[np.int64] | None
    value: NDArray[np.float64] | None  # (n,) of COUNTER
    flags: NDArray[np.uint8]  # (n,) EventFlag
    args_end: NDArray[np.int64]  # (n,) end of each event's arguments in `args`; they start where the event before ends
    args: NDArray[np.uint8]  # (m,) arguments as the codec of the format has them

    def __len__(self) -> int:
        return len(self.track)
