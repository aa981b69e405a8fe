"""Samples of `minddata_aicpu`: the size of a data queue when a step asks it for data, in microseconds of the device."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilescope.tiler.columns import EventChunk, SideTable
from tilescope.tiler.readers.ascend.counter_rows import CounterRows, samples_of
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, times
from tilescope.tiler.records.column_blocks import decode_blocks

QUEUE_FAMILY = "minddata_aicpu"


def queue_samples(rows: CounterRows, table: SideTable) -> Iterator[EventChunk]:
    """The samples of a table, chunk by chunk."""
    for chunk in table.chunks():
        cells = dict(zip((column.name for column in table.columns), decode_blocks(chunk), strict=True))
        stamps = times(cells["start_time"], MICROSECOND_DIGITS)
        rows.ignored["rows_without_times"] += int(np.count_nonzero(~stamps.fits))
        yield rows.chunk(samples_of(cells["node"], None, stamps), "queue size", cells["queue_size"])
