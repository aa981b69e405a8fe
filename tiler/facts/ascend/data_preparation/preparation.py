"""Preparation of data for each device: its two queues, the pipeline behind them, and which stage is in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilescope.tiler.facts.ascend.data_preparation.nodes import NODE_TABLE
from tilescope.tiler.facts.ascend.data_preparation.pipeline import (
    PIPELINE_INTERVAL,
    PIPELINE_JSON,
    PIPELINE_TABLE,
    DataPipeline,
    data_pipeline,
)
from tilescope.tiler.facts.ascend.data_preparation.queues import (
    DATA_QUEUE,
    HOST_QUEUES,
    StepQueue,
    data_queue,
    host_queue,
)
from tilescope.tiler.facts.ascend.table_places import RankPlace, left_out, tables_by_rank
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache

OFTEN_EMPTY_PERCENT: Final = 30  # of batches that find the host queue empty: more is slow processing

# Tables of MindSpore's first profiler about anything else.
_FIRST_GENERATION: Final = (
    "step_trace_raw",
    "framework_raw",
    "timeline_data",
    "aicore_details",
    "aicore_types",
    "flops",
)

_VALUE_BYTES: Final = 40  # an integer in a list
_OPERATION_VALUES: Final = 20  # for so many an operation takes memory

_FAMILIES: Final = (*DATA_QUEUE, *HOST_QUEUES, PIPELINE_TABLE, PIPELINE_JSON)


class DataStage(StrEnum):
    """Stages on the way of data, in their order."""

    PROCESSING = "processing"
    SENDING = "sending"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class DataPreparation:
    """Recorded parts of one device; None: no file has it."""

    place: RankPlace
    data_queue: StepQueue | None
    host_queue: StepQueue | None
    pipeline: DataPipeline | None

    @property
    def has_queues(self) -> bool:
        """True if a stage can be in doubt."""
        return bool(self.host_queue and self.host_queue.sizes)

    @property
    def stage_in_doubt(self) -> DataStage | None:
        """The stage that keeps the next ones waiting; None: no stage does, or `has_queues` is False."""
        host, data = self.host_queue, self.data_queue
        if host is None or not host.sizes:
            return None
        if 100 * host.empty > OFTEN_EMPTY_PERCENT * len(host.sizes):
            return DataStage.PROCESSING
        return DataStage.SENDING if data is not None and data.empty else None

    @property
    def steps_in_doubt(self) -> dict[DataStage, int]:
        """Steps that may have waited for a stage: those that find the queue behind it empty."""
        host, data = self.host_queue, self.data_queue
        steps: dict[DataStage, int] = {}
        if host is not None and host.sizes:
            steps[DataStage.PROCESSING] = host.empty
        if data is not None and data.sizes:
            steps[DataStage.SENDING] = data.empty
        return steps


def has_data_preparation(reader: QueryReader) -> bool:
    """True if a run has tables of it, or operators that fetch data. Raises StoredLast while indexed, DamagedStore."""
    return bool(run_tables(reader, *_FAMILIES, NODE_TABLE))


def preparations_left_out(reader: QueryReader) -> str:
    """A sentence with the files that `data_preparations` leaves out; empty: none. Raises as above."""
    return left_out(reader, _FAMILIES)


def lacks_data_preparation(reader: QueryReader) -> bool:
    """True if MindSpore's first profiler recorded a run, and nothing of how its data are prepared. Raises as above."""
    return not has_data_preparation(reader) and bool(run_tables(reader, *_FIRST_GENERATION))


def data_preparations(reader: QueryReader) -> Interruptible[list[DataPreparation]]:
    """Preparation of data for each device, by rank. Raises StoredLast while the run is indexed, DamagedStore."""
    kept: list[DataPreparation] | None = _PREPARATIONS.get(reader)
    if kept is not None:
        return kept
    preparations = []
    for place, tables in tables_by_rank(reader, (*_FAMILIES, PIPELINE_INTERVAL)).items():
        data = _first(tables, *DATA_QUEUE)
        host = _first(tables, *HOST_QUEUES)
        pipeline = _first(tables, PIPELINE_TABLE, PIPELINE_JSON)
        if data is None and host is None and pipeline is None:
            continue
        preparations.append(
            DataPreparation(
                place,
                None if data is None else (yield from data_queue(data)),
                None if host is None else (yield from host_queue(host)),
                None if pipeline is None else (yield from data_pipeline(pipeline, tables.get(PIPELINE_INTERVAL))),
            )
        )
    return _PREPARATIONS.keep(reader, preparations)


def _size_bytes(preparations: list[DataPreparation]) -> int:
    values = 0
    for preparation in preparations:
        for queue in (preparation.data_queue, preparation.host_queue):
            if queue is not None:
                values += len(queue.steps) + len(queue.sizes) + sum(map(len, queue.times.values()))
        if preparation.pipeline is not None:
            values += sum(_OPERATION_VALUES + len(operation.sizes) for operation in preparation.pipeline.operations)
    return values * _VALUE_BYTES


_PREPARATIONS: Final = RunCache[list[DataPreparation]]("data_preparations", "Queues and pipelines of data", _size_bytes)


def _first(tables: dict[str, RunTable], *families: str) -> RunTable | None:
    return next((tables[family] for family in families if family in tables and len(tables[family])), None)
