"""Tables of the host in generation 2: its operators, its calls to the device, what was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import choices, decimal, decimals, rows
from bench.ascend_run.device_tasks import Tasks
from bench.ascend_run.framework import Framework
from bench.ascend_run.kernel_tables import AT_ONCE
from bench.ascend_run.shape import START_NS, TICK_NS
from bench.ascend_run.training import Training


def operator_details(training: Training, framework: Framework, rank: int, all_tasks: Tasks) -> Iterator[bytes]:
    """A row for each operator of the host: its own time, and that of what it launched."""
    yield (
        b"Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),Device Self Duration(us),"
        b"Device Total Duration(us),Device Self Duration With AICore(us),Device Total Duration With AICore(us)\n"
    )
    operators = training.program(rank).operators
    heads = []
    for operator in operators:
        shapes = ";".join(tensor.dims for tensor in operator.inputs)
        heads.append(f'{framework.host_name(operator)},"{shapes}",,')
    kernel = np.array([operator.is_kernel for operator in operators])
    for first in range(0, len(all_tasks), AT_ONCE):
        part = all_tasks.part(first, AT_ONCE)
        host, device = decimals(part.launch_duration, 3), decimals(part.duration, 3)
        core = decimals(np.where(kernel[part.place], part.duration, 0), 3)
        yield rows(
            choices(heads, part.place), host, ",", host, ",", device, ",", device, ",", core, ",", core, "\n",
            count=len(part),
        ).joined()  # fmt: skip


def api_statistic(rank: int, all_tasks: Tasks) -> str:
    """Launches as CANN counts them."""
    header = ("Device_id", "Level", "API Name", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)", "Variance")
    durations = all_tasks.node_duration
    total, count = int(durations.sum()), len(durations)
    mean = total / count / 1000
    variance = float(((durations / 1000 - mean) ** 2).mean())
    least, most = decimal(int(durations.min()), 3), decimal(int(durations.max()), 3)
    row = (rank, "node", "launch", decimal(total, 3), count, round(mean, 3), least, most, round(variance, 3))
    return csv_text(header, [row])


def profiler_info(training: Training, framework: Framework, rank: int) -> str:
    """Options of the recording."""
    end = START_NS + int(training.times[rank].end[-1]) * TICK_NS
    host = {"pt": "torch_npu_version", "ms": "ms_version"}[framework.label]
    content = {
        "config": {
            "common_config": {"record_shapes": True, "profile_memory": True, "with_stack": False, "with_flops": False},
            "experimental_config": {
                "_profiler_level": "Level2",
                "_aic_metrics": "ACL_AICORE_ARITHMETIC_UTILIZATION",
                "_l2_cache": True,
            },
        },
        "start_info": {"freq": 100.0, "start_cnt": training.shape.counter(rank), "start_monotonic": START_NS},
        "end_info": {"FWKCollectOffset": 0, "collectionTimeEnd": end, "MonotonicTimeEnd": end},
        host: "2.1.0",
        "cann_version": "8.0.RC1",
        "rank_id": rank,
    }
    return json.dumps(content, indent=4)


def profiler_metadata(training: Training, rank: int) -> str:
    """The ranks that reduce together."""
    group = list(training.shape.group(rank))
    name = f"group_{training.shape.stage(rank)}"
    content = {
        "parallel_group_info": {
            name: {"group_name": "dp", "group_rank": group.index(rank), "global_ranks": group},
        }
    }
    return json.dumps(content)
