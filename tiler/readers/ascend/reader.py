"""Reads a file of an Ascend profiler that is no timeline: it has no events, and its rows are kept as a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.readers.ascend.csv_table import CsvTable
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.source import ByteSource

ID: Final = "ascend_table"


class AscendTableReader:
    """A `Reader` of one file."""

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> None:
        self.size_bytes = source.size_bytes
        self._source = source
        self._scratch_dir = scratch_dir
        self._summary = TraceSummary(ID)

    def chunks(self) -> Iterator[EventChunk]:
        """Empty ones, for progress: the file is read meanwhile. Raises TraceError."""
        csv = CsvTable(self._source, self._scratch_dir)
        for _ in csv.read():
            yield _NO_EVENTS
        self._summary.tables = [] if csv.table is None else [csv.table]
        self._summary.warnings = csv.notes()

    def bytes_read(self) -> int:
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        return self._summary

    def close(self) -> None:
        self._source.close()


_NO_EVENTS: Final = EventChunk(
    track=np.zeros(0, np.int32),
    phase=np.zeros(0, np.uint8),
    time_ns=np.zeros(0, np.int64),
    time_ps=None,
    duration_ns=np.zeros(0, np.int64),
    duration_ps=None,
    name=np.zeros(0, np.int32),
    key=None,
    value=None,
    flags=np.zeros(0, np.uint8),
    args_end=np.zeros(0, np.int64),
    args=np.zeros(0, np.uint8),
)
