"""Figures that the profiler of Ascend writes into its own traces, and tools beside them: equal to the last digit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.cli import main
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, tool
from tilescope.tiler.tools.answer import values_of

# Of the step, in ticks of the trace: its duration, computation and exposed communication.
STEPS: Final = {
    "msprof_0_2_10.json": (16_329_380_000, 5_942_800_000, 10_238_590_000),
    # The rows of the file have 1,788,250,500 ps: two tasks of AI CPUs are rounded there, by 124 ps together.
    "msprof_trace_view_string_ts.json": (11_319_005_000, 1_788_250_624, 0),
}
FIRST_TIMELINE: Final = "timeline_display_1.json"


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    """The traces, indexed, by their names."""
    folder = tmp_path_factory.mktemp("ascend")
    readers = {}
    for name in (*STEPS, FIRST_TIMELINE):
        store = folder / f"{name}.store"
        build_store([corpus_path(f"ascend/{name}")], store)
        readers[name] = QueryReader(open_run_store(store))
    return readers


@pytest.mark.parametrize("name", STEPS)
def test_overlap_has_the_computation_of_the_step(name: str, readers: dict[str, QueryReader]) -> None:
    (step,) = rows(answer(readers[name], "overlap"), "steps")
    assert (step["computation"], step["exposed_communication"]) == STEPS[name][1:]


def test_overlap_has_the_free_time_of_the_step(readers: dict[str, QueryReader]) -> None:
    """The step is longer than from its first work to the end of its last."""
    (step,) = rows(answer(readers["msprof_0_2_10.json"], "overlap"), "steps")
    assert (step["span"], step["idle"]) == (16_329_380_000, 147_990_000)
    cut = step["start"] + 7_000_000_000
    halves = [
        rows(answer(readers["msprof_0_2_10.json"], "overlap", start=start, end=end), "steps")[0]
        for start, end in ((step["start"], cut), (cut, step["end"]))
    ]
    for part in ("span", "computation", "exposed_communication", "idle"):
        assert sum(half[part] for half in halves) == step[part]


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("tool", ["pod", "input_pipeline"])
def test_parts_of_the_step(name: str, tool: str, readers: dict[str, QueryReader]) -> None:
    duration, computation, communication = STEPS[name]
    (step,) = rows(answer(readers[name], tool), "cells" if tool == "pod" else "host_steps")
    assert step["duration"] == duration
    assert (step["device_compute"], step["device_collectives"]) == (computation, communication)
    # What is left is free: in the first trace no host runs operators, nor are there copies.
    if name == "msprof_0_2_10.json":
        assert step["others"] == duration - computation - communication == 147_990_000


@pytest.mark.parametrize("name", STEPS)
def test_overview_shows_the_same_parts(name: str, readers: dict[str, QueryReader]) -> None:
    parts = {row["name"]: row["mean"] for row in rows(answer(readers[name], "overview"), "parts")}
    assert (parts["Device compute"], parts["Collectives"]) == STEPS[name][1:]


def test_copies_outside_of_communication_are_copies(readers: dict[str, QueryReader]) -> None:
    """Two tasks MEMCPY_ASYNC of the type `Other`, which lie in no row `Computing`."""
    (device,) = rows(answer(readers["msprof_trace_view_string_ts.json"], "overlap"), "devices")
    assert (device["copies"], device["exposed_copies"]) == (2_190_000, 2_190_000)
    (device,) = rows(answer(readers["msprof_0_2_10.json"], "overlap"), "devices")
    assert (device["copies"], device["exposed_copies"]) == (0, 0)  # all are parts of the communication kernel


def test_the_first_timelines_of_mindspore(readers: dict[str, QueryReader]) -> None:
    (device,) = rows(answer(readers[FIRST_TIMELINE], "overlap"), "devices")
    assert device["device"] == "Device 1"
    # All computation, in the part of 66.2 s in which operators were recorded: the rows of the timeline go on behind.
    assert device["computation"] == 1_771_382_850  # ns
    busy = union(first_timeline_slices(2_960_674_680))
    assert (device["span"], device["idle"]) == (2_960_674_680, 2_960_674_680 - busy)


def first_timeline_slices(end: int) -> list[tuple[int, int]]:
    """Operators and communication that begin before a tick, from the file's text."""
    slices = []
    for event in json.loads(corpus_path(f"ascend/{FIRST_TIMELINE}").read_text(), parse_float=Decimal):
        if event.get("ph") == "X":
            start, length = (round(Decimal(event[key]) * 1000) for key in ("ts", "dur"))
            slices.append((start, min(start + length, end)))
    return sorted(part for part in slices if part[0] < end)


def union(slices: Sequence[tuple[int, int]]) -> int:
    """Ticks in any of these, which come by their starts."""
    ticks = reached = 0
    for start, stop in slices:
        ticks += max(stop - max(start, reached), 0)
        reached = max(reached, stop)
    return ticks


def test_one_rule_of_the_recorded_part(readers: dict[str, QueryReader], tmp_path: Path) -> None:
    """Idle time is the same in all tools: nobody counts time in which operators were not recorded."""
    shutil.copytree(corpus_path("ascend/run_1"), tmp_path / "profiler")
    shutil.copy(corpus_path(f"ascend/{FIRST_TIMELINE}"), tmp_path / "profiler")
    assert main(["index", str(tmp_path / "profiler"), "-o", str(tmp_path / "run.store")]) == 0
    run_1 = QueryReader(open_run_store(tmp_path / "run.store"))
    for reader in (readers[FIRST_TIMELINE], run_1):
        overlap, gaps, overview = (answer(reader, name) for name in ("overlap", "gaps", "overview"))
        idle, span = (overlap.fact(name).value for name in ("idle", "span"))
        assert (gaps.fact("idle").value, gaps.fact("span").value) == (idle, span)
        assert isinstance(idle, int)
        assert isinstance(span, int)
        assert overview.fact("device_idle").value == gaps.fact("idle_share").value == idle / span
    steps = rows(overlap, "steps")
    parts = {row["name"]: row["mean"] for row in rows(overview, "parts")}
    assert [row["step"] for row in steps] == list(range(1, 15))
    assert parts["All others"] == pytest.approx(sum(row["idle"] for row in steps[1:]) / 13, abs=1)
    assert any(note.text.startswith("308 steps end after the last recorded operator") for note in overlap.notes)
    for name in ("overlap", "gaps"):
        later = answer(run_1, name, start=5_000_000_000, end=6_000_000_000)
        assert later.headline is not None
        assert "not known: operators were recorded only up to an earlier time" in later.headline.text.lower()
    run_1.store.close()


def test_waits_between_steps_are_waits_for_input(tmp_path: Path) -> None:
    """Input pipeline says what the step trace says of data: 18 ms before each step, which no step holds."""
    assert main(["index", str(corpus_path("ascend/two_ranks")), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    pipeline, trace = answer(reader, "input_pipeline"), answer(reader, "step_trace")
    wait = trace.fact("wait").value
    assert pipeline.fact("step_wait").value == wait
    waits = [(row["wait"], row["forward_backward"] + row["tail"]) for row in rows(trace, "steps") if row["wait"]]
    assert len(waits) == 18
    share = sum(ticks for ticks, _ in waits) / sum(map(sum, waits))
    assert pipeline.fact("step_wait_share").value == pytest.approx(share)
    assert (pipeline.fact("verdict").value, pipeline.fact("where").value) == ("highly input-bound", "host")
    assert pipeline.fact("verdict").note == "", "a value has no reason for which there is none"
    assert pipeline.headline is not None
    assert pipeline.headline.text.startswith("Devices wait 18.459 ms for the data of each step, 53.5 % of the time")
    reader.store.close()


def test_a_single_step_tells_no_wait_before_forward(tmp_path: Path) -> None:
    """MindSpore writes the start of forward as that of the first step, so an interval of 0 is not a wait of 0.

    The step ends where its trace says, 256.6 µs before the last operators: the 878 µs to these are no time of it.
    """
    build_store(sorted(corpus_path("ascend/run_2").iterdir()), tmp_path / "run.store")
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    overview, pipeline = answer(reader, "overview"), answer(reader, "input_pipeline")
    assert "step_wait" not in {fact.id for fact in pipeline.facts}
    assert overview.fact("step_mean").value == 23_709_050
    assert {row["class"] for row in rows(overview, "findings")} == {"none"}
    others = next(row["mean"] for row in rows(overview, "parts") if row["name"] == "All others")
    assert others == 670_180, "2.8 % of the step"
    reader.store.close()


def test_the_verdict_is_of_what_the_answer_begins_with(tmp_path: Path) -> None:
    """Steps that wait for data say it, and the queues behind them; what queues alone say is no verdict on steps."""
    assert main(["index", str(corpus_path("ascend/profiler")), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    pipeline = answer(reader, "input_pipeline")
    assert pipeline.headline is not None
    assert pipeline.headline.text.startswith("Devices wait 90.373 ms for the data of each step, 69.3 % of the time")
    assert (pipeline.fact("verdict").value, pipeline.fact("where").value) == ("highly input-bound", "host")
    assert any(note.text.startswith("Processing of data is slow") for note in pipeline.notes)
    reader.store.close()


def test_overview_names_the_device_of_a_first_timeline(readers: dict[str, QueryReader]) -> None:
    facts = {fact.id: fact.value for fact in answer(readers[FIRST_TIMELINE], "overview").facts}
    assert "Ascend" in facts.values()


def test_steps_without_recorded_work_are_not_judged(tmp_path: Path) -> None:
    """The step trace has 322 steps and their reductions, and the timeline the operators of the first 14 alone."""
    build_store(sorted(corpus_path("ascend/run_1").iterdir()), tmp_path / "run.store")
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    overview = answer(reader, "overview")
    (first, *others) = rows(overview, "findings")
    assert (first["class"], first["where"]) == ("unclear", "Device 1 · stream_540_parallel_0")
    assert {row["class"] for row in others} == {"collective", "straggler"}, "of all alike, or of a rank that is late"
    steps = [row for row in rows(answer(reader, "step_trace"), "steps") if 2 <= row["step"] <= 14]
    assert len(steps) == 13
    mean = sum(row["duration"] for row in steps) / 13
    free = mean - 1_771_382_850 / 14  # all but the mean work of a step: reductions that nothing hides, and idle time
    assert 0.95 * free < first["loss"] < free
    assert [
        note.text for note in overview.notes if note.text.startswith("308 steps end after the last recorded operator")
    ]
    reader.store.close()


@pytest.mark.parametrize("files", [(), (FIRST_TIMELINE,)])
def test_parts_of_steps_are_those_of_their_device(files: tuple[str, ...], tmp_path: Path) -> None:
    """Steps, operators and communication stand in files of their own."""
    capture = tmp_path / "profiler"
    shutil.copytree(corpus_path("ascend/run_1"), capture)
    for name in files:
        shutil.copy(corpus_path(f"ascend/{name}"), capture)
    assert main(["index", str(capture), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    overview = answer(reader, "overview")
    parts = {row["name"]: row["mean"] for row in rows(overview, "parts")}
    steps = [
        row for row in rows(answer(reader, "overlap"), "steps") if 2 <= row["step"] <= 14
    ]  # not the first, cut one
    for title, name in (
        ("Device compute", "computation"),
        ("Collectives", "exposed_communication"),
        ("All others", "idle"),
    ):
        assert parts[title] == pytest.approx(sum(step[name] for step in steps) / 13, abs=1)
    assert [note.text for note in overview.notes if note.text.startswith("Parts and shares leave out 308 steps")]
    reader.store.close()


def test_steps_that_another_file_has_alone_are_in_no_mean_of_parts(tmp_path: Path) -> None:
    """Two devices with the operators of step 1, and a step trace of steps 2 to 10 beside each."""
    assert main(["index", str(corpus_path("ascend/two_ranks")), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    overview = answer(reader, "overview")
    parts = {row["name"]: row["share"] for row in rows(overview, "parts")}
    devices = rows(answer(reader, "overlap"), "devices")
    span = sum(device["span"] for device in devices)
    for title, name in (("Device compute", "computation"), ("Collectives", "exposed_communication")):
        assert parts[title] == pytest.approx(sum(device[name] for device in devices) / span, rel=0.01)
    texts = " ".join(note.text for note in overview.notes)
    assert "were recorded only up to 57.529 ms" in texts
    assert "Parts and shares leave out 9 steps" in texts
    reader.store.close()


def test_files_of_a_device_are_of_its_host(tmp_path: Path) -> None:
    """A training has the same steps and parts in files of the first profiler, which name devices, and of the second."""
    training = Training(AscendShape())
    write_profiler(tmp_path / "summary" / "profiler", training)
    write_ascend(tmp_path / "second", training, "pt")
    figures = []
    for folder in ("summary/profiler", "second"):
        assert main(["index", str(tmp_path / folder), "-o", str(tmp_path / "run.store")]) == 0
        reader = QueryReader(open_run_store(tmp_path / "run.store"))
        overview = answer(reader, "overview")
        facts = {fact.id: fact.value for fact in overview.facts}
        first = rows(overview, "findings")[0]
        parts = {row["name"]: row["mean"] * reader.tick_ps for row in rows(overview, "parts")}
        figures.append((facts["hosts"], facts["devices"], first["class"], first["share"], parts["Device compute"]))
        reader.store.close()
        shutil.rmtree(tmp_path / "run.store")
    assert figures[0][:3] == figures[1][:3] == (4, 4, "collective")
    assert figures[0][3:] == pytest.approx(figures[1][3:], rel=1e-3)


def test_idle_time_without_operators_is_in_no_verdict(readers: dict[str, QueryReader]) -> None:
    """A limit of the profiler cut the operators off at 2.96 of 66.17 s: what the device does then is not recorded."""
    reader = readers[FIRST_TIMELINE]
    overview = answer(reader, "overview")
    facts = {fact.id: fact.value for fact in overview.facts}
    (device,) = finish(devices_of(reader))
    (part,) = rows(answer(reader, "overlap", start=0, end=finish(operators_end(reader, device))), "devices")
    assert (facts["device_idle"], facts["duty_cycle"]) == tuple(
        part[name] / part["span"] for name in ("idle", "computation")
    )
    assert {row["class"] for row in rows(overview, "findings")} == {"unclear", "collective", "straggler"}
    words = "Operators of Device 1 were recorded only up to 2.961 s"
    for page in ("overview", "overlap", "gaps"):
        (cut,) = [note.text for note in answer(reader, page).notes if note.text.startswith(words)]
        assert "MindSpore ends a timeline at timeline_limit (500 MB, unless Profiler is given another)" in cut, page
        assert cut.endswith("and one to be displayed at 20 MB."), page
    earlier = answer(reader, "overview", end=finish(operators_end(reader, device)))
    assert not any(note.text.startswith("Operators of") for note in earlier.notes)
    later = answer(reader, "overview", start=30_000_000_000)
    assert [table.id for table in later.tables if table.id == "findings"] == []
    assert {fact.id: fact.value for fact in later.facts}["device_idle"] is None


def test_a_step_trace_alone_is_no_host_that_computes(tmp_path: Path) -> None:
    build_store(sorted(corpus_path("ascend/cluster_propose").iterdir()), tmp_path / "run.store")
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    overview = answer(reader, "overview")
    assert "findings" not in {table.id for table in overview.tables}
    assert not [note.text for note in overview.notes if "host" in note.text and "computes" in note.text]
    reader.store.close()


# Streams of a process, with their events and the sum of their durations in ticks: ps of the newer trace, ns of the
# first one, of which each duration is rounded to the nearest (1.7799999999999998 µs are 1,780 ns).
EVENT_SUMS: Final = {
    "msprof_0_2_10.json": {"Step Trace(Model ID:2)": (4, 42_923_990_001)},
    FIRST_TIMELINE: {"Stream 541": (476, 527_727_810), "Stream 540": (322, 15_871_844_140)},
}


@pytest.mark.parametrize("name", EVENT_SUMS)
def test_sums_of_events(name: str, readers: dict[str, QueryReader]) -> None:
    """The newer trace has four durations with digits below a ps; xprof and others cut each of them to whole ns."""
    table = rows(answer(readers[name], "stats", by="track"), "names")
    sums = {row["name"]: (row["count"], row["busy"]) for row in table}
    assert {track: sums[track] for track in EVENT_SUMS[name]} == EVENT_SUMS[name]


def test_steps_of_a_step_trace_alone_are_made_of_nothing_recorded(tmp_path: Path) -> None:
    """Neither their work nor their waiting is counted as 0: four ranks, of which no operators were recorded."""
    assert main(["index", str(corpus_path("ascend/cluster_propose")), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    pod, pipeline, overview = (answer(reader, tool) for tool in ("pod", "input_pipeline", "overview"))
    for row in rows(pod, "cells") + rows(pipeline, "host_steps"):
        assert row["not_recorded"] == row["duration"]
        assert {row[part] for part in ("device_compute", "device_collectives", "input", "others")} == {None}
    for row in rows(pod, "cores"):
        assert (row["not_recorded"], row["device_compute"], row["keeps_waiting"]) == (row["duration"], None, None)
    assert [pod.fact(name).value for name in ("stragglers", "bottleneck")] == [None, None]
    # The map shows what was recorded: how long steps are, unless another figure is asked for.
    durations = {row["duration"] for row in rows(pod, "cells")}
    assert {value for column in pod.series[0].ys for value in values_of(column)} - {None} == durations
    (waits,) = answer(reader, "pod", colour="keeps_waiting").series
    assert all(value is None for column in waits.ys for value in values_of(column))
    # Their marks say how long they wait for data.
    judged = [pipeline.fact(name).value for name in ("verdict", "where", "input_share")]
    assert judged == ["not input-bound", "device", None]
    assert overview.fact("input_share").value is None
    assert overview.fact("device_type").value == "Ascend"
    # Tables of the run say what costs the time, the most costly first: 108 and 52 ms of a step of their ranks.
    assert overview.headline is not None
    assert (
        "Ranks of stage 1 communicate within it for 60.3 % of their time (216 ms of 359 ms)" in overview.headline.text
    )
    second, third, *_ = (note.text for note in overview.notes)
    assert "Ranks wait for other stages for 25.8 % of their time (207 ms of 802 ms)" in second
    assert "Rank 2 waits longest before its steps, 22.2 % above the mean (2.43 ms, mean 1.99 ms)" in third
    assert pod.headline is not None
    # Its first step, and no other, is longer than those of other ranks: a mean would put that on all of its steps.
    assert (
        "The longest listed of 5 steps on 4 cores or hosts is step 1 of device 3 · Step trace, 2.376 s"
        in pod.headline.text
    )
    for steps_answer in (pipeline, overview):
        assert "parts" not in [table.id for table in steps_answer.tables]
        assert any("not what devices do in them" in note.text for note in steps_answer.notes)
    reader.store.close()


def test_pod_leaves_out_steps_without_operators(tmp_path: Path) -> None:
    """The means of its parts are those of the other tools: of the 14 steps whose operators were recorded."""
    capture = tmp_path / "profiler"
    shutil.copytree(corpus_path("ascend/run_1"), capture)
    shutil.copy(corpus_path(f"ascend/{FIRST_TIMELINE}"), capture)
    assert main(["index", str(capture), "-o", str(tmp_path / "run.store")]) == 0
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    pod = answer(reader, "pod")
    parts = {row["name"]: row["mean"] for row in rows(answer(reader, "overview"), "parts")}
    (core,) = rows(pod, "cores")
    assert core["steps"] == 322
    assert core["not_recorded"] is None
    assert "Not recorded" not in parts  # it would be 0 of these steps, where it is nearly all of the run
    assert (core["device_compute"], core["device_collectives"]) == (parts["Device compute"], parts["Collectives"])
    recorded = [row for row in rows(pod, "cells") if not row["not_recorded"]]
    assert [row["step"] for row in recorded] == list(range(1, 15))
    for row in rows(pod, "cells")[14:]:
        assert row["others"] is None
        assert row["not_recorded"] + row["device_collectives"] + (row["device_compute"] or 0) == row["duration"]
    reader.store.close()


@pytest.mark.parametrize("tool_id", ["framework_ops", "op_profile", "hlo_stats", "roofline", "kernels"])
def test_what_ascend_devices_cannot_have_is_said_of_them(tool_id: str, readers: dict[str, QueryReader]) -> None:
    """And not that a program should be recorded that runs on TPUs or GPUs."""
    reason = tool(tool_id).availability(Scope(readers[FIRST_TIMELINE]))
    assert str(reason).startswith("the run is of Ascend devices")
