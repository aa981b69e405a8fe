"""Families of tables that have the time of operators: the plain names of their columns, by version, and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

AI_CORE: Final = "AI_CORE"
AI_CPU: Final = "AI_CPU"
HOST_CPU: Final = "HOST_CPU"

_US: Final = 6  # a microsecond is 10^6 ps
_MS: Final = 9


class OperatorColumns(Struct, frozen=True):
    """Plain names of the columns of a family; without a name each row is a type."""

    time: tuple[str, ...]
    exponent: int  # of ten: picoseconds of its unit where the header has none
    name: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    on: str = ""  # the core, where no column says it
    count: tuple[str, ...] = ()  # none: each row is a run
    is_mean: bool = False  # the time is that of a single run


KERNEL_DETAILS: Final = "kernel_details"
OP_SUMMARY: Final = "op_summary"
OP_STATISTIC: Final = "op_statistic"
CORE_TYPES: Final = "aicore_types"
CORE_DETAILS: Final = "aicore_details"
CPU_RUNS: Final = "aicpu_intermediate"
HOST_RUNS: Final = "host_cpu_details"

FAMILIES: Final[Mapping[str, OperatorColumns]] = {
    KERNEL_DETAILS: OperatorColumns(("duration",), _US, ("name",), ("type",), ("acceleratorcore",)),
    OP_SUMMARY: OperatorColumns(("taskduration",), _US, ("opname",), ("optype",), ("tasktype",)),
    OP_STATISTIC: OperatorColumns(("totaltime",), _US, (), ("optype",), ("coretype",), count=("count",)),
    CORE_TYPES: OperatorColumns(
        ("total_time", "execution_time", "task_time"),
        _MS,
        type=("kernel_type", "op_type"),
        on=AI_CORE,
        count=("execution_frequency",),
    ),
    CORE_DETAILS: OperatorColumns(
        ("execution_time", "task_duration"),
        _MS,
        ("full_kernel_name", "full_op_name", "op_full_name", "full_kernel_time"),
        core=("task_type",),
        on=AI_CORE,
        count=("execution_frequency",),
        is_mean=True,
    ),
    CPU_RUNS: OperatorColumns(("total_time",), _MS, ("kernel_type", "op_type"), ("kernel_type", "op_type"), on=AI_CPU),
    HOST_RUNS: OperatorColumns(
        ("op_total_time",), _MS, ("full_op_name",), ("op_type",), on=HOST_CPU, count=("op_occurrences",)
    ),
}

Source = Literal["kernel_details", "op_summary", "mindspore", "op_statistic"]

# Tables about the same work, the most exact first: run by run, by operator, by type.
SOURCES: Final[Mapping[Source, Sequence[str]]] = {
    "kernel_details": (KERNEL_DETAILS,),
    "op_summary": (OP_SUMMARY,),
    "mindspore": (CORE_TYPES, CORE_DETAILS, CPU_RUNS),
    "op_statistic": (OP_STATISTIC,),
}
