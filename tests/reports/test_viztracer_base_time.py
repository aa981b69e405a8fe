"""The base time that VizTracer writes beside its events."""

from __future__ import annotations

from tests.reports.traces import Open


def test_a_run_of_viztracer_and_pytorch_has_one_axis(open_by_name: Open) -> None:
    reader = open_by_name("viztracer_base_time/plugins/profile/2026_01_01_00_00_00/viztracer.json")
    assert reader.store.manifest()["origin_ns"] == "1700000000000010500"
