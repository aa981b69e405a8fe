"""Work of devices that a slice launched, itself or by the slices in it: how much, and the first of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.lookup.launches import launched_work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.launches import Launches
from tilescope.tiler.tools.nesting.family import slices_at
from tilescope.tiler.tools.nesting.launch_context import TrackSlice
from tilescope.tiler.tools.nesting.row_slices import RowSlice
from tilescope.tiler.windows import Windows

# Launches that are looked up: those of an operator or a step, not those of a whole run.
MOST_CALLS: Final = 10_000
MOST_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class LaunchedSlices:
    """Slices of devices that were launched in one slice of the host, each once."""

    count: int
    ticks: int  # their durations, added up: several may run at once
    first: list[TrackSlice]  # at most MOST_LISTED, by start


def launched_work_in(reader: QueryReader, track: int, launching: RowSlice) -> Interruptible[LaunchedSlices | None]:
    """Work whose launches are this slice, or start in it on rows below; None where more launches than that are near.

    Raises DamagedStore; while the run is indexed there is none yet.
    """
    nothing = LaunchedSlices(0, 0, [])
    if not reader.is_whole:
        return nothing
    window = Windows.single(launching.start, max(launching.end, launching.start + 1))
    _, last = reader.ordinals_near(track, window)
    parts: list[Launches] = []
    for part in launched_work(reader.store, track, launching.ordinal, last):
        parts.append(part)
        if sum(map(len, parts)) > MOST_CALLS:
            return None
        yield
    pairs = Launches.join(parts) if parts else None
    if pairs is None or not len(pairs):
        return nothing
    calls = yield from slices_at(reader, track, np.unique(pairs.ordinal))
    is_in = (calls.start < launching.end) & (calls.row > launching.row)
    ordinals = calls.ordinal[is_in | (calls.ordinal == launching.ordinal)]
    pairs = pairs.take(np.isin(pairs.ordinal, ordinals))
    count = ticks = 0
    first: list[TrackSlice] = []
    for work_track in np.unique(pairs.partner_track).tolist():
        of_track = np.unique(pairs.partner_ordinal[pairs.partner_track == work_track])
        work = yield from slices_at(reader, work_track, of_track)
        count += len(work)
        ticks += sum(work.duration.tolist())  # which may be beyond 64 bits
        first += [TrackSlice(work_track, RowSlice.from_events(work, row)) for row in range(min(len(work), MOST_LISTED))]
    first.sort(key=lambda work: (work.slice.start, work.track, work.slice.ordinal))
    return LaunchedSlices(count, ticks, first[:MOST_LISTED])
