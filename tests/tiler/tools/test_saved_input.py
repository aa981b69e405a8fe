"""The input pipeline of a run that has only a saved page says what the file has, in the columns of traces."""

from __future__ import annotations

import gzip
import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.tools.saved_answers import ask_page
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.tools.answer import Column, Table, values_of

INPUT = "input_pipeline"
MS = 10**9
TITLES = {
    "Enqueue": "Enqueuing data",
    "Preprocessing": "Preprocessing",
    "Advanced file read": "Reading files in advance",
    "Demanded file read": "Reading files on demand",
}
PARTS_OF_TPU = {
    "tcComputeTimeMs": "device_compute",
    "scv0ComputeTimeMs": "sparse_compute",
    "tcInfeedTimeMs": "infeed",
    "scv0InfeedTimeMs": "sparse_infeed",
    "tcOutfeedTimeMs": "outfeed",
    "hostTransferTimeMs": "host_transfer",
    "tcIdleTimeMs": "idle",
}
PARTS_OF_HOSTS = {
    "deviceComputeTimeMs": "device_compute",
    "deviceToDeviceTimeMs": "device_to_device",
    "deviceCollectivesTimeMs": "device_collectives",
    "hostComputeTimeMs": "host_compute",
    "kernelLaunchTimeMs": "kernel_launch",
    "infeedTimeMs": "input",
    "outfeedTimeMs": "output",
    "compileTimeMs": "compilation",
    "otherTimeMs": "others",
}


def golden(run: str, folder: Path) -> tuple[Path, list[dict[str, list[Any]]]]:
    """A page of XProf, and its tables as columns by id."""
    name = f"golden/xprof_2.24.2/{run}/input_pipeline_analyzer.json.gz"
    path = folder / "input_pipeline.json"
    path.write_bytes(gzip.decompress(corpus_path(name).read_bytes()))
    tables = json.loads(path.read_text())
    return path, [
        {
            column["id"]: [row["c"][place]["v"] for row in table["rows"]]
            for place, column in enumerate(table.get("cols", []))
        }
        for table in tables
    ]


def columns_of(part: Table | list[Column]) -> dict[str, list[Any]]:
    columns = part.columns if isinstance(part, Table) else part
    return {column.id: list(values_of(column)) for column in columns}


def in_ticks(values: list[Any], tick_ps: int, unit_ps: int = MS) -> list[int]:
    return [round(float(value) * unit_ps / tick_ps) for value in values]


def test_an_old_page_has_its_steps_its_shares_and_its_operations(tmp_path: Path) -> None:
    answer, tick_ps = ask_page(INPUT, [corpus_path("imports/input_pipeline.json")], tmp_path)
    steps = columns_of(answer.table("steps"))
    assert steps["step"] == [1, 2, 3]
    assert steps["infeed"] == in_ticks([145.791268572, 99.180685714, 115.780365715], tick_ps)
    assert steps["device_compute"] == in_ticks([21.549322857, 21.634437143, 21.550801428], tick_ps)
    assert steps["duration"] == in_ticks([167.340591429, 120.815122857, 137.331167143], tick_ps)
    assert steps["infeed_max"] == pytest.approx([0.8712239736209047, 0.8209293950012608, 0.8430714350062789])
    # The sentence of the file has 84.8 %, and 84.5 % is the mean of its steps.
    assert answer.fact("input_share").value == pytest.approx(360.752320001 / 425.486881429)
    assert answer.fact("infeed_mean").value == pytest.approx(0.845)
    assert answer.fact("verdict").value == "highly input-bound"
    assert answer.fact("mean").value == in_ticks([425.486881429 / 3], tick_ps)[0]
    assert answer.notes[0].text.startswith("The file says: (1) Your program is HIGHLY input-bound because 84.8%")
    assert not any("by the steps in the file" in note.text.lower() for note in answer.notes)
    operations = columns_of(answer.table("input_operations"))
    assert operations["share"][0] == 0.2973124876048046  # of more than the file lists
    assert operations["count"] == [5, 2, 2, 2, 6]
    categories = columns_of(answer.table("input_categories"))
    assert categories["category"][:2] == ["Enqueuing data", "Preprocessing"]
    assert categories["self"][1] == sum(in_ticks([319.316553, 225.770655, 49.676148], tick_ps))
    assert categories["explained"] == in_ticks([275636.599, 6843463.444, 1887867.867, 0, 0], tick_ps, 10**6)
    assert categories["greatest"][2].endswith("::SSTable")


@pytest.mark.parametrize(
    ("run", "table", "parts"),
    [
        ("pod/all", "steps", PARTS_OF_TPU),
        ("jax_cpu_10steps", "host_steps", PARTS_OF_HOSTS),
        ("gpu_h100_jax", "host_steps", PARTS_OF_HOSTS),
        ("gpu_v100x8_bert", "host_steps", PARTS_OF_HOSTS),
    ],
)
def test_every_step_of_a_page_has_the_figures_of_the_file(
    run: str, table: str, parts: dict[str, str], tmp_path: Path
) -> None:
    path, content = golden(run, tmp_path)
    answer, tick_ps = ask_page(INPUT, [path], tmp_path)
    of_file = next(columns for columns in content if "stepnum" in columns)
    shown = columns_of(answer.table(table))
    assert [str(step) for step in shown["step"]] == of_file["stepnum"]
    assert parts.keys() <= of_file.keys()
    for theirs, ours in parts.items():
        assert shown[ours] == in_ticks(of_file[theirs], tick_ps)
    sums = [sum(float(of_file[name][row]) for name in parts) for row in range(len(of_file["stepnum"]))]
    assert shown["duration"] == in_ticks(of_file.get("stepTimeMs", sums), tick_ps)
    chart = next(series for series in answer.series if series.id == "steps")
    assert chart.kind == "area"  # parts of a whole are stacked
    stacked = columns_of(list(chart.ys))
    assert stacked.keys() == {ours for theirs, ours in parts.items() if any(map(float, of_file[theirs]))}
    assert all(stacked[name] == shown[name] for name in stacked)
    waits = [name for name, ours in parts.items() if ours in ("infeed", "sparse_infeed", "input")]
    waited = sum(float(ms) for name in waits for ms in of_file[name])
    assert answer.fact("input_share").value == pytest.approx(waited / sum(map(float, of_file.get("stepTimeMs", sums))))


def test_durations_are_those_that_the_file_states_with_the_digits_of_its_steps(tmp_path: Path) -> None:
    path, content = golden("pod/all", tmp_path)
    answer, tick_ps = ask_page(INPUT, [path], tmp_path)
    # XProf states other durations than those of the core that waits longest.
    for name, stated in (("mean", 124.99), ("deviation", 2.43), ("min", 121.54), ("max", 128.25)):
        assert answer.fact(name).value == in_ticks([stated], tick_ps)[0]
    assert answer.fact("infeed_max").value == pytest.approx(0.297)
    lines = next(series for series in answer.series if series.id == "infeed")
    of_file = next(columns for columns in content if "stepnum" in columns)
    for name, theirs in (("most", "Max"), ("mean", "Average"), ("least", "Min")):
        shares = [float(value) / 100 for value in of_file[f"infeedPercent{theirs}"]]
        assert columns_of(list(lines.ys))[name] == pytest.approx(shares)
    assert any(note.text.startswith("By the steps in the file 27.7 % of their time") for note in answer.notes)
    (tmp_path / "hosts").mkdir()
    path, content = golden("jax_cpu_10steps", tmp_path)
    answer, tick_ps = ask_page(INPUT, [path], tmp_path / "hosts")
    times = [float(ms) for ms in content[1]["stepTimeMs"]]
    assert answer.fact("mean").value == in_ticks([statistics.fmean(times)], tick_ps)[0]
    assert answer.fact("max").value == in_ticks([max(times)], tick_ps)[0]


def test_every_operation_of_a_page_has_the_figures_of_the_file(tmp_path: Path) -> None:
    path, content = golden("pod/all", tmp_path)
    answer, tick_ps = ask_page(INPUT, [path], tmp_path)
    of_file = next(columns for columns in content if "opName" in columns)
    shown = columns_of(answer.table("input_operations"))
    assert shown["name"] == of_file["opName"]
    assert shown["count"] == [int(float(count)) for count in of_file["count"]]
    assert shown["total"] == in_ticks(of_file["timeInMs"], tick_ps)
    assert shown["self"] == in_ticks(of_file["selfTimeInMs"], tick_ps)
    assert shown["share"] == [float(share) for share in of_file["selfTimeInPercent"]]
    assert shown["total_share"] == [float(share) for share in of_file["timeInPercent"]]
    assert shown["category"] == [TITLES[category] for category in of_file["category"]]
    chart = columns_of(list(next(series for series in answer.series if series.id == "host_input").ys))
    by_category = {
        title: sum(time for time, category in zip(shown["self"], shown["category"], strict=True) if category == title)
        for title in TITLES.values()
    }
    assert [work for work, _ in chart.values()] == list(by_category.values())
    cut = columns_of(ask_page(INPUT, [path], tmp_path / "cut", limit=2)[0].table("input_operations"))
    assert cut == {name: values[:2] for name, values in shown.items()}


def test_a_page_without_steps_has_no_figures_of_them(tmp_path: Path) -> None:
    path, _ = golden("tpu_v6e_4core", tmp_path)
    answer, _ = ask_page(INPUT, [path], tmp_path)
    assert all(answer.fact(name).value is None for name in ("verdict", "input_share", "mean", "host_input"))
    assert not answer.tables
    assert not answer.series
    assert "No step time measured" in answer.notes[0].text


def test_parts_that_do_not_add_up_are_said(tmp_path: Path) -> None:
    columns = [{"id": "stepnum"}, {"id": "infeedTimeMs", "type": "number"}, {"id": "tooltip"}]
    texts = ("Step time = 2.001 ms", "Step time = 3.000 ms")
    for number, words in enumerate(texts):
        folder = tmp_path / str(number)
        folder.mkdir()
        row = {"c": [{"v": "7"}, {"v": 2.0}, {"v": words}]}
        (folder / "page.json").write_text(json.dumps([{"cols": columns, "rows": [row]}]))
        answer, tick_ps = ask_page(INPUT, [folder / "page.json"], folder)
        assert any("do not add up" in note.text for note in answer.notes) == bool(number)
        assert columns_of(answer.table("steps"))["duration"] == in_ticks([(2, 3)[number]], tick_ps)


def test_a_span_is_said_to_be_of_no_effect(tmp_path: Path) -> None:
    answer, _ = ask_page(INPUT, [corpus_path("imports/input_pipeline.json")], tmp_path, start=0, end=5)
    assert any("has no timeline" in note.text for note in answer.notes)


def test_steps_of_a_trace_come_before_those_of_a_page(tmp_path: Path) -> None:
    core = plane("/device:TPU:0", [Instruction("7")], {"XLA Ops": [Run(0, 0, 9)], "Steps": [Run(0, 0, 9)]})
    trace = write_trace(tmp_path / "a.xplane.pb", [core])
    answer, _ = ask_page(INPUT, [trace, corpus_path("imports/input_pipeline.json")], tmp_path)
    assert not any("saved file" in note.text for note in answer.notes)
