"""Writes what the operations of devices are, while their arguments are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details.wire import varint
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.device_lines import is_work_line
from tilescope.tiler.indexing.device.step_sum_makers import StepSumMakers
from tilescope.tiler.indexing.tracks.findings import Findings
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.pages import compress, compress_container
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS
from tilescope.tiler.records.device.operation_maker import OperationMaker, pieces
from tilescope.tiler.records.device.operation_sum_maker import OperationSumMaker
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry

_VARINT_BYTES: Final = 10


def operation_tables(recording: Recording, track: BuiltTrack) -> XStatTables | None:
    """The metadata of a track whose events are operations: of lines on which devices work. None for other tracks."""
    place = track.place
    summary = recording.run.files[place.file].summary
    process = summary.processes[summary.tracks[place.source].process]
    if place.kind != TrackKind.SLICE or not (process.is_device and is_work_line(place.name) and len(track.data.args)):
        return None
    tables = recording.tables.tables_of(place.file)
    return tables if isinstance(tables, XStatTables) else None


class OperationRecorder(RecordMaker):
    """Operations, their kinds and their sums; and the arguments of their events, which say nothing that is in these."""

    records: ClassVar[tuple[Record, ...]] = (KINDS, OPERATIONS, OPERATION_SUMS, STEP_SUMS, GRAPH_EXECUTIONS)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._by_track: dict[int, int] = {}  # how many there are of each track that has any
        self._step_sums = StepSumMakers(recording.run, recording.working)

    def add(self, track: BuiltTrack) -> Iterator[Entry]:
        """All records of a track."""
        tables = operation_tables(self._recording, track)
        if tables is None:
            return
        place, data = track.place, track.data
        metadata, _ = varint(np.asarray(data.args[:_VARINT_BYTES]).tobytes(), 0)
        maker = OperationMaker(tables, int(tables.plane[metadata]), self._recording.run.timeline.tick_ps)
        sum_maker = OperationSumMaker()
        in_steps = self._step_sums.maker_for(place)
        kind_count = 0
        for piece in pieces(len(data)):
            begin = int(data.args_end[piece.start - 1]) if piece.start else 0
            ends, start, duration = (
                np.ascontiguousarray(column[piece], np.int64) for column in (data.args_end, data.start, data.duration)
            )
            made, chunks = maker.add_with_arguments(ends, begin, data.args, start, duration)
            sum_maker.add(made, start, duration)
            if in_steps is not None:
                more = maker.metadata_from(kind_count)
                if len(more):
                    kind_count += len(more)
                    in_steps.add_kinds(more)
                in_steps.add(made, start, duration)
            yield OPERATIONS.key(place.id, piece.start), compress_container(made.encode(place.id))
            for first, chunk in chunks:
                yield ARGUMENTS.key(place.id, piece.start + first), chunk
        self._by_track[place.id] = len(data)
        kinds = maker.kinds()
        yield KINDS.key(place.id), compress(kinds.encode())
        graphs = maker.graph_executions()
        if graphs is not None:
            yield GRAPH_EXECUTIONS.key(place.id), compress(graphs.encode())
        sums = sum_maker.finish(len(kinds.kinds))
        if sums is not None:
            yield OPERATION_SUMS.key(place.id), compress(sums.encode(place.id))
        by_step = None if in_steps is None else in_steps.finish()
        if by_step is not None:
            yield STEP_SUMS.key(place.id), compress(by_step.encode(place.id))

    def report(self, findings: Findings) -> None:
        """Adds how many operations tracks have."""
        findings.operations_by_track = self._by_track
