"""Files of synthetic trainings on Ascend: like real ones, and true among themselves."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.ascend_run import AscendShape, Training, truth, write_profiler
from tests.bench.real_forms import fits, line_ends, pattern, table, unlike
from tests.corpus import corpus_path

SHAPE = AscendShape()
RANKS = range(SHAPE.ranks)


@pytest.fixture(scope="module")
def training() -> Training:
    return Training(SHAPE)


@pytest.fixture(scope="module")
def expected(training: Training) -> dict[str, Any]:
    return truth(training)


@pytest.fixture(scope="module")
def profiler(training: Training, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("summary") / "profiler"
    write_profiler(folder, training)
    return folder


REAL_TABLES = {
    "aicore_intermediate_0_detail.csv": "run_1/aicore_intermediate_1_detail.csv",
    "aicore_intermediate_0_type.csv": "run_1/aicore_intermediate_1_type.csv",
    "aicpu_intermediate_0.csv": "run_2/aicpu_intermediate_1.csv",
    "framework_raw_0.csv": "run_1/framework_raw_1.csv",
    "minddata_pipeline_raw_0.csv": "run_1/minddata_pipeline_raw_1.csv",
    "ascend_cluster_analyse_pipeline-parallel_2_4_0.csv": (
        "cluster_propose/ascend_cluster_analyse_pipeline-parallel_2_4_0.csv"
    ),
    "hccl_raw_0.csv": "cluster_propose/hccl_raw_0.csv",
}


@pytest.mark.parametrize("name", REAL_TABLES)
def test_tables_are_like_real_ones(profiler: Path, name: str) -> None:
    own, real = (profiler / name).read_bytes(), corpus_path(f"ascend/{REAL_TABLES[name]}").read_bytes()
    assert own.split(b"\n")[0] == real.split(b"\n")[0]
    assert line_ends(own) == line_ends(real)
    csv.field_size_limit(1 << 20)
    own_rows, real_rows = (list(csv.reader(io.StringIO(content.decode())))[1:] for content in (own, real))
    columns = zip(zip(*own_rows, strict=True), zip(*real_rows, strict=True), strict=True)
    assert [unlike(list(made), list(seen)) for made, seen in columns] == [set()] * len(own_rows[0])


REAL_TEXTS = {
    "flops_0.txt": "profiler/flops_1.txt",
    "output_timeline_data_0.txt": "run_1/output_timeline_data_1.txt",
    "output_op_compute_time_0.txt": "run_1/output_op_compute_time_1.txt",
    "output_op_compute_time_detail_0.txt": "run_2/output_op_compute_time_detail_1.txt",
    "output_data_preprocess_aicpu_0.txt": "run_2/output_data_preprocess_aicpu_1.txt",
    "output_format_data_hwts_0.txt": "run_2/output_format_data_hwts_1.txt",
    "minddata_aicpu_0.txt": "run_2/minddata_aicpu_1.txt",
    "device_queue_profiling_0.txt": "run_2/device_queue_profiling_1.txt",
    "dataset_iterator_profiling_0.txt": "run_2/dataset_iterator_profiling_1.txt",
    "min_cycle_counter_0.txt": "run_1/min_cycle_counter_1.txt",
}


@pytest.mark.parametrize("name", REAL_TEXTS)
def test_texts_are_like_real_ones(profiler: Path, name: str) -> None:
    own, real = (profiler / name).read_text(), corpus_path(f"ascend/{REAL_TEXTS[name]}").read_text()
    header = 1 if real[0].isalpha() and "_" in real.split("\n")[0].split(" ")[0] and "," in real else 0
    assert own.split("\n")[:header] == real.split("\n")[:header]
    if "hwts" in name:  # columns are as wide as their numbers
        own, real = (re.sub(" +", " ", text) for text in (own, real))
    loose = {pattern(line).replace("1.1", "1") for line in real.strip().split("\n")}
    for line in own.strip().split("\n"):
        assert pattern(line).replace("1.1", "1") in loose, line


REAL_JSON = {
    "flops_summary_0.json": "profiler/flops_summary_0.json",
    "flops_scope_0.json": "profiler/flops_scope_0.json",
    "minddata_cpu_utilization_0.json": "run_2/minddata_cpu_utilization_1.json",
    "pipeline_profiling_0.json": "run_1/pipeline_profiling_1.json",
    "step_trace_point_info.json": "run_1/step_trace_point_info.json",
    "ascend_timeline_display_0.json": "profiler/ascend_timeline_display_0.json",
    "ascend_timeline_summary_0.json": "profiler/ascend_timeline_summary_0.json",
}


@pytest.mark.parametrize("name", REAL_JSON)
def test_json_is_like_real_one(profiler: Path, name: str) -> None:
    own, real = (profiler / name).read_text(), corpus_path(f"ascend/{REAL_JSON[name]}").read_text()
    made, seen = json.loads(own), json.loads(real)
    if name.startswith("ascend_timeline_display"):  # the real one has three events: tensors differ in number
        made, seen = (
            [event | ({"args": {}} if "args" in event else {}) for event in events] for events in (made, seen)
        )
    assert fits(made, seen)
    assert ("\n" in own.strip()) == ("\n" in real.strip())


def test_dynamic_shapes_are_like_real_ones(profiler: Path) -> None:
    own = json.loads((profiler / "dynamic_shape_info_0.json").read_text())
    real = json.loads(corpus_path("ascend/profiler/dynamic_shape_info_0.json").read_text())
    assert own.keys() == real.keys()
    assert own["operator"]["1"][0].keys() == real["operator"]["1"][0].keys()
    for kind, (mean, count, total) in own["operator_type"]["1"].items():
        rows = [row["dur"] for row in own["operator"]["1"] if row["op_type"] == kind]
        assert (len(rows), sum(rows)) == (count, pytest.approx(total))
        assert mean == pytest.approx(total / count)


def test_the_columns_of_communications_in_a_step_trace_are_like_real_ones(profiler: Path) -> None:
    own, real = (
        path.read_text().split("\n")[0].strip().split(",")
        for path in (
            profiler / "step_trace_raw_0_detail_time.csv",
            corpus_path("ascend/cluster_propose/step_trace_raw_0_detail_time.csv"),
        )
    )
    assert own[:9] == real[:9]
    shape = re.compile(r"stream_\d+_\d+_(AllReduce|Receive|Send)-op\d+(_start_point|_end_point)?$")
    for columns in (own, real):
        matches = [shape.match(name) for name in columns[9:]]
        assert [match and match[2] for match in matches] == [None, "_start_point", "_end_point"] * (len(matches) // 3)
        assert all(matches)


@pytest.mark.parametrize("rank", RANKS)
def test_steps_are_those_of_the_truth_and_their_parts_add_up(
    profiler: Path, expected: dict[str, Any], rank: int
) -> None:
    own = expected["ranks"][rank]
    *rows, average = table(profiler / f"step_trace_raw_{rank}_detail_time.csv")
    assert len(rows) == SHAPE.steps
    end = None
    for row, step in zip(rows, own["steps"], strict=True):
        points = {name: int(row[name]) - own["counter"] for name in ("start_point", "end_point", "fp_point")}
        assert points == {"start_point": step["begin"], "end_point": step["end"], "fp_point": step["forward"]}
        assert int(row["total"]) == sum(int(row[name]) for name in ("iteration_interval", "fp_and_bp", "tail"))
        assert int(row["total"]) == step["length"] == step["computation"] + step["pure_communication"] + step["free"]
        assert step["pure_communication"] == step["receive_alone"] + step["collective_alone"]
        assert end in (None, int(row["start_point"]))
        end = int(row["end_point"])
    assert average["step_num"] == "-"
    mean = sum(int(row["total"]) for row in rows[1:]) / (len(rows) - 1)
    assert int(average["total"]) == round(mean) == own["average"]["length"]
    assert sum(own["parts"][part]["total"] for part in ("computation", "pure_communication", "free")) == (
        own["span"][1] - own["span"][0]
    )


@pytest.mark.parametrize("rank", RANKS)
def test_the_timeline_is_where_the_counter_says(profiler: Path, expected: dict[str, Any], rank: int) -> None:
    counter = int((profiler / f"min_cycle_counter_{rank}.txt").read_text().removesuffix(".0"))
    assert counter == expected["ranks"][rank]["counter"]
    events = json.loads((profiler / f"ascend_timeline_display_{rank}.json").read_text())
    reduces = {
        (event["name"], round(event["ts"] * 100) + counter): round(event["dur"] * 100)
        for event in events
        if event["pid"] == 10000
    }
    rows = table(profiler / f"step_trace_raw_{rank}_detail_time.csv")[:-1]
    names = [name.removesuffix("_start_point") for name in rows[0] if name.endswith("_start_point")]
    assert reduces == {(name, int(row[f"{name}_start_point"])): int(row[name]) for row in rows for name in names}
    texts = [
        line.rsplit(",", 3) for line in (profiler / f"output_timeline_data_{rank}.txt").read_text().split("\n")[1:-1]
    ]
    kernels = [event for event in events if event["pid"] == rank]
    points = [line.split() for line in (profiler / f"output_format_data_hwts_{rank}.txt").read_text().split("\n")[2:-1]]
    assert sorted((point[0], int(point[7]) - counter) for point in points) == sorted(
        (name, round(event["ts"] * 100) + extra * round(event["dur"] * 100))
        for event in kernels
        for name, extra in (("Start", 0), ("End", 1))
    )
    assert [(text[0], round(float(text[2]) * 1e5) - counter) for text in texts] == [
        (event["args"]["fullname"], round(event["ts"] * 100)) for event in kernels
    ]


@pytest.mark.parametrize("rank", RANKS)
def test_types_are_sums_of_their_operators(profiler: Path, expected: dict[str, Any], rank: int) -> None:
    own = expected["ranks"][rank]
    totals, counts = Counter[str](), Counter[str]()
    for operator in own["operators"].values():
        if operator["core"] not in ("AI_CPU", "HCCL"):
            totals[operator["kind"]] += operator["total"]
            counts[operator["kind"]] += operator["count"]
    rows = table(profiler / f"aicore_intermediate_{rank}_type.csv")
    assert {row["kernel_type"]: round(float(row["total_time"]) * 1e5) for row in rows} == totals
    assert {row["kernel_type"]: int(row["execution_frequency"]) for row in rows} == counts
    for row in table(profiler / f"aicore_intermediate_{rank}_detail.csv"):
        operator = own["operators"][row["full_kernel_name"]]
        assert float(row["execution_time"]) * 1e5 * operator["count"] == pytest.approx(operator["total"])
    summary = json.loads((profiler / f"flops_summary_{rank}.json").read_text())
    scopes = json.loads((profiler / f"flops_scope_{rank}.json").read_text())["data"]["links"]
    assert round(summary["FLOPs"] * 1e6) == own["flops"]["cube"] + own["flops"]["vector"]
    top = sum(round(link["value"] * 1e6) for link in scopes if link["source"] == "Total")
    assert top == own["flops"]["cube"] + own["flops"]["vector"]


@pytest.mark.parametrize("rank", RANKS)
def test_links_and_waits_are_those_of_the_truth(profiler: Path, expected: dict[str, Any], rank: int) -> None:
    own = expected["ranks"][rank]
    csv.field_size_limit(1 << 20)
    rows = table(profiler / f"hccl_raw_{rank}.csv")
    assert [row["step_num"] for row in rows] == [*(str(step + 1) for step in range(SHAPE.steps)), "-"]
    ticks, sizes = Counter[str](), Counter[str]()
    for row in rows[:-1]:
        for link, by_transport in json.loads(row["link_info"]).items():
            for milliseconds, kilobytes, _ in by_transport.values():
                ticks[link] += round(milliseconds * 1e5)
                sizes[link] += round(kilobytes * 1e3)
    assert ticks == {f"{link['peer']}-{rank}": link["ticks"] for link in own["links"]}
    assert sizes == {f"{link['peer']}-{rank}": link["bytes"] for link in own["links"]}
    waits = sum(round(float(row["wait_cost"]) * 1e5) for row in rows[:-1])
    assert waits == sum(item["wait"] + item["linger"] for item in own["communications"])


@pytest.mark.parametrize("is_real", [False, True], ids=["own", "real"])
def test_rates_of_a_step_are_sums_of_those_of_its_operators(profiler: Path, is_real: bool) -> None:
    csv.field_size_limit(1 << 20)
    rows = table(corpus_path("ascend/cluster_propose/hccl_raw_0.csv") if is_real else profiler / "hccl_raw_0.csv")
    means = Counter[str]()
    for row in rows[:-1]:
        sums = Counter[str]()
        for *_, links in json.loads(row["communication_operator_cost"]).values():
            for link, by_transport in links.items():
                for milliseconds, kilobytes, rate in by_transport.values():
                    assert rate == pytest.approx(kilobytes / milliseconds * 1e3)
                    sums[link] += rate
        assert rates(row) == pytest.approx(sums)
        means.update(sums)
    assert rates(rows[-1]) == pytest.approx({link: rate / len(rows[:-1]) for link, rate in means.items()})


def rates(row: dict[str, str]) -> dict[str, float]:
    """KB a second by link."""
    links = json.loads(row["link_info"])
    return {link: rate for link, by_transport in links.items() for _, _, rate in by_transport.values()}


def test_what_was_planted_can_be_seen(expected: dict[str, Any]) -> None:
    ranks = expected["ranks"]
    kernels = [sum(row["total"] for row in rank["kinds"] if row["kind"] == "MatMul") for rank in ranks]
    assert kernels.index(max(kernels)) == SHAPE.slow_rank
    assert max(kernels) > 1.2 * sum(kernels) / len(kernels)
    rates = {
        (link["peer"], rank["rank"]): link["bytes"] / link["ticks"]
        for rank in ranks
        for link in rank["links"]
        if link["transport"] == "SDMA" and link["peer"] != rank["rank"]
    }
    slowest = min(rates, key=lambda link: rates[link])
    assert slowest == (SHAPE.slow_peer, SHAPE.slow_reader)
    assert rates[slowest] < 0.8 * sum(rates.values()) / len(rates)
    # The others of a slow rank's stage wait for it.
    first, second = (
        sum(item["wait"] for item in ranks[rank]["communications"] if "AllReduce" in item["name"]) for rank in (0, 1)
    )
    assert first > 4 * second
    starved = [max(rank["steps"], key=lambda step: step["interval"])["step"] for rank in ranks]
    assert starved == [expected["planted"]["starved_step"]] * SHAPE.ranks
    figures, limits = expected["figures"], expected["thresholds"]
    intervals = figures["mean_intervals"]
    over = [100 * (interval / (sum(intervals) / len(intervals)) - 1) for interval in intervals]
    assert [rank for rank in RANKS if over[rank] > limits["step_interval_over_mean_percent"]] == [SHAPE.fed_slowly]
    for name, (part, whole) in (
        ("receive", figures["receive"]),
        *(("collective", own) for own in figures["collective"]),
    ):
        assert 100 * part / whole > limits[f"{name}_percent"]
    usage = figures["queue_usage"]
    gaps = {
        operation["number"]: max(usage[child] for child in operation["children"]) - usage[operation["number"]]
        for operation in expected["pipeline"]["operations"]
        if operation["children"] and operation["number"] in usage
    }
    assert max(gaps, key=lambda number: gaps[number]) == expected["pipeline"]["bottleneck"]
    assert max(gaps.values()) > 0.1


def test_graph_memory_is_what_lives_at_each_operator(profiler: Path, expected: dict[str, Any]) -> None:
    for rank in RANKS:
        (graph,) = json.loads((profiler / f"memory_usage_details_{rank}.json").read_text()).values()
        summary = json.loads((profiler / f"memory_usage_summary_{rank}.json").read_text())
        count = len(graph["nodes"])
        curve = [0.0] * count
        for node in graph["nodes"].values():
            for tensor in node["outputs"]:
                for place in range(tensor["life_start"], min(tensor["life_end"] + 1, count)):
                    curve[place] += tensor["size"]
        assert [graph["static_mem"] + used for used in curve] == pytest.approx(graph["lines"], abs=1e-9)
        memory = expected["ranks"][rank]["memory"]
        assert round(summary["peak_mem"] * 2**30) == memory["peak"] == memory["curve"][memory["peak_at"]]


def test_one_stage_writes_steps_of_data_parallel_training(tmp_path: Path) -> None:
    training = Training(AscendShape(ranks=2, stages=1, slow_peer=0, slow_reader=1))
    write_profiler(tmp_path, training)
    own = (tmp_path / "ascend_cluster_analyse_data-parallel_1_2_0.csv").read_text()
    real = corpus_path("ascend/run_2/ascend_cluster_analyse_data-parallel_1_1_1.csv").read_text()
    assert own.split("\n")[0] == real.split("\n")[0]
    steps = truth(training)["ranks"][0]["steps"]
    assert own.split("\n")[1 : len(steps) + 1] == [
        f"{step['interval']}, {step['fp_and_bp']}, {step['tail']}" for step in steps
    ]


def test_the_same_shape_gives_the_same_bytes(profiler: Path, tmp_path: Path) -> None:
    files = write_profiler(tmp_path, Training(SHAPE))
    assert {path.name: path.read_bytes() for path in files} == {
        path.name: path.read_bytes() for path in profiler.iterdir()
    }
