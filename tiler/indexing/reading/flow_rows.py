"""The flow ends of a track as a reader gives them: what is left to bind to slices and to join by their keys."""

from __future__ import annotations

from typing import cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventFlag, Phase, SliceFlowEnds
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import Scratch, parts

Ints = NDArray[np.int64]


class FlowRows(Struct, frozen=True):
    """Columns of shape (n,), in file order."""

    phase: NDArray[np.uint8]  # FLOW_START, FLOW_STEP or FLOW_END
    tick: Ints
    key: Ints  # flow id, -1: none
    flags: NDArray[np.uint8]  # EventFlag
    ordinal: Ints | None  # slice of the same track that each belongs to; None: they are bound by their times

    def __len__(self) -> int:
        return len(self.phase)


def flow_rows(
    events: TimedEvents, source: Ints | None, scratch: Scratch, end_source: Ints | None = None
) -> FlowRows | None:
    """The flow ends among a track's events; None when there are none.

    `source[ordinal]` is the event that began a slice of the track, `end_source[ordinal]` the one that ended it, or -1:
    where slices and flow ends stand together, a flow end belongs to the event before it. None: the track is a carrier
    and has no slices; no slice has an end of its own.
    """
    rows = np.flatnonzero(events.phase >= Phase.FLOW_START)
    if not len(rows):
        return None
    key = np.full(len(rows), -1, np.int64) if events.key is None else scratch.pick(events.key, rows)
    return FlowRows(
        scratch.pick(events.phase, rows),
        scratch.pick(events.start, rows),
        key,
        scratch.pick(events.flags, rows),
        None if source is None else _ordinals_before(rows, len(events), source, end_source, scratch),
    )


def bound_rows(ends: SliceFlowEnds, source: Ints | None, scratch: Scratch) -> FlowRows:
    """The flow ends that stand beside a track's slices.

    `source[ordinal]` is the row of a slice; None: that is its ordinal.
    """
    ordinal = ends.slice if source is None else scratch.pick(_inverse(source, len(source), scratch), ends.slice)
    flags = scratch.fill(len(ends.phase), np.dtype(np.uint8), lambda part: np.zeros(part.stop - part.start, np.uint8))
    return FlowRows(ends.phase, ends.tick, ends.key, flags, ordinal)


def binds_to_next(rows: FlowRows, part: slice) -> NDArray[np.bool_]:
    """True for each of these ends that binds to the slice that begins next, and not to the one around it."""
    enclosing = (rows.flags[part] & EventFlag.BIND_ENCLOSING) != 0
    to_next: NDArray[np.bool_] = (rows.phase[part] == Phase.FLOW_END) & ~enclosing
    return to_next


def bound_slices(tick: Ints, to_next: NDArray[np.bool_], start: Ints, innermost: _native.InnermostSlices) -> Ints:
    """The position of the slice that each end binds to, shape (n,); -1: there is none.

    `start`: of slices in canonical order, which `innermost` goes through. `to_next`: ends that bind to what comes next.
    """
    ordinal = np.full(len(tick), -1, np.int64)
    following = np.searchsorted(start, tick[to_next])
    ordinal[to_next] = np.where(following < len(start), following, -1)
    others = np.flatnonzero(~to_next)
    others = others[np.argsort(tick[others], kind="stable")]
    ordinal[others] = innermost.of(tick[others])
    return ordinal


def _ordinals_before(rows: Ints, n_events: int, source: Ints, end_source: Ints | None, scratch: Scratch) -> Ints:
    """The ordinal of the slice whose begin or end stands before each run of flow ends; -1 where it is of none."""
    ordinal_of = _inverse(source, n_events + 1, scratch)
    if end_source is not None:
        for part in parts(len(end_source)):
            ended = part.start + np.flatnonzero(end_source[part] >= 0)
            ordinal_of[end_source[ended]] = ended
    ordinals = cast(Ints, scratch.empty(len(rows), np.int64))
    before, run = -2, 0  # the row before the part, and the first of its run
    for part in parts(len(rows)):
        here = rows[part]
        begins = np.diff(here, prepend=before) != 1
        first_of_run = np.maximum.accumulate(np.where(begins, here, run))
        before, run = int(here[-1]), int(first_of_run[-1])
        # The last place stays -1: that of the event before the first.
        ordinals[part] = ordinal_of[first_of_run - 1]
    return ordinals


def _inverse(source: Ints, n: int, scratch: Scratch) -> Ints:
    """Ordinal of each of `n` rows, shape (n,); -1 where it made no slice."""
    ordinal_of = scratch.fill(n, np.dtype(np.int64), lambda p: np.full(p.stop - p.start, -1, np.int64))
    for part in parts(len(source)):
        ordinal_of[source[part]] = np.arange(part.start, part.stop)
    return ordinal_of
