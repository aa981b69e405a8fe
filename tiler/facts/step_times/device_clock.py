"""Durations of slices by the clock of their device, which is finer than the timeline's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS

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
