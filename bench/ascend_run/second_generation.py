"""Folders of generation 2, as torch_npu and MindSpore write them: one of each rank, `*_ascend_pt` or `*_ascend_ms`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.ascend_run import allocations, collective_tables, host_tables, kernel_tables, trace_view
from bench.ascend_run.device_tasks import tasks
from bench.ascend_run.framework import FRAMEWORKS, Label
from bench.ascend_run.training import Training

Pieces = Iterator[bytes]

OUTPUT: Final = "ASCEND_PROFILER_OUTPUT"
_STAMP: Final = "20260101000000123"
_RAW: Final = ("FRAMEWORK/op_range", "PROF_000001_20260101000000123_ABCDEFGH/device_{rank}/data/ts_track.data")


def capture_name(label: Label, rank: int) -> str:
    """Name of the folder of a rank: its host, its process, and when its capture began."""
    return f"node-0_{4100 + rank}_{_STAMP}_ascend_{label}"


def write_ascend(folder: Path, training: Training, label: Label) -> list[Path]:
    """Writes a folder for each rank, and returns these."""
    return [write_rank(folder, training, label, rank) for rank in range(training.shape.ranks)]


def write_rank(folder: Path, training: Training, label: Label, rank: int) -> Path:
    """Writes the folder of a rank; large files piece by piece."""
    top = folder / capture_name(label, rank)
    for name, pieces in rank_files(training, label, rank):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(pieces)
    return top


def rank_files(training: Training, label: Label, rank: int) -> Iterator[tuple[str, Pieces]]:
    """Names and contents."""
    framework, all_tasks = FRAMEWORKS[label], tasks(training, rank)
    yield f"profiler_info_{rank}.json", _text(host_tables.profiler_info(training, framework, rank))
    yield "profiler_metadata.json", _text(host_tables.profiler_metadata(training, rank))
    for raw in _RAW:
        yield raw.format(rank=rank), iter((b"\0raw\n",))
    for name, pieces in _output(training, label, rank):
        yield f"{OUTPUT}/{name}", pieces
    yield f"{OUTPUT}/trace_view.json", trace_view.trace_view(training, framework, rank, all_tasks)
    yield f"{OUTPUT}/kernel_details.csv", kernel_tables.kernel_details(training, framework, rank, all_tasks)
    yield f"{OUTPUT}/l2_cache.csv", kernel_tables.l2_cache(training, framework, rank, all_tasks)
    yield (
        f"{OUTPUT}/data_preprocess.csv",
        _text(kernel_tables.data_preprocess(training.program(rank), rank, all_tasks)),
    )
    yield f"{OUTPUT}/api_statistic.csv", _text(host_tables.api_statistic(rank, all_tasks))
    if label == "pt":
        yield f"{OUTPUT}/operator_details.csv", host_tables.operator_details(training, framework, rank, all_tasks)


def _output(training: Training, label: Label, rank: int) -> Iterator[tuple[str, Pieces]]:
    """Files that know nothing of single tasks."""
    framework, owned = FRAMEWORKS[label], allocations.allocations(training, rank)
    yield "op_statistic.csv", _text(kernel_tables.op_statistic(training, rank))
    yield "step_trace_time.csv", _text(collective_tables.step_trace_time(training, rank))
    yield "communication.json", _text(collective_tables.communication(training, rank))
    yield "communication_matrix.json", _text(collective_tables.communication_matrix(training, rank))
    yield "operator_memory.csv", allocations.operator_memory(training, framework, rank, owned)
    yield "memory_record.csv", allocations.memory_record(rank, owned)
    yield "npu_module_mem.csv", _text(allocations.module_memory(training, rank))


def _text(content: str) -> Pieces:
    return iter((content.encode(),))
