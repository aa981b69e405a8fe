"""Faults of files, as the run's warnings have them, with line and column: why there is no answer from these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.file_warnings import unread_lines

# How names begin of the files that a tool is about.
MEMORY_PLANS: Final = ("memory_usage_details", "memory_usage_summary")
MEMORY_TABLES: Final = ("memory_record", "operator_memory", "npu_module_mem")
OPERATORS: Final = ("aicore_intermediate", "aicpu_intermediate", "kernel_details", "op_summary", "op_statistic")
FLOPS: Final = ("flops", "kernel_details", "op_summary")
SHAPES: Final = ("dynamic_shape_info", "kernel_details")
PROCESSORS: Final = ("minddata_cpu_utilization",)
DATA_PREPARATION: Final = ("minddata", "pipeline_profiling", "device_queue", "dataset_iterator", "data_preprocess")
COMMUNICATION: Final = ("hccl_raw", "communication", "cluster_", "ascend_cluster_")
STEP_TRACES: Final = ("step_trace",)

_NAMED: Final = 3


def with_faults(reader: QueryReader, reason: str, names: Sequence[str]) -> str:
    """A reason, and behind it the files whose names begin so and that are not read, with why; of many how many."""
    file = re.compile(rf"\b(?:{'|'.join(names)})\w*\.(?:csv|json|txt)\b")
    faults = [line for line in unread_lines(reader.manifest) if file.search(line)]
    more = plural(len(faults) - _NAMED, "more line is", "more lines are")
    return ". ".join([reason, *faults[:_NAMED], *([f"{more} among the warnings"] if len(faults) > _NAMED else [])])
