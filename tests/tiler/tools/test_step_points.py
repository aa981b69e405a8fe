"""Forward and backward by operators, named or guessed, against plain loops; and beside the marks of a real run."""

from __future__ import annotations

import json
from contextlib import closing
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.reports.traces import answer as ask
from tests.table_answers import rows_of, table_answer
from tilescope.tiler.facts.ascend import step_points
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.events import EVERYTHING
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.windows import Windows

MARKS = ("FP_BP Time", "Iteration Refresh", "Reduce", "Data_aug Bound")
SCOPE = "Default/net/"
TYPES = {"GetNext-op1": "AI_CPU", "Mul-op2": "AI_CORE", "Add-op3": "AI_CORE", "hcom_allReduce_-op4": "HCCL"}

# Operators of a step: name, idle time before it, duration.
OPERATORS = st.lists(
    st.tuples(st.sampled_from(sorted(TYPES)), st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=8
)
Operator = tuple[str, int, int]  # name, start, stop


def write_operators(path: Path, steps: list[list[Operator]], ends: list[int]) -> None:
    """Iterations that follow each other, with operators on a stream; times in µs."""
    device = {"ph": "X", "pid": 3}
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "Ascend Hardware"}},
        {"ph": "M", "pid": 3, "tid": 9, "name": "thread_name", "args": {"name": "Step Trace(Model ID:2)"}},
        {"ph": "M", "pid": 3, "tid": 2, "name": "thread_name", "args": {"name": "Stream 2"}},
    ]
    start = 0
    for number, (operators, end) in enumerate(zip(steps, ends, strict=True), 1):
        step = {"name": f"Iteration {number}", "cat": "Iteration Time", "ts": start, "dur": end - start}
        events.append({**device, "tid": 9, **step})
        for name, first, last in operators:
            task = {"name": SCOPE + name, "ts": first, "dur": last - first, "args": {"Task Type": TYPES[name]}}
            events.append({**device, "tid": 2, **task})
        start = end
    path.write_text(json.dumps(events))


def laid_out(drawn: list[list[Operator]]) -> tuple[list[list[Operator]], list[int]]:
    """The operators of each step with their times, and the ends of the steps."""
    steps, ends, time = [], [], 0
    for step in drawn:
        operators = []
        for name, idle, duration in step:
            operators.append((name, time + idle, time + idle + duration))
            time += idle + duration
        time += 7
        steps.append(operators)
        ends.append(time)
    return steps, ends


def guess(operators: list[Operator], start: int, stop: int) -> tuple[int, int] | None:
    """The start of forward and the end of backward; None: not in order within the step."""
    fetched = min((last for name, _, last in operators if "GetNext" in name), default=start)
    reduced = max((first for name, first, _ in operators if "allReduce" in name), default=stop)
    work = [(first, last, name) for name, first, last in operators if TYPES[name] != "HCCL"]
    forward = min((first for first, _, name in work if first >= fetched and "GetNext" not in name), default=None)
    backward = max((last for _, last, _ in work if last <= reduced), default=None)
    return None if forward is None or backward is None or forward > backward else (forward, backward)


def named(operators: list[Operator], forward: str, backward: str) -> tuple[int, int] | None:
    first = min((first for name, first, _ in operators if name == forward), default=None)
    last = max((last for name, _, last in operators if name == backward), default=None)
    return None if first is None or last is None or first > last else (first, last)


def parts(answer: Answer) -> list[tuple[Any, ...]]:
    return list(rows_of(answer, "steps", "start", "end", "interval", "forward_backward", "tail"))


@given(st.lists(OPERATORS, min_size=1, max_size=4), st.sampled_from(sorted(TYPES)), st.sampled_from(sorted(TYPES)))
def test_points_of_any_operators(drawn: list[list[Operator]], forward: str, backward: str) -> None:
    steps, ends = laid_out(drawn)
    with TemporaryDirectory() as folder:
        path, store = Path(folder, "steps.json"), Path(folder, "run.store")
        write_operators(path, steps, ends)
        build_store([path], store)
        guessed = table_answer("step_trace", store)
        by_name = table_answer("step_trace", store, forward_start=SCOPE + forward, backward_end=backward)
    starts = [0, *ends[:-1]]
    for answer, points in (
        (guessed, [guess(*step) for step in zip(steps, starts, ends, strict=True)]),
        (by_name, [named(operators, forward, backward) for operators in steps]),
    ):
        for (start, end, *own), begin, stop, point in zip(parts(answer), starts, ends, points, strict=True):
            ticks = (end - start) // (stop - begin)
            lengths = None if point is None else [point[0] - begin, point[1] - point[0], stop - point[1]]
            assert own == ([None] * 3 if lengths is None else [ticks * length for length in lengths])
            assert point is None or sum(own) == end - start
    assert any("guessed" in note.text for note in guessed.notes)
    assert not any("guessed" in note.text for note in by_name.notes)


def test_guesses_are_near_the_marks_of_a_real_run(tmp_path: Path) -> None:
    path = corpus_path("ascend/msprof_0_2_10.json")
    build_store([path], tmp_path / "marked.store")
    kept = [event for event in json.loads(path.read_text()) if event.get("cat") not in MARKS]
    (tmp_path / path.name).write_text(json.dumps(kept))
    build_store([tmp_path / path.name], tmp_path / "guessed.store")
    answers = [table_answer("step_trace", tmp_path / f"{name}.store") for name in ("marked", "guessed")]
    (marked, guessed) = (
        [float(str(a.fact("forward_backward").value)) / float(str(a.fact("step").value))] for a in answers
    )
    assert guessed == pytest.approx(marked, rel=0.002)  # 4,286,840 ns beside 4,280,620
    assert not any("guessed" in note.text for note in answers[0].notes)


def test_operators_are_listed_to_choose_from_and_named_points_count_before_marks(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/msprof_0_2_10.json")], tmp_path / "run.store")
    marked = table_answer("step_trace", tmp_path / "run.store")
    name, start, duration = rows_of(marked, "operators", "name", "start", "duration")[2]
    answer = table_answer("step_trace", tmp_path / "run.store", forward_start=name)
    assert answer.fact("interval").value == start
    assert answer.fact("tail").value == marked.fact("tail").value
    answer = table_answer("step_trace", tmp_path / "run.store", backward_end=name)
    assert answer.fact("interval").value == marked.fact("interval").value
    assert answer.fact("tail").value == int(str(marked.fact("step").value)) - start - duration
    assert answer.fact("bp_end").note == "as asked"


def test_the_operators_of_steps_are_read_once_for_any_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_store([corpus_path("ascend/msprof_0_2_10.json")], tmp_path / "run.store")
    read: list[Windows] = []
    step_operators = step_points.step_operators

    def counted(*question: Any) -> Any:
        read.append(question[-1])
        return step_operators(*question)

    monkeypatch.setattr(step_points, "step_operators", counted)
    with closing(open_run_store(tmp_path / "run.store")) as store:
        reader = QueryReader(store)
        name = list(rows_of(ask(reader, "step_trace"), "operators", "name"))[2][0]
        assert read == []  # the run has marks
        first = ask(reader, "step_trace", forward_start=name)
        assert ask(reader, "step_trace", backward_end=name).fact("tail").value != first.fact("tail").value
    assert read == [EVERYTHING]


def test_an_operator_that_is_not_there_leaves_no_step_with_parts(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/msprof_0_2_10.json")], tmp_path / "run.store")
    answer = table_answer("step_trace", tmp_path / "run.store", forward_start="nothing")
    assert answer.fact("step").value is None
    assert any("not in the means" in note.text for note in answer.notes)


def test_a_file_names_the_operators_of_steps_without_marks(tmp_path: Path) -> None:
    steps, ends = laid_out([[("Mul-op2", 5, 10), ("Add-op3", 5, 10), ("Mul-op2", 5, 10)]])
    write_operators(tmp_path / "msprof_0.json", steps, ends)
    points = tmp_path / "step_trace_point_info_0.json"
    points.write_text(json.dumps({"fp_start": f"{SCOPE}Add-op3", "bp_end": f"{SCOPE}Add-op3"}))
    build_store([tmp_path / "msprof_0.json", points], tmp_path / "run.store")
    answer = table_answer("step_trace", tmp_path / "run.store")
    ((start, end, *own),) = parts(answer)
    ticks = (end - start) // ends[0]
    assert own == [20 * ticks, 10 * ticks, (ends[0] - 30) * ticks]
    assert not any("guessed" in note.text for note in answer.notes)


def test_guesses_beside_a_device_that_is_marked_are_said_to_be(tmp_path: Path) -> None:
    steps, ends = laid_out([[("Mul-op2", 5, 10), ("Add-op3", 5, 10)]])
    write_operators(tmp_path / "msprof_1.json", steps, ends)
    build_store([corpus_path("ascend/msprof_0_2_10.json"), tmp_path / "msprof_1.json"], tmp_path / "run.store")
    answer = table_answer("step_trace", tmp_path / "run.store")
    (guessed,) = [note.text for note in answer.notes if "guessed" in note.text]
    assert guessed.startswith("Of 1 of 2 devices no file marks these points")
    assert "forward starts" in guessed
    assert "backward ends" in guessed


def test_files_that_name_different_operators_name_none_for_all(tmp_path: Path) -> None:
    steps, ends = laid_out([[("Mul-op2", 5, 10), ("Add-op3", 5, 10)]])
    write_operators(tmp_path / "msprof_0.json", steps, ends)
    files = [tmp_path / f"step_trace_point_info_{rank}.json" for rank in (0, 1)]
    for file, name in zip(files, ("Mul-op2", "Add-op3"), strict=True):
        file.write_text(json.dumps({"fp_start": SCOPE + name, "bp_end": f"{SCOPE}Add-op3"}))
    build_store([tmp_path / "msprof_0.json", *files], tmp_path / "run.store")
    (guessed,) = [
        note.text for note in table_answer("step_trace", tmp_path / "run.store").notes if "guess" in note.text
    ]
    assert "or names them for all devices alike, so it is guessed that forward starts" in guessed
    assert "backward" not in guessed.partition(":")[0]


def test_a_list_of_operators_says_that_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("tilescope.tiler.tools.step_trace.points"), "MAX_LISTED", 2)
    steps, ends = laid_out([[("Mul-op2", 5, 10), ("Add-op3", 5, 10), ("Mul-op2", 5, 10)]])
    write_operators(tmp_path / "msprof_0.json", steps, ends)
    build_store([tmp_path / "msprof_0.json"], tmp_path / "run.store")
    table = table_answer("step_trace", tmp_path / "run.store").table("operators")
    assert (len(table), table.title) == (2, "Operators of step 1, the first 2 of 3")
