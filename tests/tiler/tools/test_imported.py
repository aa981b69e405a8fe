"""What is shown of saved pages is what their files have; and nothing in them can break the tool."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.table_answers import column
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools import Answer, Scope, answer_json, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.imported import cores as imported_cores
from tilescope.tiler.tools.imported import page_tables
from tilescope.tiler.tools.pod import saved
from tilescope.tiler.verify import verify_store

PAGES = ("pod_viewer", "op_profile", "input_pipeline", "overview_page", "memory_viewer")
PS_OF_US = 10**6


def shown(path: Path, folder: Path) -> tuple[Answer, int]:
    """What the tool says of a file, and the ps of a tick."""
    store = folder / f"{path.stem}.store"
    build_store([path], store)
    opened = open_run_store(store)
    try:
        reader = QueryReader(opened)
        asked = tool("imported")
        assert asked.availability(Scope(reader)) == ""
        answer = finish(ask(asked, Scope(reader), from_values(asked.question, {})))
        return answer, int(opened.manifest()["tick_ps"])
    finally:
        opened.close()


def test_pod_viewer(tmp_path: Path) -> None:
    path = corpus_path("imports/pod_viewer.json")
    answer, tick_ps = shown(path, tmp_path)
    page = json.loads(path.read_text())
    steps = page["podStatsSequence"]["podStatsMap"]
    cores = {(step["stepNum"], name): core for step in steps for name, core in step["podStatsPerCore"].items()}
    keys = list(zip(column(answer, "cores", "step"), column(answer, "cores", "core"), strict=True))
    assert sorted(keys) == sorted(cores)
    for name, key in (("total", "totalDurationUs"), ("send", "sendDurationUs"), ("all_reduce", "crsDurationUs")):
        assert column(answer, "cores", name) == [round(cores[of][key] * PS_OF_US / tick_ps) for of in keys]
    parts = ["high_flops", "low_flops", "infeed", "outfeed", "send", "recv", "all_reduce"]
    sums = [sum(of) for of in zip(*(column(answer, "cores", name) for name in parts), strict=True)]
    assert sums == column(answer, "cores", "total")
    channels = [of for step in steps for of in step["channelDb"]]
    assert column(answer, "channels", "data") == [int(of["dataSize"]) for of in channels]
    assert len(column(answer, "all_reduces", "name")) == sum(len(step["allReduceOpDb"]) for step in steps)
    assert answer.fact("topology").value == "4 × 4"
    assert "before 2020" in str(answer.fact("version").value)
    (chart,) = answer.series
    assert values_of(chart.ys[0])[0] == nearest_mean(sum(column(answer, "cores", "high_flops")[:32]), 32)


def test_a_saved_pod_without_all_reduces_has_no_share_of_them(tmp_path: Path) -> None:
    """Nothing was measured: a share of zero would be a figure that the file does not have."""
    page = json.loads(corpus_path("imports/pod_viewer.json").read_text())
    for step in page["podStatsSequence"]["podStatsMap"]:
        for core in step["podStatsPerCore"].values():
            del core["crsDurationUs"]
    path = tmp_path / "pod_viewer.json"
    path.write_text(json.dumps(page))
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    answer = finish(ask(tool("pod"), Scope(QueryReader(store)), from_values(tool("pod").question, {})))
    store.close()
    for name in ("all_reduce_compute", "all_reduce_sync"):
        assert answer.fact(name).value is None
        assert answer.fact(name).note == "the file does not tell it from computing"


def test_the_pod_page_of_a_saved_pod(tmp_path: Path) -> None:
    path = corpus_path("imports/pod_viewer.json")
    build_store([path], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    steps = json.loads(path.read_text())["podStatsSequence"]["podStatsMap"]
    assert tool("pod").availability(Scope(reader)) == ""

    def pod(**values: object) -> Answer:
        return finish(ask(tool("pod"), Scope(reader), from_values(tool("pod").question, {**values})))

    answer, tick_ps = pod(), int(reader.store.manifest()["tick_ps"])
    names = column(answer, "cores", "core")
    assert len(names) == len(steps[0]["podStatsPerCore"]) == 32
    chips = dict(zip(names, column(answer, "cores", "chip"), strict=True))
    assert {(x, y) for x, y in zip(column(answer, "cores", "x"), column(answer, "cores", "y"), strict=True)} == {
        (x, y) for x in range(4) for y in range(4)
    }
    for name, send in zip(names, column(answer, "cores", "tpu_send"), strict=True):
        told = [step["podStatsPerCore"][name.rpartition(" ")[2]]["sendDurationUs"] for step in steps]
        assert send == nearest_mean(sum(round(us * PS_OF_US) for us in told), len(told) * tick_ps)
    assert answer.fact("saved_bottleneck").value == "Send and Recv in 62, All-Reduce in 2"
    assert (answer.fact("tpuType").value, answer.fact("perCoreBatchSize").value) == ("TPU v3", "8")
    # Ids of channels are two for each chip, and one for the core on it.
    for source, destination in zip(
        column(answer, "channels", "source"), column(answer, "channels", "destination"), strict=True
    ):
        assert source in chips
        assert destination in chips
    first = steps[0]["stepNum"]
    one = pod(steps=f"{first}-{first}", colour="tpu_recv")
    rows = zip(*(column(one, "channels", name) for name in ("channel", "data", "latency", "source")), strict=True)
    assert one.fact("saved_bottleneck").value == "Send and Recv in 31, All-Reduce in 1"
    found = {channel: (data, latency, chips[source]) for channel, data, latency, source in rows}
    assert found == {
        of["channelId"]: (
            int(of["dataSize"]),
            nearest_mean(round(of["durationUs"] * PS_OF_US), tick_ps),
            of["srcCoreId"] // 2,
        )
        for of in steps[0]["channelDb"]
    }
    assert "start" not in [of.id for of in answer.table("cores").columns]
    assert pod(steps="1-2").fact("cores").value is None


def test_op_profile(tmp_path: Path) -> None:
    answer, _ = shown(corpus_path("imports/op_profile.json"), tmp_path)
    rows = {name: place for place, name in enumerate(column(answer, "by_category", "name"))}
    parents = column(answer, "by_category", "parent")
    assert parents[rows["%dot.2"]] == rows["%fusion"]
    assert parents[rows["byCategory"]] == -1
    assert column(answer, "by_category", "time_share")[rows["%fusion"]] == 0.4
    assert column(answer, "by_category", "flops_utilisation")[rows["%convolution"]] == pytest.approx(0.9)
    assert column(answer, "by_category", "wasted")[rows["%infeed"]] == 0.4
    layout = column(answer, "by_category", "layout")[rows["%convolution"]]
    assert layout == "feature 200 padded to 256, batch 8, spatial 256"


def test_tables_of_overview_and_input_pipeline(tmp_path: Path) -> None:
    answer, tick_ps = shown(corpus_path("imports/overview_page.json"), tmp_path)
    assert column(answer, "table0", "operation")[0] == "infeed"
    assert column(answer, "table0", "selfTimePercent")[0] == 0.8285904125908706
    assert column(answer, "table1", "computeTimeMs")[0] == round(1.2346e9 / tick_ps)
    assert answer.fact("steptime_ms_average").value == round(9.3e9 / tick_ps)
    assert answer.fact("mxu_utilization_percent").value == 0.008
    assert not any("<a " in note.text for note in answer.notes)
    answer, tick_ps = shown(corpus_path("imports/input_pipeline.json"), tmp_path)
    assert column(answer, "table0", "infeedPercentMax")[0] == pytest.approx(0.8712239736209047)
    assert column(answer, "table2", "timeInMs")[0] == round(319.327565e9 / tick_ps)
    assert answer.fact("enqueue_us").value == round(275636.599e6 / tick_ps)


def test_memory_viewer(tmp_path: Path) -> None:
    answer, _ = shown(corpus_path("imports/memory_viewer.json"), tmp_path)
    assert column(answer, "buffers", "size") == [1 << 20, 2 << 20]
    assert column(answer, "buffers", "unpadded") == [4, 4 * 32 * 16 * 16 * 32]
    assert answer.fact("peak").value == 3 << 20
    (chart,) = answer.series
    assert values_of(chart.ys[0]) == [1 << 20, 3 << 20, 1 << 20, 0]


def test_memory_viewer_of_xprof(tmp_path: Path) -> None:
    page = golden("tpu_v6e_4core/memory_viewer")["jit_f(12190760917235803885)"]
    (tmp_path / "page.json").write_text(json.dumps(page))
    answer, _ = shown(tmp_path / "page.json", tmp_path)
    assert answer.fact("version").value == "XProf, or TensorBoard's profile plugin 2.x"
    assert answer.fact("peak").value == 4 * (5 << 30) + 32
    assert len(column(answer, "buffers", "size")) == len(page["logicalBufferSpans"]) == 6
    assert column(answer, "buffers", "opcode")[:2] == ["copy-start", "copy-start"]
    (curve,) = answer.series
    assert len(curve.ys[0].values) == len(page["heapSizes"])


def test_pages_beside_a_trace_are_of_its_run_and_no_host(tmp_path: Path) -> None:
    core = plane("/device:TPU:0", [Instruction("7")], {"Steps": [Run(0, 0, 9)]})
    trace = write_trace(tmp_path / "a.xplane.pb", [core])
    pages = [corpus_path(f"imports/{page}.json") for page in ("op_profile", "pod_viewer")]
    build_store([pages[1], trace, pages[0]], tmp_path / "store")
    verify_store(tmp_path / "store")
    opened = open_run_store(tmp_path / "store")
    assert opened.manifest()["hosts"] == ["a"]
    reader = QueryReader(opened)
    assert (reader.tree.groups[0].kind, reader.tree.groups[0].name) == ("host", "a")
    answer = finish(ask(tool("imported"), Scope(reader), from_values(tool("imported").question, {"page": 1})))
    assert column(answer, "pages", "host") == [None, None]
    build_store(pages, tmp_path / "alone")
    assert open_run_store(tmp_path / "alone").manifest()["hosts"] == ["host"]


@pytest.mark.parametrize("page", PAGES)
def test_values_of_any_other_type_are_not_recorded(page: str, tmp_path: Path) -> None:
    """Each value in turn becomes something else: the tool still answers, and its answer keeps to the contract."""
    rng = random.Random(page)
    for turn in range(12):
        content = json.loads(corpus_path(f"imports/{page}.json").read_text())
        spoilt(content, rng, 0.2)
        path = tmp_path / f"{turn}.json"
        path.write_text(json.dumps(content))
        answer, _ = shown(path, tmp_path)
        assert answer_json.encode(answer)
        if page == "pod_viewer":
            pod = tool("pod")
            reader = QueryReader(open_run_store(tmp_path / f"{turn}.store"))
            assert answer_json.encode(finish(ask(pod, Scope(reader), from_values(pod.question, {}))))


def spoilt(of: Any, rng: random.Random, share: float, depth: int = 0) -> None:
    """Replaces some values in place, but not the outermost, which tell the page."""
    places = list(of) if isinstance(of, dict) else range(len(of)) if isinstance(of, list) else []
    for place in places:
        if place == "cols":
            continue
        if depth > 1 and rng.random() < share:
            of[place] = rng.choice([None, True, -1, 1e308, "x", "9" * 30, [], {}, [[]], {"v": []}, float("nan")])
        else:
            spoilt(of[place], rng, share, depth + 1)


def write_pod(path: Path, steps: int, cores: int) -> Path:
    times = {"totalDurationUs": 2, "highFlopsComputeUs": 1}
    listed = [
        {"stepNum": step, "podStatsPerCore": {str(core): times for core in range(cores)}} for step in range(steps)
    ]
    path.write_text(json.dumps({"podStatsSequence": {"podStatsMap": listed}}))
    return path


def test_of_very_many_cores_the_first_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported_cores, "SHOWN_ROWS", 7)
    answer, _ = shown(write_pod(tmp_path / "page.json", 3, 4), tmp_path)
    assert column(answer, "cores", "step") == [0] * 4 + [1] * 3
    assert any("only the first 7 cores" in note.text.lower() for note in answer.notes)


@pytest.mark.parametrize(("most_cores", "most_cells", "cores"), [(3, 100, 3), (10, 5, 2), (10, 12, 4)])
def test_of_a_very_large_pod_the_first_cores_and_steps_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_cores: int, most_cells: int, cores: int
) -> None:
    monkeypatch.setattr(saved, "MAX_CORES", most_cores)
    monkeypatch.setattr(saved, "MAX_CELLS", most_cells)
    build_store([write_pod(tmp_path / "page.json", 3, 4)], tmp_path / "store")
    scope = Scope(QueryReader(open_run_store(tmp_path / "store")))
    answer = finish(ask(tool("pod"), scope, from_values(tool("pod").question, {})))
    is_whole = (most_cores, most_cells) == (10, 12)
    assert len(column(answer, "cores", "core")) <= most_cores
    assert len(column(answer, "cells", "core")) <= most_cells
    assert (len(column(answer, "cells", "core")) == 12) == is_whole
    assert any("more than is compared" in note.text for note in answer.notes) != is_whole


def test_of_a_very_large_table_the_first_rows_and_columns_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_tables, "_MAX_COLUMNS", 2)
    monkeypatch.setattr(page_tables, "_MAX_CELLS", 6)
    row = {"c": [{"v": "a"}, {"v": "b"}, {"v": "c"}]}
    table = {"cols": [{"id": "stepnum"}, {"id": "b"}, {"id": "c"}], "rows": [row] * 5}
    (tmp_path / "page.json").write_text(json.dumps([table]))
    answer, _ = shown(tmp_path / "page.json", tmp_path)
    (found,) = answer.tables
    assert [values_of(of) for of in found.columns] == [["a"] * 3, ["b"] * 3]
    assert any("its first 3 rows and 2 columns" in note.text for note in answer.notes)


def test_a_question_about_a_large_page_is_asked_in_turns(tmp_path: Path) -> None:
    build_store([write_pod(tmp_path / "page.json", 3000, 4)], tmp_path / "store")
    scope = Scope(QueryReader(open_run_store(tmp_path / "store")))
    for name in ("imported", "pod"):
        assert sum(1 for _ in ask(tool(name), scope, from_values(tool(name).question, {}))) > 20
