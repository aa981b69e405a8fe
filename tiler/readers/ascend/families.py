"""Families of tables that profilers of Ascend devices write: by the columns of headers, and by the names of files.

A header tells a family; where several have the same columns, or there is no header, the name of the file does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.readers.compression import without_ending


class TableFamily(Struct, frozen=True):
    """One family."""

    id: str
    columns: frozenset[str]  # of each table of it, in small letters, without units and blanks
    name: re.Pattern[str]  # of the files


def _family(family_id: str, columns: str, name: str) -> TableFamily:
    return TableFamily(family_id, frozenset(columns.split()), re.compile(name + r"(?:_.*)?", re.IGNORECASE))


# The first whose columns a header has. More columns are of versions, and of options of the profiler.
FAMILIES: Final = (
    # MindSpore's first generation.
    _family("step_trace_raw", "step_num start_point end_point total", "step_trace_raw"),
    _family("hccl_raw", "step_num communication_cost wait_cost link_info", "hccl_raw"),
    _family("cluster_pipeline", "computation_time communication_alone_time stage_time", "ascend_cluster_analyse"),
    _family("cluster_parallel", "iteration_interval fp_and_bp tail", "ascend_cluster_analyse"),
    _family("aicpu_intermediate", "kernel_type total_time dispatch_time", "aicpu_intermediate"),
    _family("aicpu_intermediate", "op_type total_time dispatch_time", "aicpu_intermediate"),
    _family("host_cpu_details", "op_type full_op_name op_occurrences op_total_time", "cpu_op_detail_info"),
    _family("framework_raw", "task_id stream_id block_dim op_info", "framework_raw"),
    _family("minddata_pipeline_raw", "op_id op_type num_workers output_queue_size", "minddata_pipeline_raw"),
    _family("aicore_types", "kernel_type total_time execution_frequency", "aicore_intermediate"),
    _family("aicore_types", "op_type execution_time execution_frequency", "aicore_intermediate"),
    _family("aicore_types", "op_type total_time execution_frequency", "aicore_intermediate"),
    _family("aicore_types", "kernel_type task_time execution_frequency", "aicore_intermediate"),
    _family("aicore_details", "full_kernel_name execution_time", "aicore_intermediate"),
    _family("aicore_details", "full_kernel_time execution_time", "aicore_intermediate"),
    _family("aicore_details", "full_op_name execution_time", "aicore_intermediate"),
    _family("aicore_details", "op_full_name execution_time", "aicore_intermediate"),
    *(
        _family("aicore_details", f"{name} task_duration", "aicore_intermediate")
        for name in ("full_kernel_name", "full_op_name", "op_full_name")
    ),
    _family("flops", "full_kernel_name flops flopsutilization", "flops"),
    _family("flops", "full_kernel_name flopsutilization", "flops"),
    _family("flops", "full_kernel_name mflops(10^6cube)", "flops"),
    _family("timeline_data", "op_name stream_id start_time duration", "output_timeline_data"),
    # msprof, torch_npu and MindSpore's second generation.
    _family("cluster_step_trace_time", "step type index computing free", "cluster_step_trace_time"),
    _family("step_trace_time", "step computing communication free", "step_trace_time"),
    _family("kernel_details", "name type acceleratorcore starttime duration", "kernel_details"),
    _family("op_summary", "opname optype tasktype taskstarttime taskduration", "op_summary"),
    _family("op_statistic", "optype coretype count totaltime", "op_statistic"),
    _family("communication_statistic", "optype count totaltime", "communication_statistic"),
    _family("api_statistic", "level apiname count", "api_statistic"),
    _family("memory_record", "component timestamp totalallocated totalreserved", "memory_record"),
    _family("operator_memory", "name size allocationtime releasetime", "operator_memory"),
    _family("operator_memory", "name size allocationtime duration allocationtotalallocated", "operator_memory"),
    _family("npu_module_mem", "component timestamp totalreserved device", "npu_module_mem"),
    _family("data_preprocess", "node compute_time memcpy_time total_time", "data_preprocess"),
    _family("l2_cache", "streamid taskid hitrate", "l2_cache"),
    _family("task_time", "kernel_name kernel_type stream_id task_id", "task_time"),
    _family("operator_details", "name inputshapes callstack devicetotalduration", "operator_details"),
    _family("step_trace", "iterationid fpstart bpend iterationend", "step_trace"),
)

# Files of the first generation: no other program gives such names.
CERTAIN_NAMES: Final = re.compile(
    r"(?:step_trace_raw_\d+_detail_time|aicore_intermediate_\d+_(?:detail|type)|ascend_cluster_analyse_[\w-]+|"
    r"(?:aicpu_intermediate|cpu_op_detail_info|framework_raw|minddata_pipeline_raw|hccl_raw)_\d+)\.csv|"
    r"(?:flops|output_timeline_data|min_cycle_counter|device_queue_profiling|dataset_iterator_profiling|minddata_aicpu|"
    r"output_op_compute_time(?:_detail)?|output_data_preprocess_aicpu|output_format_data_hwts)_\d+\.txt|"
    r"(?:pipeline_profiling|dynamic_shape_info|flops_summary|flops_scope|minddata_cpu_utilization|memory_usage_(?:summary|details)|"
    r"parallel_strategy|"
    r"(?:ascend_|gpu_)?timeline_summary)_\d+\.json"
)

TIMELINE_NAMES: Final = re.compile(r"(?:ascend_|gpu_)?timeline_display_\d+\.json")
LISTED_NAMES: Final = re.compile(f"{CERTAIN_NAMES.pattern}|{TIMELINE_NAMES.pattern}")

KEPT_NAMES: Final = 1 << 13  # the trainings of a base folder have files of the same names
_RANK: Final = re.compile(r"(?<=_)(\d{1,8})(?=(?:_detail(?:_time)?|_type)?$)")


def family_of(columns: Sequence[str], path: Path) -> str:
    """The family of a table with this header; empty for none that is recognised."""
    plain = frozenset(map(plain_header, columns))
    by_columns = [family for family in FAMILIES if family.columns <= plain]
    stem = stem_of(path)
    for family in by_columns:
        if family.name.fullmatch(stem):
            return family.id
    return by_columns[0].id if by_columns else family_of_name(stem, FAMILIES)


def family_of_name(stem: str, families: Collection[TableFamily]) -> str:
    """The family that files of this name are of, the longest name first; empty for none."""
    matches = [family for family in families if family.name.fullmatch(stem)]
    return max(matches, key=lambda family: len(family.name.pattern)).id if matches else ""


def stem_of(path: Path) -> str:
    """The name of a file without endings, also of compression: "kernel_details"."""
    return _stem(path.name)


def rank_in_name(path: Path) -> int | None:
    """The rank at the end of a name of the first generation: 1 in `step_trace_raw_1_detail_time`."""
    return _rank(path.name)


@lru_cache(KEPT_NAMES)
def _stem(name: str) -> str:
    return without_ending(name).rpartition(".")[0] or name


@lru_cache(KEPT_NAMES)
def _rank(full_name: str) -> int | None:
    name = without_ending(full_name)
    if not CERTAIN_NAMES.fullmatch(name) and not TIMELINE_NAMES.fullmatch(name):
        return None  # a number at the end of a newer name is an iteration, or a time
    match = _RANK.search(_stem(full_name))
    return int(match[1]) if match else None
