"""Sentences about the preparation of data: the stage in doubt, and what to do about the operation that is slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.count_text import count_text, plural
from tilescope.tiler.facts.ascend.data_preparation import (
    OFTEN_EMPTY_PERCENT,
    DataOperation,
    DataPreparation,
    DataStage,
    StepQueue,
)
from tilescope.tiler.percent_text import percent_text

_MAP: Final = "raise num_parallel_workers, and tune what it maps if that is a Python function"
_ADVICE: Final = {
    "map": _MAP,
    "batch": "change prefetch_size",
    "generator": "raise num_parallel_workers, or read from a MindRecordDataset in its place",
}
_READER: Final = "raise num_parallel_workers"
_OTHERS: Final = "raise num_parallel_workers where it has them"
_NAMED: Final = 3

NOT_MERGED: Final = (
    "steps of the host queue, of the data queue and of training are counted apart: they run ahead of each other, so "
    "step 5 of one is not step 5 of another; queues and pipeline are of the whole recording"
)

NO_FILES: Final = (
    "the run has no files of data preparation: its data did not come through mindspore.dataset, or Profiler was called "
    "with data_process=False"
)


def stage_sentence(preparation: DataPreparation) -> str:
    """The verdict with its figures."""
    host, data, stage = preparation.host_queue, preparation.data_queue, preparation.stage_in_doubt
    if host is None or not host.sizes:
        return "the queue of the host was not recorded, so no stage of data preparation can be in doubt"
    emptiness = f"the host queue is empty in {_part(host)}"
    if stage is DataStage.PROCESSING:
        return f"processing of data is slow: {emptiness}, more than {OFTEN_EMPTY_PERCENT} %: {_where(preparation)}"
    if data is None or not data.sizes:
        return f"processing of data keeps up: {emptiness}; the data queue of the device was not recorded"
    waits = f"the data queue is empty in {_part(data)}"
    if stage is DataStage.SENDING:
        fullness = f", and full in {count_text(host.full)}" if host.full else ""
        return (
            f"sending data to the device is in doubt: {waits}, and training waits there, while {emptiness}, no more "
            f"than {OFTEN_EMPTY_PERCENT} %{fullness}"
        )
    return f"data are there when training asks for them: {waits}, and {emptiness}"


def _part(queue: StepQueue) -> str:
    steps = plural(len(queue.sizes), "step", "steps")
    return f"{count_text(queue.empty)} of {steps} ({percent_text(queue.empty / len(queue.sizes), 0)})"


def _where(preparation: DataPreparation) -> str:
    if preparation.pipeline is None or not preparation.pipeline.bottlenecks:
        return "processors say whether more threads would help (see cpu)"
    slow = _names(preparation.pipeline.bottlenecks)
    return f"{slow} first; processors say whether more threads would help (see cpu)"


def operation_advice(operation: DataOperation) -> str:
    """Advice for an operation that keeps the others waiting, by its kind."""
    if "generator" in operation.kind.lower():
        return _ADVICE["generator"]
    if not operation.children:
        return _READER
    return next((words for kind, words in _ADVICE.items() if kind in operation.kind.lower()), _OTHERS)


def bottleneck_sentences(operations: Sequence[DataOperation]) -> list[str]:
    """A sentence for each advice, with the operations that it is for. Ones that nothing follows are the last."""
    by_advice: dict[str, list[DataOperation]] = {}
    for operation in operations:
        by_advice.setdefault(operation_advice(operation), []).append(operation)
    return [
        f"{_names(slow)} {'is the bottleneck' if len(slow) == 1 else 'are the bottlenecks'} of the pipeline: {advice}"
        for advice, slow in by_advice.items()
    ]


def circle_sentence(operations: Sequence[DataOperation]) -> str:
    """Damage of a pipeline: operations that take from each other."""
    return (
        f"data go in a circle at {_names(operations)}, as they do in no pipeline: its file is damaged, and which "
        "operation is slow cannot be told"
    )


def _names(operations: Sequence[DataOperation]) -> str:
    names = ", ".join(operation.name for operation in operations[:_NAMED])
    return names if len(operations) <= _NAMED else f"{names} and {len(operations) - _NAMED:,} more"
