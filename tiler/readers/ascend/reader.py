"""Reads a file of an Ascend profiler beside its timeline: rows are kept as a table, and drawn where they have times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from tilescope.tiler.columns import DeviceClock, DeviceFile, EventChunk, JobRank, TraceSummary
from tilescope.tiler.readers.ascend.counter_rows import CounterRows
from tilescope.tiler.readers.ascend.csv_table import CsvTable
from tilescope.tiler.readers.ascend.families import family_of, rank_in_name, stem_of
from tilescope.tiler.readers.ascend.json_tables import json_family, json_tables
from tilescope.tiler.readers.ascend.memory_samples import MEMORY_FAMILIES, MemorySamples
from tilescope.tiler.readers.ascend.neighbours import Neighbours
from tilescope.tiler.readers.ascend.queue_samples import QUEUE_FAMILY, queue_samples
from tilescope.tiler.readers.ascend.step_trace import TICK_NS, StepTraceRows
from tilescope.tiler.readers.ascend.text_table import TextTable, text_family
from tilescope.tiler.readers.ascend.timeline_data import TimelineData
from tilescope.tiler.readers.layouts.ascend_names import device_place
from tilescope.tiler.readers.left_out import NOT_DRAWN
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.records.cells import Cells

ID: Final = "ascend_table"

_OF_COUNTER: Final = 3  # certainty of a counter about the origin of its device's clock

_COUNTER: Final = "min_cycle_counter"

Drawing = StepTraceRows | TimelineData | MemorySamples


class AscendTableReader:
    """A `Reader` of one file."""

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> None:
        self.size_bytes = source.size_bytes
        self._source = source
        self._scratch_dir = scratch_dir
        self._room = room or Room()
        self._summary = TraceSummary(ID)
        self._neighbours = Neighbours(())
        rank = rank_in_name(source.path)
        place = device_place(source.path)
        self._device = place.device if rank is None else str(rank)
        self._capture = place.capture

    def take_neighbours(self, neighbours: Neighbours, rank: JobRank | None) -> None:
        """Takes the files of its run, and the rank that files beside it say. Before everything else."""
        self._neighbours = neighbours
        self._summary.rank = rank

    def chunks(self) -> Iterator[EventChunk]:
        """Slices of rows that have times; empty ones for progress. Raises TraceError."""
        stem = stem_of(self._source.path)
        if json_family(stem):
            self._summary.tables, self._summary.warnings = json_tables(self._source, self._scratch_dir, self._room)
        elif text_family(stem):
            yield from self._text()
        else:
            yield from self._csv()
        rank = self._summary.rank
        if rank is not None:
            self._summary.tables = [replace(table, rank=rank.number) for table in self._summary.tables]
        if self._device or rank is not None:
            streams = [""] * len(self._summary.tracks)
            self._summary.device_file = DeviceFile(self._capture, self._device, streams)

    def bytes_read(self) -> int:
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        # A copy: tracks that are described later belong to no rows of a snapshot.
        return replace(self._summary, counts=copy(self._summary.counts))

    def close(self) -> None:
        self._source.close()

    def _text(self) -> Iterator[EventChunk]:
        text = TextTable(self._source, self._scratch_dir)
        for _ in text.read():
            yield _NO_EVENTS
        self._summary.tables = text.tables
        self._summary.warnings = text.notes()
        if text_family(stem_of(self._source.path)) == QUEUE_FAMILY:
            rows = CounterRows("Data queues", "")
            for table in text.tables:
                for chunk in queue_samples(rows, table):
                    rows.describe(self._summary)
                    yield chunk
            self._summary.ignored = dict(+rows.ignored)
            self._set_clock(None, 0)
        if text_family(stem_of(self._source.path)) == _COUNTER:
            ticks = _whole(text.first_row[0] if text.first_row else None)
            if ticks is None:
                self._summary.warnings.append("the counter is no whole number of ticks")
            else:
                self._set_clock(ticks * TICK_NS, _OF_COUNTER)

    def _csv(self) -> Iterator[EventChunk]:
        chunks: list[EventChunk] = []
        drawing: Drawing | None = None
        why_not = ""

        def on_rows(columns: Sequence[str], cells: Sequence[Cells]) -> None:
            nonlocal drawing, why_not
            if drawing is None:
                drawing = self._drawing(family_of(columns, self._source.path))
                why_not = self._why_not(drawing)
            if drawing is not None:
                chunks.extend(drawing.chunks(columns, cells))

        csv = CsvTable(self._source, self._scratch_dir, on_rows)
        for _ in csv.read():
            if drawing is not None and not why_not:
                drawing.describe(self._summary)
                yield from chunks
            chunks.clear()
            yield _NO_EVENTS
        self._summary.tables = [] if csv.table is None else [csv.table]
        self._summary.warnings = csv.notes()
        if drawing is not None:
            if not isinstance(drawing, MemorySamples) and drawing.rows.slices:
                self._set_clock(drawing.rows.least_ns, drawing.certainty)
            self._summary.ignored = dict(+drawing.ignored)
        if why_not:
            self._summary.warnings.append(f"{NOT_DRAWN}{why_not}")

    def _drawing(self, family: str) -> Drawing | None:
        if family == "step_trace_raw":
            return StepTraceRows(self._device)
        if family in MEMORY_FAMILIES:
            return MemorySamples(family)
        return TimelineData(self._device) if family == "timeline_data" else None

    def _why_not(self, drawing: Drawing | None) -> str:
        """The reason for which rows are not drawn; empty if they are."""
        path, neighbours = self._source.path, self._neighbours
        is_joined = neighbours.has_clock(path) or neighbours.timeline_of(path) is None
        return "no file says where its clock begins" if isinstance(drawing, StepTraceRows) and not is_joined else ""

    def _set_clock(self, origin_ns: int | None, certainty: int) -> None:
        key = f"{self._source.path.parent.as_posix()}/{self._device}"
        self._summary.device_clock = DeviceClock(key, origin_ns, certainty)


def _whole(text: str | None) -> int | None:
    """A whole number, also as `43806841592.0`."""
    whole, _, rest = (text or "").partition(".")
    return int(whole) if whole.isdecimal() and whole.isascii() and len(whole) < 18 and not rest.strip("0") else None


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
