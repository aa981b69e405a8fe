"""A base folder of many trainings with small files, for lists."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from bench.ascend_run.first_generation import rank_files
from bench.ascend_run.shape import START_NS, AscendShape
from bench.ascend_run.training import Training

_LEFT_OUT: Final = (
    "output_op_compute_time", "output_data_preprocess", "output_format", "dynamic_shape", "memory_usage",
    "parallel_strategy",
)  # fmt: skip
_MINUTE_NS: Final = 60_000_000_000


def write_base_folder(folder: Path, trainings: int = 500, ranks: int = 8) -> int:
    """Writes `training-NNN/profiler` with 20 files of each rank, made a minute apart; the number of files."""
    smallest = Training(AscendShape(ranks=ranks, stages=2, steps=1, layers=1, starved_step=None))
    contents = {
        name: text.encode()
        for rank in range(ranks)
        for name, text in rank_files(smallest, rank)
        if not name.startswith(_LEFT_OUT)
    }
    for number in range(trainings):
        profiler = folder / f"training-{number:03}" / "profiler"
        profiler.mkdir(parents=True)
        stamp = START_NS + number * _MINUTE_NS
        for name, content in contents.items():
            path = profiler / name
            path.write_bytes(content)
            os.utime(path, ns=(stamp, stamp))
    return trainings * len(contents)
