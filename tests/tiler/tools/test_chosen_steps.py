"""Steps of traces that mark none: the names that may be meant, and those that somebody has chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.tiler.tools.test_steps import Asked, Event, thread, x
from tilescope.tiler.errors import UsageError
from tilescope.tiler.step_names import chosen_step, numbered_stem, trailing_number
from tilescope.tiler.tools import Scope, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.queues import NO_LAUNCHES
from tilescope.tiler.tools.tool_calls import why_not


def tpu_runs(cores: int, runs: int, name: str = "jit_f(12190760917235803885)") -> list[Event]:
    """Cores that run a program so often, 10 µs each, and another one before."""
    events: list[Event] = []
    for core in range(1, cores + 1):
        events += [*thread(core, 1, "XLA Modules", f"/device:TPU:{core}"), *thread(core, 2, "XLA Ops")]
        events.append(x("jit_init(77)", 0, 1, pid=core))
        events += [x(name, 10 * k + 5, 10 * k + 15, pid=core) for k in range(runs)]
        events += [x("fusion", 10 * k + 6, 10 * k + 9, pid=core, tid=2) for k in range(runs)]
    return events


def test_a_name_alone_makes_steps_for_the_whole_run_on_all_devices(tmp_path: Path) -> None:
    run = Asked.of_events(tmp_path, tpu_runs(4, 5))
    for name in ("jit_f(12190760917235803885)", "jit_f"):  # nobody types a program's id
        facts = run.ask("steps", step_name=name)
        assert (facts.fact("count").value, facts.fact("devices").value, facts.fact("mean").value) == (5, 4, 10)
        assert [row["devices"] for row in run.rows("steps", step_name=name)] == [4] * 5
    assert run.counts(step_name="jit_f") == run.counts()
    run.store.close()


@pytest.mark.parametrize("names", [["jit_f(123)"] * 3, ["jit_f(77)", "jit_f(78)", "jit_f(78)"]])
def test_numbers_on_lines_of_modules_are_ids_of_programs(tmp_path: Path, names: list[str]) -> None:
    """One program, and one that was compiled again."""
    events = tpu_runs(2, 0)
    events += [x(name, 100 * k, 100 * k + 10, pid=pid) for pid in (1, 2) for k, name in enumerate(names)]
    run = Asked.of_events(tmp_path, events)
    assert [row["step"] for row in run.rows("steps", step_name="jit_f")] == [0, 1, 2]
    assert [row["devices"] for row in run.rows("steps", step_name="jit_f")] == [2, 2, 2]
    run.store.close()


def test_numbers_on_other_tracks_are_those_of_steps(tmp_path: Path) -> None:
    events = [x("train_step 7", 0, 10), x("train_step 7", 20, 30)]
    run = Asked.of_events(tmp_path, events)
    assert {row["step"] for row in run.rows("steps", step_name="train_step")} == {7}
    run.store.close()


def test_a_slice_of_a_host_hides_no_device_that_somebody_has_named(tmp_path: Path) -> None:
    events = [*tpu_runs(4, 5), x("jit_f", 0, 60, pid=90)]
    run = Asked.of_events(tmp_path, events)
    rows = run.rows("steps", step_name="jit_f")
    assert [row["devices"] for row in rows] == [4] * 5
    run.store.close()


def test_candidates_for_steps_and_the_plain_one(tmp_path: Path) -> None:
    run = Asked.of_events(tmp_path / "plain", tpu_runs(4, 100))
    answer = run.ask("overview")
    table = answer.table("step_candidates")
    columns = {column.id: list(values_of(column)) for column in table.columns}
    assert columns == {
        "name": ["jit_f(12190760917235803885)"],  # jit_init comes once
        "count": [400],
        "devices": [4],
        "mean": [10],
        "proposed": [True],
    }
    assert "100 times on each of 4 devices" in run.notes("overview")
    assert "may be" not in run.notes("overview", step_name="jit_f"), "a choice was made"
    with pytest.raises(UsageError, match=r"which slices are steps, such as 'jit_f\(12190760917235803885\)'$"):
        run.ask("steps")
    run.store.close()

    uneven = tpu_runs(2, 10) + [x("jit_g(5)", 1000 + 9 * k, 1009 + 9 * k, pid=1) for k in range(10)]
    run = Asked.of_events(tmp_path / "two", uneven)
    answer = run.ask("overview")
    assert len(answer.table("step_candidates").columns[0].values) == 2
    assert "may be" not in run.notes("overview"), "one of two that may be"
    run.store.close()


def annotated(cores: int, names: list[str]) -> list[Event]:
    """Annotations above what the cores of `tpu_runs` run, 10 µs each."""
    events: list[Event] = []
    for core in range(1, cores + 1):
        events += [*thread(core, 3, "Annotations"), x("fusion", 6, 9, pid=core, tid=2)]
        events += [x(name, 10 * k + 5, 10 * k + 15, pid=core, tid=3) for k, name in enumerate(names)]
    return events


def candidate_rows(run: Asked) -> list[tuple[object, ...]]:
    columns = run.ask("overview").table("step_candidates").columns
    return list(zip(*map(values_of, columns), strict=True))


def test_each_kind_of_line_has_its_share_and_the_program_is_proposed(tmp_path: Path) -> None:
    """Annotations tell the same time once more: half of all of it is no step."""
    run = Asked.of_events(tmp_path, [*tpu_runs(2, 20), *annotated(2, ["train", "eval"] * 10)])
    assert candidate_rows(run) == [
        ("jit_f(12190760917235803885)", 40, 2, 10, True),
        ("eval", 20, 2, 10, False),
        ("train", 20, 2, 10, False),
    ]
    run.store.close()


def test_a_name_on_lines_of_both_kinds_is_one_candidate(tmp_path: Path) -> None:
    run = Asked.of_events(tmp_path, [*tpu_runs(2, 20, "train"), *annotated(2, ["train"] * 20 + ["eval"] * 4)])
    assert candidate_rows(run) == [("train", 40, 2, 10, True), ("eval", 8, 2, 10, False)]
    assert run.ask("steps", step_name="train").fact("count").value == 20
    run.store.close()


@pytest.mark.parametrize("name", ["train_step_{}", "train_step {}", "train_step({})", "train_step#{}"])
def test_numbered_names_are_a_candidate_together(tmp_path: Path, name: str) -> None:
    names = [name.format(k + 7) for k in range(10)]
    run = Asked.of_events(tmp_path, [*tpu_runs(2, 0), *annotated(2, [*names, "train_step"])])
    assert candidate_rows(run) == [("train_step", 20, 2, 10, True)]
    steps = run.ask("steps", step_name="train_step")
    assert (steps.fact("count").value, steps.fact("devices").value) == (10, 2)
    assert [row["step"] for row in run.rows("steps", step_name="train_step")] == list(range(7, 17))
    run.store.close()


def test_a_number_that_all_slices_have_belongs_to_their_name(tmp_path: Path) -> None:
    run = Asked.of_events(tmp_path, [*tpu_runs(1, 0), *annotated(1, ["resnet_50"] * 5)])
    assert candidate_rows(run) == [("resnet_50", 5, 1, 10, True)]
    run.store.close()


@given(st.text("ab1 #(_)", max_size=8), st.integers(0, 10**19), st.text(" #:_-=/.,()[]", max_size=3))
def test_a_stem_stands_for_its_number(stem: str, number: int, end: str) -> None:
    name = f"{stem}{number}{end}"
    group_name = numbered_stem(name)
    if group_name is None:
        assert trailing_number(name.rstrip(" #:_-=/.,()[]")) is None or not name.strip("1234567890 #:_-=/.,()[]")
    else:
        assert chosen_step(name, group_name) == trailing_number(name.rstrip(" #:_-=/.,()[]"))


def test_the_program_of_a_real_run_without_marks_is_proposed(tmp_path: Path) -> None:
    run = Asked(tmp_path, [corpus_path("xplane/tpu_v6e_4core.xplane.pb")])
    table = run.ask("input_pipeline").table("step_candidates")
    name, count, devices = (next(iter(values_of(column))) for column in table.columns[:3])
    assert (name, count, devices) == ("jit_f(12190760917235803885)", 400, 4)
    steps, overview = run.ask("steps", step_name=name), run.ask("overview", step_name=name)
    assert steps.fact("count").value == overview.fact("steps").value == 100
    assert steps.fact("mean").value == overview.fact("step_mean").value
    assert round(int(str(steps.fact("mean").value)) / 1e9, 1) == 850.2
    assert run.ask("pod").tables[0].id == "step_candidates"  # to be named, as nothing marks them
    assert run.ask("pod", step_name=name).fact("steps").value == 100
    note = run.ask("input_pipeline").headline
    assert note is not None
    assert note.text.startswith("The trace marks no steps, and no work on input was recorded.")
    assert (note.track, note.event) != (None, None)  # what costs the time instead, with its place
    reasons = {tool_id: why_not(tool(tool_id), Scope(run.reader)) for tool_id in ("pod", "queues")}
    assert reasons == {"pod": "", "queues": NO_LAUNCHES}
    # Its modules have the timeline's clock, which jumps within operations, and its operations that of the device.
    questions: list[dict[str, object]] = [{}, {"start": 2 * 10**13, "end": 5 * 10**13}, {"steps": "3-9"}]
    for question in questions:
        answer = run.ask("input_pipeline", step_name=name, **question)
        chart = next(series for series in answer.series if series.id == "steps")
        parts = [[int(str(ticks)) for ticks in values_of(column)] for column in chart.ys if column.kind == "ticks"]
        assert min(map(min, parts)) >= 0
        start, end = (
            sum(int(str(tick)) for tick in values_of(answer.table("steps").column(edge))) for edge in ("start", "end")
        )
        assert sum(map(sum, parts)) == end - start
    run.store.close()
