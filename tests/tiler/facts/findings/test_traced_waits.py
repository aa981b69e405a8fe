"""Idle devices whose host was not recorded: late data are named where a step trace has waits for them, and not else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports.traces import answer, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

STEP = 2_000_000  # ticks of 10 ns: 20 ms
FIRST = 10 * STEP
STEPS = 5


@pytest.mark.parametrize(
    ("interval", "pause", "causes"),
    [
        (0, 400_000, ["unclear", "launch"]),  # idle within forward and backward
        (400_000, 0, ["unclear", "input", "launch"]),  # idle before forward
        (100_000, 300_000, ["unclear", "input", "launch"]),  # 5 % of a step before it
    ],
)
def test_late_data_where_a_step_trace_has_waits(tmp_path: Path, interval: int, pause: int, causes: list[str]) -> None:
    reader = training(tmp_path, interval, pause)
    findings = rows(answer(reader, "overview"), "findings")
    assert [row["class"] for row in findings] == causes
    assert {row["loss"] for row in findings} == {10 * (interval + pause)}
    wait = answer(reader, "input_pipeline").fact("step_wait")
    assert wait.value == 10 * interval
    reader.store.close()


def training(folder: Path, interval: int, pause: int) -> QueryReader:
    """Steps without a gap between them: each waits, computes, pauses and computes until its end."""
    trace, timeline = (
        ["step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail"],
        ["op_name,stream_id,start_time(ms),duration(ms)"],
    )
    for step in range(STEPS):
        start, stop = FIRST + step * STEP, FIRST + (step + 1) * STEP
        forward = start + (interval if step else 0)
        trace.append(f"{step + 1},{start},{stop},{STEP},{forward},{stop},{forward - start},{stop - forward},0")
        half = forward + STEP // 4
        for name, begin, end in (("Conv2D-op1", forward, half), ("MatMul-op2", half + pause, stop)):
            timeline.append(f"Default/network/{name},7,{begin / 10**5:.5f},{(end - begin) / 10**5:.5f}")
    capture = folder / "profiler"
    capture.mkdir()
    (capture / "step_trace_raw_0_detail_time.csv").write_text("\n".join(trace) + "\n")
    (capture / "output_timeline_data_0.txt").write_text("\n".join(timeline) + "\n")
    build_store(sorted(capture.iterdir()), folder / "run.store")
    return QueryReader(open_run_store(folder / "run.store"))
