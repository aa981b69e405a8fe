"""Step traces: the parts of steps that profilers of Ascend devices mark, against plain integers, and real ones."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.step_trace_runs import Step, write_steps
from tests.table_answers import table_answer
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of

RANK = "ascend/two_ranks/PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline/step_trace_0_2_1.json"


def step_trace(store: Path, **values: Any) -> Answer:
    return table_answer("step_trace", store, **values)


def ticks_of_a_nanosecond(store: Path) -> int:
    with closing(open_run_store(store)) as run_store:
        return 1000 // QueryReader(run_store).tick_ps


def column(answer: Answer, name: str, table: str = "steps") -> list[Any]:
    return list(values_of(answer.table(table).column(name)))


def fact(answer: Answer, name: str) -> Any:
    return answer.fact(name).value


STEPS = st.lists(
    st.builds(
        lambda wait, interval, both, tail, reduce: Step(wait, interval, both, tail, min(reduce, tail)),
        st.integers(1, 10**6),
        st.integers(0, 10**6),
        st.integers(1, 10**7),
        st.integers(1, 10**7),
        st.integers(1, 10**7),
    ),
    min_size=1,
    max_size=12,
)


@given(steps=STEPS, data=st.data())
def test_parts_of_any_steps(steps: list[Step], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(steps)))
    last = data.draw(st.integers(first, len(steps)))
    with TemporaryDirectory() as folder:
        write_steps(Path(folder, "steps.json"), steps)
        build_store([Path(folder, "steps.json")], Path(folder, "run.store"))
        answer = step_trace(Path(folder, "run.store"), steps=f"{first}-{last}")
        ns = ticks_of_a_nanosecond(Path(folder, "run.store"))
    within = steps[first - 1 : last]
    assert column(answer, "step") == list(range(first, last + 1))
    for name in ("interval", "forward_backward", "tail", "reduce"):
        assert column(answer, name) == [getattr(step, name) * ns for step in within]
    assert column(answer, "update") == [(step.tail - step.reduce) * ns for step in within]
    parts = dict(zip(column(answer, "part", "parts"), column(answer, "duration", "parts"), strict=True))
    assert parts["Interval"] + parts["Forward and backward"] + parts["Tail"] == fact(answer, "step")
    assert parts["Rest of the reduces"] + parts["Update of parameters"] == parts["Tail"]
    assert parts["Update of parameters"] == fact(answer, "update")
    whole = sum(ns * (step.interval + step.forward_backward + step.tail) for step in within)
    assert abs(fact(answer, "step") * len(within) - whole) <= len(within)
    assert parts["Reduce 0"] == pytest.approx(sum(ns * step.reduce for step in within) / len(within), abs=1)
    assert fact(answer, "count") == len(within)


def test_a_real_rank(tmp_path: Path) -> None:
    build_store([corpus_path(RANK)], tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    nanoseconds = {name: round(fact(answer, name) / 1000) for name in ("step", "forward_backward", "tail")}
    assert fact(answer, "count") == 10
    assert nanoseconds == {"step": 18_994_528, "forward_backward": 4_267_574, "tail": 14_721_487}
    # Waits as the file has them: of step 2 from the end of step 1, 32,134.95 µs.
    first, *waits = column(answer, "wait")
    assert first is None
    assert [round(wait / 1000) for wait in waits[:2]] == [32_134_950, 23_308_110]
    assert fact(answer, "wait") == pytest.approx(sum(waits) / 9, abs=1)
    assert any("wait for data" in note.text for note in answer.notes)


AVERAGES = {
    # Ticks of 10 ns of the last row of each file: the mean of all steps but the first.
    "run_1/step_trace_raw_1_detail_time.csv": (322, 20538093, 20384, 11805395, 8712314),
    "profiler/step_trace_raw_0_detail_time.csv": (20, 13045611, 9035360, 1709449, 2300802),
}


@pytest.mark.parametrize("name", AVERAGES)
def test_means_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(f"ascend/{name}")], tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    count, *averages = AVERAGES[name]
    tens = 10 * ticks_of_a_nanosecond(tmp_path / "run.store")
    assert fact(answer, "count") == count
    for part, average in zip(("step", "interval", "forward_backward", "tail"), averages, strict=True):
        assert fact(answer, part) == pytest.approx(average * tens, abs=tens)


def test_reduces_of_a_real_run(tmp_path: Path) -> None:
    """Figures of the last row of the file: where the last reduce begins within the step, and how long it is."""
    build_store([corpus_path("ascend/run_1/step_trace_raw_1_detail_time.csv")], tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    tens = 10 * ticks_of_a_nanosecond(tmp_path / "run.store")
    assert len(column(answer, "row", "parts")) == 16
    assert column(answer, "part", "parts")[3:5] == ["Rest of the reduces", "Update of parameters"]
    # From the end of the last reduce to that of the step, 37.7294 ms of the mean row.
    assert fact(answer, "update") == pytest.approx(
        377294 * 100 * ticks_of_a_nanosecond(tmp_path / "run.store"), abs=500
    )
    assert column(answer, "part", "parts")[-1] == "stream_540_parallel_0"
    assert column(answer, "start", "parts")[-1] == pytest.approx((47132360167 - 47120523118) * tens, abs=tens)
    assert column(answer, "duration", "parts")[-1] == pytest.approx(4928102 * tens, abs=tens)


def test_the_update_is_told_by_reduces_alone(tmp_path: Path) -> None:
    """Sends of a pipeline are no reduces; a reduce that ends beyond its step, or none, tells nothing."""
    kinds = {1: "Reduce_1_0", 2: "stream_7_0_Send-op2", 3: "Reduce_3_0", 4: "Reduce_4_0"}
    write_steps(tmp_path / "steps.json", [Step(5, 100, 200, 300, 50)] * 4)
    events = json.loads((tmp_path / "steps.json").read_text())
    for event in events:
        if event.get("cat") == "Reduce":
            step = int(event["name"].split("_")[1])
            event["name"] = kinds[step]
            if step == 3:
                event["dur"] = 0.3 + 0.002
            if step == 4:  # done before backward is
                event["ts"], event["dur"] = str(float(event["ts"]) - 0.1), 0.05
    (tmp_path / "steps.json").write_text(json.dumps(events))
    build_store([tmp_path / "steps.json"], tmp_path / "run.store")
    ns = ticks_of_a_nanosecond(tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    assert column(answer, "update") == [250 * ns, None, None, 300 * ns]
    assert fact(answer, "update") == 275 * ns
    alone = step_trace(tmp_path / "run.store", steps="2-2")
    assert (fact(alone, "update"), alone.fact("update").note) == (
        None,
        "cannot be told from the rest of the tail: no step has an all-reduce that ends in it",
    )


def test_means_of_steps_that_last_for_years(tmp_path: Path) -> None:
    """Sums of a few are beyond 64 bits."""
    years = 60 * 365 * 86_400 * 10**9  # ns
    files = []
    for rank in range(6):
        files.append(tmp_path / f"step_trace_{rank}_0_1.json")
        write_steps(files[-1], [Step(0, 1000, years, 1000, 500)])
    build_store(files, tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    assert fact(answer, "count") == 6
    assert fact(answer, "step") == (years + 2000) * ticks_of_a_nanosecond(tmp_path / "run.store")


def test_steps_without_marks_are_in_no_mean(tmp_path: Path) -> None:
    """A step whose forward and backward lie beyond it: another run's, or cut off."""
    write_steps(tmp_path / "steps.json", [Step(5, 100, 200, 300, 50), Step(5, 700, 800, 900, 50)])
    events = json.loads((tmp_path / "steps.json").read_text())
    for event in events:
        if event["name"] == "FP_BP Time 2":
            event["dur"] = 5_000.0
    (tmp_path / "steps.json").write_text(json.dumps(events))
    build_store([tmp_path / "steps.json"], tmp_path / "run.store")
    answer = step_trace(tmp_path / "run.store")
    ns = ticks_of_a_nanosecond(tmp_path / "run.store")
    assert fact(answer, "step") == 600 * ns
    assert column(answer, "tail") == [300 * ns, None]
    assert any("not in the means" in note.text for note in answer.notes)


def test_a_run_without_marks_has_no_answer(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "pid": 1, "tid": 1, "name": f"Iteration {step}", "ts": step * 10, "dur": 5} for step in range(4)
    ]
    (tmp_path / "steps.json").write_text(json.dumps(events))
    build_store([tmp_path / "steps.json"], tmp_path / "run.store")
    with pytest.raises(NotAvailable, match="no step of the run has marks of forward and backward") as refused:
        step_trace(tmp_path / "run.store")
    assert "not in PyNative mode, for heterogeneous training or for several graphs" in str(refused.value)


@pytest.mark.parametrize(
    ("step", "advice"),
    [
        (Step(0, 500_001, 10**6, 900_000, 50), ["Steps wait for data before forward begins, more than 0.5 ms each"]),
        (Step(0, 500_000, 10**6, 900_000, 50), []),
        (Step(0, 10, 10**6, 900_000, 50), ["More than half of a step is forward and backward"]),
        (Step(0, 10, 900_000, 10**6, 50), ["More than half of a step is tail"]),
        (Step(0, 400_000, 500_000, 500_000, 50), []),
    ],
)
def test_what_a_long_part_leads_to(step: Step, advice: list[str], tmp_path: Path) -> None:
    """Bounds of MindSpore Insight: half a millisecond before forward; the greater part of a step."""
    write_steps(tmp_path / "steps.json", [step] * 4)
    build_store([tmp_path / "steps.json"], tmp_path / "run.store")
    pages = {
        "Steps wait": "input_pipeline",
        "More than half of a step is forward": "operators",
        "More than half of a step is tail": "overlap",
    }
    texts = [note.text for note in step_trace(tmp_path / "run.store").notes]
    for opening, page in pages.items():
        expected = [text for text in advice if text.startswith(opening)]
        shown = [text for text in texts if text.startswith(opening)]
        assert len(shown) == len(expected), (opening, texts)
        assert all(text.startswith(expected[0]) and f"(see {page})" in text for text in shown)


def test_tracks_without_marks_have_an_empty_table(tmp_path: Path) -> None:
    """The contract lists the steps: there are none, and a note says why."""
    write_steps(tmp_path / "steps.json", [Step(5, 100, 200, 300, 50), Step(5, 100, 200, 300, 50)])
    events = [*json.loads((tmp_path / "steps.json").read_text())]
    events += [{"ph": "X", "pid": 999, "tid": 1, "name": "other", "ts": 10, "dur": 5}]
    (tmp_path / "steps.json").write_text(json.dumps(events))
    build_store([tmp_path / "steps.json"], tmp_path / "run.store")
    with closing(open_run_store(tmp_path / "run.store")) as store:
        tree = QueryReader(store).tree
        (other,) = [leaf for leaf in tree.leaves(None) if "999" in tree.groups[tree.tracks[leaf].group].name]
    answer = step_trace(tmp_path / "run.store", tracks=[other])
    assert fact(answer, "count") == 0
    assert fact(answer, "step") is None
    assert column(answer, "step") == []
    assert [note.text for note in answer.notes] == ["No step of these tracks has such marks."]
    assert column(step_trace(tmp_path / "run.store"), "step") == [1, 2]
