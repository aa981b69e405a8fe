"""The overview of a run that has only a saved page says what the file has, with the figures that it has of traces."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.table_answers import column
from tests.tiler.tools.saved_answers import ask_page
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.tools.answer import values_of

OVERVIEW = "overview"
SHARES = {
    "device_idle": "device_idle_time_percent",
    "duty_cycle": "device_duty_cycle_percent",
    "flops_of_peak": "flop_rate_utilization_relative_to_roofline",
    "hbm_of_peak": "memory_bw_utilization_relative_to_hw_limit",
    "low_precision": "device_compute_16bit_percent",
    "mxu": "mxu_utilization_percent",
    "hbm": "hbm_utilization_percent",
    "host_idle": "host_idle_time_percent",
    "eager": "host_op_time_eager_percent",
}
COLUMNS = {
    "full": "operation",
    "share": "selfTimePercent",
    "cumulative": "cumulativeTimePercent",
}


def golden(run: str, folder: Path) -> tuple[Path, Any]:
    content = gzip.decompress(corpus_path(f"golden/xprof_2.24.2/{run}/overview_page.json.gz").read_bytes())
    path = folder / "overview_page.json"
    path.write_bytes(content)
    return path, json.loads(content)


def test_an_old_page_has_its_figures_its_operations_and_its_steps(tmp_path: Path) -> None:
    answer, tick_ps = ask_page(OVERVIEW, [corpus_path("imports/overview_page.json")], tmp_path)
    figures = {
        "flops_of_peak": 0.013,
        "mxu": 0.008,
        "hbm_of_peak": 0.013,
        "host_idle": 0.88,
        "device_idle": 0.0,
        "devices": 16,
        "hosts": 1,
        "steps": 5,
        "device_type": "TPU",
    }
    assert {name: answer.fact(name).value for name in figures} == pytest.approx(figures)
    assert answer.fact("devices").note == "Replica count = 1, num cores per replica = 16"
    assert answer.fact("duty_cycle").value is None
    # Its deviation is not that of a sample, so all durations are as the file states them.
    stated = {"step_mean": 9.3, "step_deviation": 5.6, "step_min": 2.6, "step_max": 18.1}
    assert {name: answer.fact(name).value for name in stated} == {
        name: round(ms * 10**9 / tick_ps) for name, ms in stated.items()
    }
    assert column(answer, "operations", "category")[:2] == [None, "Conv3D"]
    assert column(answer, "operations", "flop_rate")[1] == pytest.approx(1349.8843791589356e9)
    assert column(answer, "parts", "mean")[1] == pytest.approx(4.88888e9 / tick_ps)
    assert "HIGHLY input-bound because 84.8%" in answer.notes[0].text
    assert any("tf-data-users@gmail.com with your xprof link" in note.text for note in answer.notes)
    assert any("do not add up" in note.text for note in answer.notes)
    assert not any("<a" in note.text for note in answer.notes)


@pytest.mark.parametrize("run", ["pod/all", "tpu_v6e_4core", "gpu_h100_jax", "gpu_v100x8_bert", "jax_cpu_10steps"])
def test_every_figure_is_that_of_the_file(run: str, tmp_path: Path) -> None:
    path, content = golden(run, tmp_path)
    answer, tick_ps = ask_page(OVERVIEW, [path], tmp_path)
    properties: dict[str, str] = {}
    for table in content:
        properties = {**table.get("p", {}), **properties}
    for name, key in SHARES.items():
        stated = properties.get(key)
        expected = None if stated is None else float(stated.removesuffix("%")) / 100
        assert answer.fact(name).value == (expected if expected is None else pytest.approx(expected))
    assert str(answer.fact("devices").value) == properties["device_core_count"]
    assert str(answer.fact("hosts").value) == properties["host_count"]
    assert answer.fact("device_type").value == properties["device_type"]
    operations = content[0]
    ids = [named["id"] for named in operations["cols"]]
    rows = [[cell["v"] for cell in row["c"]] for row in operations["rows"]]
    assert len(rows) == {"pod/all": 10, "tpu_v6e_4core": 10, "gpu_h100_jax": 6}.get(run, len(rows))
    if rows:
        for ours, theirs in COLUMNS.items():
            values = [row[ids.index(theirs)] for row in rows]
            assert column(answer, "operations", ours) == (values if ours == "full" else [float(v) for v in values])
        rates = [float(row[ids.index("flopRate")]) * 1e9 for row in rows]
        assert column(answer, "operations", "flop_rate") == pytest.approx(rates)
    steps = content[1]["rows"]
    assert answer.fact("steps").value == len(steps)
    assert [chart.kind for chart in answer.series] == (["area"] if steps else [])
    if steps:
        assert len(values_of(answer.series[0].x)) == len(steps)
        stated_ms = float(properties["steptime_ms_average"])
        assert answer.fact("step_mean").value == pytest.approx(stated_ms * 10**9 / tick_ps, abs=0.05 * 10**9 / tick_ps)


def test_zeros_of_a_file_are_said_to_be_uncertain(tmp_path: Path) -> None:
    path, _ = golden("pod/all", tmp_path)
    answer, _ = ask_page(OVERVIEW, [path], tmp_path)
    assert "nothing was recorded" in answer.fact("flops_of_peak").note
    assert answer.fact("mxu").note == ""


@pytest.mark.parametrize(("bottleneck", "shown"), [("host", ["h"]), ("device", ["d"]), ("both", ["h", "d"]), ("", [])])
def test_advice_is_that_on_the_bottleneck(bottleneck: str, shown: list[str], tmp_path: Path) -> None:
    operations = {"cols": [{"id": "selfTimePercent", "type": "number"}], "rows": [{"c": [{"v": 0.5}]}]}
    tips = [{"c": [{"v": kind}, {"v": tip}]} for kind, tip in (("host", "h"), ("device", "d"), ("faq", "f"))]
    advice = {"cols": [{"id": "tip_type"}, {"id": "link"}], "rows": tips, "p": {"bottleneck": bottleneck}}
    (tmp_path / "page.json").write_text(json.dumps([operations, advice]))
    answer, _ = ask_page(OVERVIEW, [tmp_path / "page.json"], tmp_path)
    stated = [
        note.text.removeprefix("The file says: ").rstrip(".") for note in answer.notes if "file says" in note.text
    ]
    assert stated == shown


def test_fewer_operations_are_listed_when_fewer_are_asked_for(tmp_path: Path) -> None:
    answer, _ = ask_page(OVERVIEW, [corpus_path("imports/overview_page.json")], tmp_path, limit=3, start=0, end=5)
    assert column(answer, "operations", "name")[2:] == ["XLA_Args:"]
    assert any("has no timeline" in note.text for note in answer.notes)


def test_a_trace_comes_before_a_page(tmp_path: Path) -> None:
    core = plane("/device:TPU:0", [Instruction("7")], {"XLA Ops": [Run(0, 0, 9)]})
    trace = write_trace(tmp_path / "a.xplane.pb", [core])
    answer, _ = ask_page(OVERVIEW, [trace, corpus_path("imports/overview_page.json")], tmp_path)
    assert answer.fact("devices").value == 1
