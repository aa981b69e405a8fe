"""Figures of Ascend runs that several tools show: steps, operators, communication. Each meaning has one value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.ascend_run.__main__ import main as write_training
from tests.corpus import corpus_path
from tests.table_answers import rows_of, table_answer, written_tables
from tilescope.tiler.facts.step_times import StepClass
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.step_trace import TOOL as STEP_TRACE
from tilescope.tiler.tools.steps import TOOL as STEPS

HEADER = "Step Id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us)\n"
STEP_TRACES = [f"step_trace_raw_{rank}_detail_time.csv" for rank in range(4)]
KERNELS = [(step, f"op{step}_{k}", kind, state) for step in range(3) for k, (kind, state) in enumerate([
    ("MatMul", "dynamic"), ("Add", "static"), ("Add", "dynamic"), ("Cast", "static")])]  # fmt: skip


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ranks of torch_npu, timeline and tables."""
    folder = tmp_path_factory.mktemp("training")
    write_training([str(folder / "made"), "--kind", "ascend_pt", "--ranks", "2", "--stages", "1"])
    build_store(list(find_run(folder / "made").files), folder / "run.store")
    return folder / "run.store"


def total(store: Path, tool: str, table: str, column: str, **values: Any) -> int:
    return sum(values_of(table_answer(tool, store, **values).table(table).column(column)))  # type: ignore[arg-type]


def test_communication_of_each_rank(training: Path) -> None:
    """The union of communication in the timeline, the table of its operators, and the files about it."""
    for rank in (0, 1):
        timeline = values_of(table_answer("overlap", training).table("devices").column("communication"))[rank]
        operators = dict(rows_of(table_answer("operators", training, rank=rank), "cores", "core", "total"))
        assert timeline == operators["HCCL"] == dict(
            rows_of(table_answer("collectives", training), "ranks", "rank", "elapsed")
        )[rank]  # fmt: skip


def test_exposed_communication_of_each_rank(training: Path) -> None:
    devices = values_of(table_answer("overlap", training).table("devices").column("exposed_communication"))
    steps = rows_of(table_answer("collectives", training), "cluster_steps", "rank", "communication")
    assert devices == [sum(own for rank, own in steps if rank == number) for number in (0, 1)]


def test_time_of_operators_on_all_pages(training: Path) -> None:
    whole = table_answer("operators", training).fact("total").value
    assert whole == total(training, "operators", "cores", "total")
    assert whole == total(training, "operators", "types", "total", limit=1000)
    assert whole == total(training, "operators", "operators", "total", limit=1000)
    digest = table_answer("overview", training).table("digest.operators")
    assert values_of(digest.column("total")) == values_of(
        table_answer("operators", training, limit=len(digest)).table("types").column("total")
    )


def test_runs_of_dynamic_shapes_are_those_of_operators(tmp_path: Path) -> None:
    rows = [
        f"{step},{name},{kind},{state},AI_CORE,{9 * k},{k + 1}.25\n"
        for k, (step, name, kind, state) in enumerate(KERNELS)
    ]
    store = written_tables(tmp_path, kernel_details_csv=HEADER + "".join(rows))
    shapes = table_answer("dynamic_shape", store, state="all")
    operators = table_answer("operators", store)
    by_type = sorted(rows_of(shapes, "types", "name", "count", "total"))
    assert by_type == sorted(rows_of(operators, "types", "type", "count", "total"))
    assert shapes.fact("runs").value == operators.fact("count").value == len(KERNELS)


@pytest.mark.parametrize("name", ["run_1/step_trace_raw_1_detail_time.csv", "msprof_0_2_10.json"])
def test_steps_last_as_long_in_a_step_trace(tmp_path: Path, name: str) -> None:
    """The first step of MindSpore's step trace, of which nothing says when it began, enters no mean of any tool."""
    build_store([corpus_path(f"ascend/{name}")], tmp_path / "run.store")
    step_trace = table_answer("step_trace", tmp_path / "run.store")
    trace = rows_of(step_trace, "steps", "step", "duration")
    assert sorted(trace) == sorted(rows_of(table_answer("steps", tmp_path / "run.store"), "steps", "step", "duration"))
    overview = table_answer("overview", tmp_path / "run.store")
    mean = step_trace.fact("step").value
    entering = trace[1:] if name.startswith("run_1") else trace
    assert mean == pytest.approx(sum(int(duration) for _, duration in entering) / len(entering), abs=1)
    steps = table_answer("steps", tmp_path / "run.store")
    assert overview.fact("step_mean").value == steps.fact("mean").value == mean
    assert overview.fact("steps").value == steps.fact("count").value == len(trace)
    assert ("without the first recorded step, whose begin is not known" in steps.fact("mean").note) == (
        len(entering) < len(trace)
    )


def test_means_over_devices_and_of_the_longest_are_told_apart(tmp_path: Path) -> None:
    """Means of 4 ranks: 179.383 ms over all steps, 179.453 ms where of each step the longest counts."""
    build_store(list(find_run(corpus_path("ascend/cluster_propose")).files), tmp_path / "run.store")
    trace, steps, collectives = (
        table_answer(tool, tmp_path / "run.store") for tool in ("step_trace", "steps", "collectives")
    )
    assert (trace.fact("step").value, steps.fact("mean").value) == (179_382_763, 179_453_328)
    sentences = [tool.sentence(answer, 1000) for tool, answer in ((STEP_TRACE, trace), (STEPS, steps))]
    assert sentences[0].startswith("A step takes 179.383 ms, mean of 4 devices: 1.457 ms before forward")
    assert sentences[1].startswith("A step takes 179.453 ms on average on the device that takes longest: ")
    notes = [note.text for note in collectives.notes]
    assert "1 step here, 6, is not among those that the run marks, 1 to 5." in notes
    assert any(
        text.startswith("Rank 0 waits 1.5722 ms before a step by the mean row of its file, 0.8391 ms") for text in notes
    )


def test_steps_of_several_devices_are_told_to_be_of_each(tmp_path: Path) -> None:
    build_store([corpus_path(f"ascend/cluster_propose/{name}") for name in STEP_TRACES], tmp_path / "run.store")
    count = table_answer("step_trace", tmp_path / "run.store").fact("count")
    steps = table_answer("steps", tmp_path / "run.store").fact("count")
    assert count.value == 4 * int(str(steps.value))
    assert count.note == "of 4 devices, each with its own"
    assert not any("two series" in note.text for note in table_answer("steps", tmp_path / "run.store").notes)


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Timelines of two devices with step 1 alone, and step traces of theirs with all ten steps."""
    store = tmp_path_factory.mktemp("two_ranks") / "run.store"
    build_store(list(find_run(corpus_path("ascend/two_ranks")).files), store)
    return store


def test_steps_of_a_step_trace_are_those_of_its_device(two_ranks: Path) -> None:
    steps, pod, trace = (table_answer(tool, two_ranks) for tool in ("steps", "pod", "step_trace"))
    assert [table_answer(tool, two_ranks).fact("devices").value for tool in ("steps", "overview")] == [2, 2]
    numbers = list(range(1, 11))
    assert rows_of(steps, "series", "host", "count", "first", "last") == [
        ("device 0", 10, 1, 10),
        ("device 1", 10, 1, 10),
    ]
    assert sorted(rows_of(pod, "cells", "step", "core")) == sorted(
        (number, f"device {k} · Ascend Hardware") for number in numbers for k in (0, 1)
    )
    assert [(count, mean // 1000) for count, mean in rows_of(pod, "cores", "steps", "duration")] == [
        (10, 18_994_528),
        (10, 20_404_975),
    ]
    # One step of each has recorded operators: its parts are those of the card, and add up to it.
    parts = tuple(StepClass)
    cores = rows_of(pod, "cores", "recorded", "recorded_duration", *parts)
    assert [(count, duration // 1_000_000) for count, duration, *_ in cores] == [(1, 47_587), (1, 57_532)]
    assert all(abs(duration - sum(part or 0 for part in row)) <= len(parts) for _, duration, *row in cores)
    assert (trace.fact("count").value, trace.fact("count").note) == (20, "of 2 devices, each with its own")
    notes = " ".join(note.text for answer in (steps, pod, trace) for note in answer.notes)
    assert "two series" not in notes
    assert "lack" not in notes
    reader = QueryReader(open_run_store(two_ranks))
    tracks = [track.id for track in reader.tree.tracks if track.kind != "rollup"]
    of_tracks = [reader.steps.of_track(track) for track in tracks]
    hosts = [reader.tree.groups[reader.tree.tracks[track].group].parent for track in tracks]
    for host in set(hosts):  # the tracks of a step trace have the steps that it was put into
        assert len({id(series) for series, own in zip(of_tracks, hosts, strict=True) if own == host}) == 1
    reader.store.close()


def test_the_verdict_is_of_the_step_whose_operators_were_recorded(two_ranks: Path) -> None:
    overview = table_answer("overview", two_ranks)
    assert overview.headline is not None
    assert overview.headline.text.startswith(
        "Step #1 loses 41.5 ms of 47.6 ms (87.3 %) in communication that nothing hides"
    )
    assert "9 steps end after the last recorded operator: left out" in " ".join(n.text for n in overview.notes)


def test_a_step_trace_of_other_times_stays_apart(tmp_path: Path) -> None:
    """Steps of one number that do not meet: the step trace is of another run than the timeline."""
    folder = tmp_path / "PROF_000001_20230818142704322_A" / "device_0" / "timeline"
    folder.mkdir(parents=True)
    source = corpus_path("ascend/two_ranks/PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline")
    for name in ("msprof_0_2_1.json", "step_trace_0_2_1.json"):
        (folder / name).write_bytes((source / name).read_bytes())
    rows = json.loads((folder / "step_trace_0_2_1.json").read_text())
    for row in rows:
        if "ts" in row:
            row["ts"] = float(row["ts"]) + 10_000_000
    (folder / "step_trace_0_2_1.json").write_text(json.dumps(rows))
    build_store(list(find_run(tmp_path).files), tmp_path / "run.store")
    notes = [note.text for note in table_answer("steps", tmp_path / "run.store").notes]
    assert [text for text in notes if "the steps of a device are two series" in text] != []
