"""Durations of slices by the clock of their device, which is finer than the timeline's."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.division import TimeFrames, counted_division
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS
from tilescope.tiler.store.two_threads import worked_aside

Ints = NDArray[np.int64]


def device_durations(reader: QueryReader, track: Ints, ordinal: Ints) -> Interruptible[Ints]:
    """Durations of slices by their tracks and ordinals (n,), ps; -1 where the device does not tell them.

    Raises DamagedStore.
    """
    durations = np.full(len(track), -1, np.int64)
    for slice_track in np.unique(track).tolist():
        kinds = None if slice_track < 0 else track_kinds(reader, slice_track)
        if kinds is None:
            continue
        records = OperationRecords(reader, slice_track, kinds)
        which = np.flatnonzero(track == slice_track)
        number, place = np.divmod(ordinal[which], CHUNK_OPERATIONS)
        for record in np.unique(number).tolist():
            in_record = number == record
            durations[which[in_record]] = records.durations(record, place[in_record])
            yield
    return durations


def has_device_clock(reader: QueryReader, track: int) -> bool:
    """True if the operations of a track have times of the device's clock, which are not those of the timeline."""
    kinds = None if track < 0 else track_kinds(reader, track)
    return kinds is not None and kinds.records > 0 and kinds.first_ps != int(kinds.start[0]) * reader.tick_ps


def idle_ticks(reader: QueryReader, core: TpuCore, starts: Ints, stops: Ints) -> Interruptible[Ints]:
    """Ticks in which no operation of a core runs, by window (n,). Windows ascend and share no time; some may be empty.

    Raises DamagedStore, NotBuilt.
    """
    tracks = [
        work_track
        for device in (yield from devices_of(reader))
        for work_track in device.tracks
        if work_track.track in core.operations
    ]
    idle = stops - starts
    lasting = np.flatnonzero(idle > 0)  # an empty one may lie within another
    stretches = TimeFrames(starts[lasting], stops[lasting])
    pieces = Busy(reader, tracks).unsorted_pieces(stretches.windows)
    for division in worked_aside(pieces, partial(counted_division, stretches=stretches)):
        if division is not None:
            idle[lasting[division.stretches.numbers]] -= division.ticks.sum(axis=0)
        yield
    return idle
