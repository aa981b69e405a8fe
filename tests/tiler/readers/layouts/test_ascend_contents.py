"""Lists of trainings on Ascend devices, by the names of their files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilescope.tiler.readers.layouts.ascend_contents import training_contents


@pytest.mark.parametrize(
    ("names", "ranks", "parts"),
    [
        (["profiler/step_trace_raw_3_detail_time.csv", "profiler/flops_12.txt"], [3, 12], ["step trace", "FLOPs"]),
        (["profiler/timeline_display_0.json.gz"], [0], ["timeline"]),
        (
            ["a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", "a_ascend_pt/ASCEND_PROFILER_OUTPUT/l2_cache.csv"],
            [],
            ["timeline", "caches"],
        ),
        (
            [
                "PROF_000001_20230818142704322_A/mindstudio_profiler_output/op_summary_20230818.csv",
                "PROF_000001_20230818142704322_A/mindstudio_profiler_output/communication_statistic_20230818.csv",
            ],
            [],
            ["operators", "communication"],
        ),
        (["copied/kernel_details.csv"], [], ["operators"]),
        (["all/cluster_communication.json", "all/cluster_step_trace_time.csv"], [], ["communication", "cluster"]),
    ],
)
def test_parts_and_ranks(names: list[str], ranks: list[int], parts: list[str]) -> None:
    contents = training_contents([Path(name) for name in names])
    assert contents is not None
    assert (list(contents.ranks), list(contents.parts)) == (ranks, parts)


def test_other_runs_have_none() -> None:
    for name in ("host.xplane.pb", "trace.json", "logs/flops.csv", "memory.json", "step_trace.json"):
        assert training_contents([Path(name)]) is None
    assert training_contents([]) is None
