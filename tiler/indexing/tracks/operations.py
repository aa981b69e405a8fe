"""Writes what the operations of devices are, while their arguments are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details.wire import varint
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.device_lines import is_work_line
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.decoding_tables import DecodingTables
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.operation_sums import OperationSumMaker
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.indexing.tracks.step_sum_makers import StepSumMakers
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress, compress_container
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.device.operation_maker import OperationMaker, pieces
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.store.store import Entry

_VARINT_BYTES: Final = 10


class OperationWriter:
    """Looks at each track once, from any thread."""

    def __init__(self, run: RunFiles, tables: DecodingTables, scratch: Scratch) -> None:
        self.per_track: dict[int, int] = {}  # how many there are of each track that has any
        self._run = run
        self._tables = tables
        self._step_sums = StepSumMakers(run, scratch)

    def entries(self, track: PlacedTrack, data: TrackData) -> Iterator[Entry]:
        """The records of a track's operations: of lines on which devices work, in files whose metadata has stats.

        And the chunks of its arguments, which say nothing that is in these records.
        """
        tables = self._tables_of(track, data)
        if tables is None:
            return
        metadata, _ = varint(np.asarray(data.args[:_VARINT_BYTES]).tobytes(), 0)
        maker = OperationMaker(tables, int(tables.plane[metadata]), self._run.timeline.tick_ps)
        sum_maker = OperationSumMaker()
        in_steps = self._step_sums.maker_for(track)
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
            yield OPERATIONS.key(track.id, piece.start), compress_container(made.encode(track.id))
            for place, chunk in chunks:
                yield ARGUMENTS.key(track.id, piece.start + place), chunk
        self.per_track[track.id] = len(data)
        kinds = maker.kinds()
        yield KINDS.key(track.id), compress(kinds.encode())
        sums = sum_maker.finish(len(kinds.kinds))
        if sums is not None:
            yield OPERATION_SUMS.key(track.id), compress(sums.encode(track.id))
        by_step = None if in_steps is None else in_steps.finish()
        if by_step is not None:
            yield STEP_SUMS.key(track.id), compress(by_step.encode(track.id))

    def takes(self, track: PlacedTrack, data: TrackData) -> bool:
        """True if a track has such records, and with them its arguments."""
        return self._tables_of(track, data) is not None

    def _tables_of(self, track: PlacedTrack, data: TrackData) -> XStatTables | None:
        summary = self._run.files[track.file].summary
        process = summary.processes[summary.tracks[track.source].process]
        if track.kind != TrackKind.SLICE or not (process.is_device and is_work_line(track.name) and len(data.args)):
            return None
        tables = self._tables.tables_of(track.file)
        return tables if isinstance(tables, XStatTables) else None
