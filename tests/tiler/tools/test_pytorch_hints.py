"""Hints of overview in a trace of PyTorch on a CPU, without steps: what of PyTorch's profiler records them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.corpus import corpus_path
from tests.reports.traces import answer
from tests.tiler.facts.launches.test_step_work import reading, x


def test_a_trace_of_the_cpu_without_steps(tmp_path: Path) -> None:
    events = [x("aten::mm", 1, 1, 100 * number, 60, cat="cpu_op") for number in range(20)]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with reading(trace, tmp_path) as reader:
        overview = answer(reader, "overview")
    step, idle = overview.fact("step_mean").note, overview.fact("device_idle").note
    assert "prof.step()" in step
    assert "schedule=" in step
    assert "ProfilerActivity.CUDA" in idle
    assert "XSpace" not in step + idle


def test_a_trace_of_a_gpu_is_not_said_to_have_no_work_of_one(tmp_path: Path) -> None:
    with reading(corpus_path("kineto/nccl_data.json.gz"), tmp_path) as reader:
        overview = answer(reader, "overview")
    for fact in ("flops_of_peak", "hbm_of_peak"):
        assert overview.fact(fact).note == "the trace does not record the peak rates of the device"
