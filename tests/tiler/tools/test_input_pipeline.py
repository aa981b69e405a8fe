"""Whether programs wait for their input: the figures of xprof, or of the truth where it is wrong; any span adds up."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from bench.pod_run import PodShape, write_pod
from tests.corpus import corpus_path
from tests.headlines import headline
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import Column, values_of

FILES = {
    "pod": "pod",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb",
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
}
NO_STEPS = "the trace marks no steps: say with step_name which slices are steps"
CATEGORIES = {
    "Enqueuing data": ("Enqueue", "enqueue_us"),
    "Preprocessing": ("Preprocessing", "preprocessing_us"),
    "Reading files in advance": ("Advanced file read", "advanced_file_read_us"),
    "Reading files on demand": ("Demanded file read", "demanded_file_read_us"),
    "Other reading or processing": ("Unclassified", "unclassified_nonequeue_us"),
}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("input") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    of = tool("input_pipeline")
    return finish(ask(of, Scope(reader), from_values(of.question, asked)))


def by_row(of: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def added(column: Column) -> int:
    return sum(int(value or 0) for value in values_of(column))


def truth() -> Any:
    return json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))


def of_host(reader: QueryReader, host: str) -> list[int]:
    tracks: list[int] = reader.tree.of_host(host)
    return tracks


@pytest.mark.parametrize("host", ["all", "tpu-pod-w-2"])
def test_steps_of_a_pod(readers: dict[str, QueryReader], host: str) -> None:
    reader = readers["pod"]
    index, steps, *_ = golden(f"pod/{host}/input_pipeline_analyzer")
    asked = {} if host == "all" else {"tracks": of_host(reader, host)}
    of = answer(reader, **asked)
    ours, known = by_row(of, "steps"), truth()["steps"]
    assert [row["step"] for row in ours] == [100, 101, 102, 103, 104, 105]  # it begins anew at 0
    waits_most = [cell["v"] for cell in index["rows"][1]["c"]][1:]
    for row, theirs, step, core in zip(ours, rows(steps), known, waits_most, strict=True):
        cores = {key: one for key, one in step["cores"].items() if host == "all" or key.startswith("20")}
        for name, column in (
            ("compute", "tcComputeTimeMs"),
            ("infeed", "tcInfeedTimeMs"),
            ("outfeed", "tcOutfeedTimeMs"),
            ("host_transfer", "hostTransferTimeMs"),
            ("sparse_infeed", "scv0InfeedTimeMs"),
        ):
            assert is_close(row[name] / 1e9, theirs[column]), name
        # Every core has the longest step of its host there: its shares and what is left differ from the truth.
        hosts = {key: int(key) // 1000 for key in cores}
        longest = {
            key: max(one["duration"] for other, one in cores.items() if hosts[other] == hosts[key]) for key in cores
        }
        waits = {key: one["category"]["infeed"] for key, one in cores.items()}
        shares = [waits[key] / one["duration"] for key, one in cores.items()]
        wrong = [100 * waits[key] / longest[key] for key in cores]
        assert is_close(mean(wrong), theirs["infeedPercentAverage"])
        assert is_close(max(wrong), theirs["infeedPercentMax"])
        assert (row["infeed_min"], row["infeed_max"]) == (min(shares), max(shares))
        assert is_close(row["infeed_mean"], mean(shares))
        taken = [row["compute"], row["infeed"], row["outfeed"]]
        assert is_close((min(longest.values()) - sum(taken)) / 1e9, theirs["tcIdleTimeMs"])
        assert row["idle"] == max(0, min(one["duration"] for one in cores.values()) - sum(taken))
        assert row["duration"] == max(one["duration"] for one in cores.values())
        name, chip = core.split(":")
        assert f"Chip {chip}" in row["core"]
        assert name in row["core"] or host != "all"
        reduces = [one["all_reduce"] for one in cores.values()]
        most = max(reduces, key=lambda one: one["compute"] + one["sync"])
        assert (row["all_reduce_compute"], row["all_reduce_sync"]) == (most["compute"], most["sync"])
    shares_most = [row["infeed_max"] for row in ours]
    assert of.fact("infeed_deviation").value == pytest.approx(stdev(shares_most), rel=1e-12)
    of_steps = steps["p"]
    if host == "all":
        for name, key in (
            ("mean", "average"),
            ("deviation", "standard_deviation"),
            ("min", "minimum"),
            ("max", "maximum"),
        ):
            assert f"{int(str(of.fact(name).value)) / 1e9:.2f}" == of_steps[f"steptime_ms_{key}"]
    assert "highly" in str(of.fact("verdict").value)
    assert "HIGHLY" in of_steps["input_conclusion"]
    # It says 20.5 % of all hosts, because it counts all-reduces twice in what it divides by.
    waited = [max((c["category"]["infeed"], c["duration"]) for c in s["cores"].values()) for s in known]
    share = sum(one[0] for one in waited) / sum(one[1] for one in waited)
    assert of.fact("input_share").value == share
    assert round(100 * share, 1) == 27.7


def test_the_chart_of_steps_adds_up(readers: dict[str, QueryReader]) -> None:
    for name, table in (("pod", None), ("jax_cpu_10steps", "host_steps"), ("gpu_v100x8_bert", "host_steps")):
        of = answer(readers[name])
        series = of.series[0]
        sums = [sum(of_step) for of_step in zip(*(values_of(y) for y in series.ys if y.kind == "ticks"), strict=True)]
        if table is None:
            known = [
                max((c["category"]["infeed"], c["duration"]) for c in step["cores"].values())[1]
                for step in truth()["steps"]
            ]
        else:
            known = [row["duration"] for row in by_row(of, table)]
        assert sums == known


@pytest.mark.parametrize("name", ["pod/all", "pod/tpu-pod-w-2", "gpu_v100x8_bert"])
def test_input_operations_as_xprof_has_them(readers: dict[str, QueryReader], name: str) -> None:
    file, _, host = name.partition("/")
    reader = readers[file]
    tick_ps = int(reader.store.manifest()["tick_ps"])
    _, _, operations, advice, *_ = golden(f"{name}/input_pipeline_analyzer")
    of = answer(reader, **({"tracks": of_host(reader, host)} if host not in ("", "all") else {}))
    ours = {row["name"]: row for row in by_row(of, "input_operations")}
    assert len(ours) == len(operations["rows"])
    for row in rows(operations):
        found = ours[row["opName"]]
        assert found["count"] == row["count"]
        assert found["total"] * tick_ps == round(row["timeInMs"] * 1e9)
        assert found["self"] * tick_ps == round(row["selfTimeInMs"] * 1e9)
        assert is_close(found["total_share"], row["timeInPercent"])
        assert is_close(found["share"], row["selfTimeInPercent"])
        assert CATEGORIES[found["category"]][0] == row["category"]
    assert sum(row["share"] for row in ours.values()) == pytest.approx(1)
    categories = by_row(of, "input_categories")
    assert len(categories) == len(advice["rows"]) == 5
    for row in categories:
        us = row["explained"] * tick_ps / 1e6
        assert f"{us:.3f}" == operations["p"][CATEGORIES[row["category"]][1]]
        assert row["advice"]
    # Both bars add up to what the table says of each category: parts without time are left out.
    (chart,) = (series for series in of.series if series.id == "host_input")
    assert chart.kind == "area"
    drawn = {y.title: tuple(values_of(y)) for y in chart.ys}
    taken = {row["category"]: (row["self"], row["explained"]) for row in categories}
    assert drawn == {category: ticks for category, ticks in taken.items() if any(ticks)}
    assert [sum(bar) for bar in zip(*drawn.values(), strict=True)] == [
        (of.table("input_categories").totals or {})[key] for key in ("self", "explained")
    ]


def test_steps_of_a_cpu_as_xprof_has_them(readers: dict[str, QueryReader]) -> None:
    _, steps, *_ = golden("jax_cpu_10steps/input_pipeline_analyzer")
    every = answer(readers["jax_cpu_10steps"])
    assert every.fact("steps").value == 10
    of = answer(readers["jax_cpu_10steps"], steps="1-8")  # it leaves out the first and the last
    columns = {
        "device_compute": "deviceComputeTimeMs",
        "device_to_device": "deviceToDeviceTimeMs",
        "device_collectives": "deviceCollectivesTimeMs",
        "host_compute": "hostComputeTimeMs",
        "kernel_launch": "kernelLaunchTimeMs",
        "input": "infeedTimeMs",
        "output": "outfeedTimeMs",
        "compilation": "compileTimeMs",
        "others": "otherTimeMs",
        "duration": "stepTimeMs",
    }
    ours = by_row(of, "host_steps")
    for row, theirs in zip(ours, rows(steps), strict=True):
        assert theirs["stepnum"] == f"train {row['step']}"
        assert {name: row[name] / 1e6 for name in columns} == {name: theirs[key] for name, key in columns.items()}
    summary = steps["p"]
    assert of.fact("verdict").value == "not input-bound"  # it takes what it does not know for input
    assert "POTENTIALLY input-bound because 4.7%" in summary["input_conclusion"]
    times = [row["duration"] for row in ours]
    assert (of.fact("mean").value, of.fact("deviation").value) == (round(mean(times)), round(stdev(times)))
    assert f"{int(str(of.fact('deviation').value)) / 1e6:.1f}" == summary["steptime_ms_standard_deviation"]
    shares = [row["input"] / row["duration"] for row in ours]
    assert of.fact("infeed_deviation").value == pytest.approx(stdev(shares), rel=1e-12)
    assert "host_input" not in [series.id for series in of.series]
    # Nothing is known of input on this host: not nought.
    assert of.fact("host_input").value is None
    assert "tf.data" in of.fact("host_input").note


def test_a_single_step_has_no_deviation(readers: dict[str, QueryReader]) -> None:
    of = answer(readers["gpu_v100x8_bert"])
    assert of.fact("deviation").value is None  # it prints -nan
    assert of.fact("infeed_deviation").value is None
    assert f"{int(str(of.fact('mean').value)) / 1e6:.1f}" == "21.3"
    # With the work of hosts it is input, not "all others", that steps have; but no step would be 3 % shorter without.
    assert of.fact("verdict").value == "not input-bound"
    assert "2 of 8 devices work" in headline(of).text


def test_without_steps(readers: dict[str, QueryReader]) -> None:
    of = answer(readers["tpu_v6e_4core"])
    assert [of.fact(name).value for name in ("verdict", "input_share", "mean")] == [None] * 3
    assert of.fact("verdict").note == NO_STEPS
    assert [table.id for table in of.tables] == ["step_candidates"]


def test_what_is_said_where_a_span_has_no_step(readers: dict[str, QueryReader]) -> None:
    reader = readers["gpu_v100x8_bert"]
    assert reader.steps.series
    assert headline(answer(reader, start=0, end=1)).text.startswith(
        "No step of these devices and hosts lies in this span"
    )


def test_nothing_is_said_of_waiting_for_input_where_no_device_was_recorded(tmp_path: Path) -> None:
    reads = Instruction("", expression="Iterator::Batch::TFRecord")
    host = plane("/host:CPU", [reads], {"python": [Run(0, 0, 900)]})
    build_store([write_trace(tmp_path / "run.xplane.pb", [host])], tmp_path / "store")
    hosts_alone = answer(QueryReader(open_run_store(tmp_path / "store")))
    assert hosts_alone.fact("host_input").value is not None
    assert headline(hosts_alone).text == "The trace marks no steps: whether anything waits for input was not recorded."


def test_any_span_is_the_sum_of_its_halves(readers: dict[str, QueryReader]) -> None:
    for name, table, tracks in (
        ("pod", "steps", [t.id for t in readers["pod"].tree.tracks if t.name == "XLA Ops"][5:6]),
        ("gpu_v100x8_bert", "host_steps", None),
        ("jax_cpu_10steps", "host_steps", None),
    ):
        reader = readers[name]

        def sums(
            start: int, end: int, *, reader: QueryReader = reader, table: str = table, tracks: Any = tracks
        ) -> Any:
            of = answer(reader, start=start, end=end, tracks=tracks)
            totals: dict[str, int] = {}
            for one in of.tables:
                if one.id == table:
                    for column in one.columns:
                        if column.kind == "ticks":
                            totals[column.id] = added(column)
                if one.id == "input_operations":
                    for column in one.columns:
                        if column.id in ("count", "total", "self"):
                            totals[f"input {column.id}"] = added(column)
            return totals

        end = reader.end + 1
        whole = sums(0, end)
        assert whole["duration"] > 0
        for cut in (end // 7, end // 2, end * 12 // 13):
            first, second = sums(0, cut), sums(cut, end)
            assert {key: first.get(key, 0) + second.get(key, 0) for key in whole} == whole


def test_hosts_that_begin_late_are_said_so(tmp_path: Path) -> None:
    names = [Instruction("infeed.1", {"program_id": 1, "symbol_id": 1, "hlo_category": "infeed"}), Instruction("step")]
    planes = [
        plane(
            f"/device:TPU:{k}",
            names,
            {
                "Steps": [Run(1, 100 * step, 90, (100 * step, 90)) for step in range(first, 4)],
                "XLA Ops": [Run(0, 100 * step, 10 + k, (100 * step, 10 + k)) for step in range(first, 4)],
            },
        )
        for k, first in enumerate((0, 2))
    ]
    build_store([write_trace(tmp_path / "run.xplane.pb", planes)], tmp_path / "store")
    of = answer(QueryReader(open_run_store(tmp_path / "store")))
    assert any("/device:TPU:1 began later: steps were matched by their times" in note.text for note in of.notes)
    assert [row["infeed"] for row in by_row(of, "steps")] == [10, 10, 11, 11]
    event = by_row(of, "steps")[3]["event"]
    assert str(event).endswith(".1")  # the second step of the core that waits longest


def test_means_are_of_the_steps_that_all_cores_have(tmp_path: Path) -> None:
    """A host was recorded a step later: of the first step its cores are missing."""
    shape = PodShape()
    assert shape.late_host == 1
    pod = write_pod(tmp_path / "pod", shape)
    build_store([Path(path) for path in pod.files], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    steps = [step["cores"] for step in pod.truth["steps"]]
    longest = [
        max(core["duration"] for core in cores.values()) // reader.tick_ps
        for cores in steps
        if len(cores) == shape.cores
    ]
    assert len(longest) == len(steps) - 1
    pipeline = answer(reader)
    assert pipeline.fact("mean").value == pytest.approx(sum(longest) / len(longest), abs=1)
    steps_answer = finish(ask(tool("steps"), Scope(reader), from_values(tool("steps").question, {})))
    durations = steps_answer.fact("mean")
    assert durations.value == pipeline.fact("mean").value
    assert f"pod-worker-1 lacks step {shape.first_step}." in [note.text for note in steps_answer.notes]
    assert f"of the {len(longest)} steps that all devices have" in durations.note
    texts = [note.text for note in pipeline.notes]
    assert f"pod-worker-1 lacks step {shape.first_step}." in texts, "the host, not each of its cores"
    assert "Means and shares are of the 4 steps that all have, not of 1 more." in texts


@pytest.mark.parametrize(("cause", "where"), [("slow_host", "host"), ("exposed_collective", "device")])
def test_where_to_look_is_where_the_longest_cause_is(tmp_path: Path, cause: str, where: str) -> None:
    build_store(write_ranks(run(PLANTED[cause]), tmp_path), tmp_path / "store")
    verdicts = answer(QueryReader(open_run_store(tmp_path / "store")))
    assert verdicts.fact("verdict").value == "not input-bound"
    assert verdicts.fact("where").value == where
    assert headline(verdicts).severity == "info"
