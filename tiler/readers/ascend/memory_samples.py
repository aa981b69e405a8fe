"""Samples of `memory_record` and `npu_module_mem`: counters of each component of a device, in bytes.

Sizes are decimals of MB: each becomes the double that is nearest to it, times 2^20, which is exact. Times are those of
the epoch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.readers.ascend.counter_rows import CounterRows, samples_of
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, header_times
from tilescope.tiler.records.cells import Cells

# What the process of their counters is called.
MEMORY_FAMILIES: Final = {"memory_record": "Memory", "npu_module_mem": "Memory of modules"}

_SIZE: Final = re.compile(r"(Total \w+)\s*\((MB|KB)\)", re.IGNORECASE)
_BYTES: Final = {"MB": 1 << 20, "KB": 1 << 10}


class MemorySamples:
    """Makes samples of rows."""

    def __init__(self, family: str) -> None:
        self.rows = CounterRows(MEMORY_FAMILIES[family], "bytes")

    @property
    def ignored(self) -> Counter[str]:
        """Counts of what is no sample, by why."""
        return self.rows.ignored

    def describe(self, summary: TraceSummary) -> None:
        """Adds what was read so far."""
        self.rows.describe(summary)

    def chunks(self, columns: Sequence[str], cells: Sequence[Cells]) -> Iterator[EventChunk]:
        """The samples of a chunk of rows, column by column; none where the time or the component is missing."""
        places = {plain_header(column): place for place, column in reversed([*enumerate(columns)])}
        if "timestamp" not in places or "component" not in places:
            return
        place = places["timestamp"]
        stamps = header_times(cells[place], columns[place], MICROSECOND_DIGITS)
        self.ignored["rows_without_times"] += int(np.count_nonzero(~stamps.fits))
        device = places.get("device", places.get("devicetype"))
        rows = samples_of(cells[places["component"]], None if device is None else cells[device], stamps)
        for place, column in enumerate(columns):
            match = _SIZE.fullmatch(column.strip())
            if match is not None:
                yield self.rows.chunk(rows, match[1], cells[place], _BYTES[match[2].upper()])
