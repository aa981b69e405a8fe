"""A folder of generation 1, as MindSpore's profiler wrote it for MindSpore Insight: `<summary>/profiler`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.ascend_run import (
    collective_files,
    data_files,
    flops_files,
    graph_memory,
    operator_files,
    parallel_strategy,
    step_files,
)
from bench.ascend_run.training import Training


def write_profiler(folder: Path, training: Training) -> list[Path]:
    """Writes the files of all ranks into `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"step_trace_point_info.json": step_files.step_points(training.programs[0])}
    for rank in range(training.shape.ranks):
        contents |= dict(rank_files(training, rank))
    for name, content in contents.items():
        with (folder / name).open("w", newline="") as file:
            file.write(content)
    return [folder / name for name in sorted(contents)]


def rank_files(training: Training, rank: int) -> Iterator[tuple[str, str]]:
    """Names and texts."""
    shape, times, program = training.shape, training.times[rank], training.program(rank)
    yield f"step_trace_raw_{rank}_detail_time.csv", step_files.step_trace(shape, program, times, rank)
    middle, text = step_files.cluster_analysis(shape, program, times, training.covers[rank])
    yield f"ascend_cluster_analyse_{middle}_{rank}.csv", text
    yield f"ascend_timeline_display_{rank}.json", step_files.timeline(program, times, rank)
    yield f"ascend_timeline_summary_{rank}.json", step_files.timeline_summary(program, times)
    yield f"output_timeline_data_{rank}.txt", step_files.output_timeline(shape, program, times, rank)
    yield f"output_format_data_hwts_{rank}.txt", step_files.hardware_schedule(shape, program, times, rank)
    yield f"min_cycle_counter_{rank}.txt", f"{shape.counter(rank)}.0"
    yield f"aicore_intermediate_{rank}_detail.csv", operator_files.operator_details(program, times)
    yield f"aicore_intermediate_{rank}_type.csv", operator_files.operator_types(program, times)
    cpu = operator_files.cpu_operators(shape, program, times, rank)
    yield f"aicpu_intermediate_{rank}.csv", operator_files.cpu_table(cpu)
    yield f"output_data_preprocess_aicpu_{rank}.txt", operator_files.cpu_text(cpu)
    yield f"framework_raw_{rank}.csv", operator_files.framework(program)
    yield f"output_op_compute_time_{rank}.txt", operator_files.compute_times(program, times)
    yield f"output_op_compute_time_detail_{rank}.txt", operator_files.compute_types(program, times)
    yield f"dynamic_shape_info_{rank}.json", operator_files.dynamic_shapes(shape, program, times)
    yield f"flops_{rank}.txt", flops_files.operator_flops(program, times)
    yield f"flops_summary_{rank}.json", flops_files.flops_summary(program, times)
    yield f"flops_scope_{rank}.json", flops_files.flops_scopes(program)
    yield f"minddata_aicpu_{rank}.txt", data_files.dequeues(shape, program, times, rank)
    yield f"device_queue_profiling_{rank}.txt", data_files.device_queue(shape)
    yield f"dataset_iterator_profiling_{rank}.txt", data_files.dataset_iterator(shape)
    yield f"pipeline_profiling_{rank}.json", data_files.pipeline(shape)
    yield f"minddata_pipeline_raw_{rank}.csv", data_files.pipeline_table(shape)
    yield f"minddata_cpu_utilization_{rank}.json", data_files.processors(shape, rank)
    yield f"hccl_raw_{rank}.csv", collective_files.communication(shape, program, times, rank)
    yield f"memory_usage_summary_{rank}.json", graph_memory.memory_summary(program)
    yield f"memory_usage_details_{rank}.json", graph_memory.memory_details(program)
    yield f"parallel_strategy_{rank}.json", parallel_strategy.parallel_strategy(shape, program, rank)
