"""Contents of a training on Ascend devices, in words, by the names of its files: for lists, which read none of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.ascend.families import CERTAIN_NAMES, TIMELINE_NAMES, rank_in_name
from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.layouts.ascend_names import capture_position

# How names begin, by what is in such files.
_CONTENTS: Final = tuple(
    (title, re.compile(names, re.IGNORECASE))
    for title, names in (
        ("timeline", r"(?:ascend_|gpu_)?timeline_display|output_timeline_data|trace_view|msprof_"),
        ("step trace", r"step_trace"),
        ("operators", r"aicore_|aicpu_|framework_raw|output_op_compute|kernel_details|op_s|operator_details|task_time"),
        ("FLOPs", r"flops"),
        ("data preparation", r"minddata|pipeline_profiling|device_queue|dataset_iterator|(?:output_)?data_preprocess"),
        ("communication", r"hccl_|(?:cluster_)?communication"),
        ("cluster", r"(?:ascend_)?cluster_"),
        ("memory", r"memory_|operator_memory|npu_module_mem"),
        ("caches", r"l2_cache"),
        ("dynamic shapes", r"dynamic_shape"),
        ("parallel strategy", r"parallel_strategy"),
    )
)
# Names of the second generation that nothing else has; they may lie in any folder, where somebody copied them.
_SECOND: Final = re.compile(
    r"kernel_details\.csv|(?:cluster_)?communication_matrix\.json|cluster_(?:communication\.json|step_trace_time\.csv)"
)
_KEPT_PARTS: Final = 256  # trainings of a base folder have the same names, mostly


class TrainingContents(Struct, frozen=True):
    """A training as a list has it."""

    ranks: Sequence[int]  # that names of the first generation end with
    parts: Sequence[str]  # "step trace", "operators"


def training_contents(files: Sequence[Path]) -> TrainingContents | None:
    """The contents of a run with these files; None: it is none of Ascend devices."""
    names = [without_ending(file.name) for file in files]
    if not any(map(_is_of_ascend, files, names)):
        return None
    return TrainingContents(
        sorted({rank for file in files if (rank := rank_in_name(file)) is not None}), _parts(frozenset(names))
    )


@lru_cache(_KEPT_PARTS)
def _parts(names: frozenset[str]) -> Sequence[str]:
    return [title for title, pattern in _CONTENTS if any(map(pattern.match, names))]


def _is_of_ascend(file: Path, name: str) -> bool:
    is_certain = CERTAIN_NAMES.fullmatch(name) or TIMELINE_NAMES.fullmatch(name) or _SECOND.fullmatch(name)
    return is_certain is not None or capture_position(file) is not None
