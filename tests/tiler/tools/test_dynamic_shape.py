"""Networks of dynamic shapes: figures of a real file to the last digit, and made ones against plain sums."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.table_answers import corpus_tables, rows_of, table_answer, texts, written_tables
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of

REAL = "profiler/dynamic_shape_info_0.json"
KERNEL = "ElewiseArithKernel<float, AddFunc<float> >(int, float const*, float const*, float*)"


def curve(answer: Answer, series: str, title: str) -> list[int | None]:
    (chart,) = [chart for chart in answer.series if chart.id == series]
    assert values_of(chart.x) == sorted({int(str(step)) for step in values_of(chart.x)})
    (column,) = [column for column in chart.ys if column.title == title]
    return [None if value is None else int(value) for value in values_of(column)]


def test_operators_of_a_real_run(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, REAL)
    answer = table_answer("dynamic_shape", store, step=1, contains="add")
    (operator, kernel) = rows_of(answer, "runs", "step", "side", "type", "name", "duration", "shapes", "block", "grid")
    assert operator == (1, "gpu", "Add", "Add-op6", 75_616, "[32, 1]; [32, 1]", None, None)
    assert kernel == (1, None, KERNEL, "Default/network-Net/Add-op6", 3_904, None, "256,1,1", "1,1,1")
    whole = table_answer("dynamic_shape", store)
    assert {shapes for name, shapes in rows_of(whole, "runs", "type", "shapes") if name == "GetNext"} == {None}
    names = rows_of(whole, "types", "name", "kind")
    assert {name for name, kind in names if kind == "operator"} == {"InitDataSetQueue", "GetNext", "Add"}
    # MindInsight draws 0 where a step has none.
    expected = [153_520, 80_224, 50_752, 72_768, 59_936, 81_344, 67_232, 52_064, None]
    assert curve(whole, "operators", "GetNext") == expected
    assert curve(whole, "kernels", KERNEL) == [3904, 3232, 3040, 3040, 3072, 3072, 3232, 3040, 3072]
    assert whole.fact("steps").value == 9


RUNS = st.lists(
    st.tuples(
        st.integers(0, 4), st.sampled_from("ab"), st.sampled_from("xyz"), st.decimals(0, 10**6, places=3).map(str)
    ),
    min_size=1,
    max_size=20,
)


@given(RUNS, st.sampled_from(["type", "name"]))
def test_sums_of_any_runs(runs: list[tuple[int, str, str, str]], by: str) -> None:
    by_step: dict[str, list[dict[str, object]]] = defaultdict(list)
    for step, kind, name, duration in runs:
        by_step[str(step)].append({"step": step, "op_type": kind, "op_name": name, "dur": float(duration)})
    with TemporaryDirectory() as folder:
        store = written_tables(Path(folder), dynamic_shape_info_0_json=json.dumps({"operator": by_step}))
        answer = table_answer("dynamic_shape", store, by=by)
        first = table_answer("dynamic_shape", store, step=runs[0][0])
    sums: dict[str, list[int]] = defaultdict(list)
    means: dict[tuple[str, int], list[int]] = defaultdict(list)
    for step, kind, name, duration in runs:
        text = kind if by == "type" else name
        sums[text].append(int(Fraction(duration) * 1000))
        means[text, step].append(sums[text][-1])
    rows = rows_of(answer, "types", "name", "count", "total")
    assert {name: (count, total) for name, count, total in rows} == {k: (len(v), sum(v)) for k, v in sums.items()}
    steps = sorted({run[0] for run in runs})
    for text in sums:
        there = [means.get((text, step)) for step in steps]
        expected = [None if ns is None else (2 * sum(ns) + len(ns)) // (2 * len(ns)) for ns in there]
        assert curve(answer, "operators", text) == expected
    assert len(first.table("runs")) == sum(run[0] == runs[0][0] for run in runs)


def test_hostile_steps(tmp_path: Path) -> None:
    rows = [{"step": "last", "dur": "long"}, {"step": 1e30, "op_type": 7, "dur": -1}, {"step": 2, "dur": 1e300}]
    store = written_tables(tmp_path, dynamic_shape_info_0_json=json.dumps({"operator": {"1": rows}}))
    answer = table_answer("dynamic_shape", store)
    assert rows_of(answer, "runs", "step", "type", "duration") == [
        (None, None, None),
        (None, "7", -1000),
        (2, None, None),
    ]
    # Two steps and two times; what a row lacks is not among them.
    assert re.search(r"4 steps or times of dynamic_shape_info_0\S* could not be read, or are too large", texts(answer))


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match=r"dynamic_shape_info_N\.json"):
        table_answer("dynamic_shape", written_tables(tmp_path, kernel_details_csv="a,b\n1,2\n"))


DETAILS = "Step Id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Input Shapes\n"


def test_kernels_say_whether_their_shapes_are_dynamic(tmp_path: Path) -> None:
    rows = (
        '1,a,Add,dynamic,AI_CORE,1,2,"4,8"\n1,b,Add,Dynamic,AI_CORE,2,N/A,"4,9"\n'
        '2,a,Add,dynamic,AI_CORE,3,5,"4,9"\n,a,Add,dynamic,AI_CORE,3,1,"4"\n2,c,Mul,static,AI_CORE,4,9,"1"\n'
    )
    store = written_tables(tmp_path, kernel_details_csv=DETAILS + rows)
    answer = table_answer("dynamic_shape", store)
    # A run without a time is in no mean, one without a step in no step.
    assert rows_of(answer, "types", "name", "steps", "count", "total", "mean") == [("Add", 2, 4, 8000, 2667)]
    assert curve(answer, "operators", "Add") == [2000, 5000]
    second = table_answer("dynamic_shape", store, step=2, state="all")
    assert rows_of(second, "runs", "name", "side", "shapes", "duration") == [
        ("a", "AI_CORE", "4,9", 5000),
        ("c", "AI_CORE", "1", 9000),
    ]
    assert answer.notes[0].text == "1 run of static shapes is left out: state all has them."
    others = table_answer("dynamic_shape", store, contains="add")
    assert not any("static" in note.text for note in (*others.notes, *second.notes))
    by_name = table_answer("dynamic_shape", store, by="name")
    assert rows_of(by_name, "types", "name", "total", "mean") == [("a", 8000, 2667), ("b", None, None)]


def test_one_source_for_each_rank(tmp_path: Path) -> None:
    run = {"step": 1, "op_type": "Add", "op_name": "x", "dur": 2}
    store = written_tables(
        tmp_path,
        dynamic_shape_info_0_json=json.dumps({"operator": {"1": [run]}}),
        kernel_details_csv=f"{DETAILS}1,x,Add,dynamic,AI_CORE,1,7,4\n",
    )
    answer = table_answer("dynamic_shape", store)
    assert rows_of(answer, "types", "name", "total") == [("Add", 2000)]
    assert any("name a source: kernel_details" in note.text for note in answer.notes)
    other = table_answer("dynamic_shape", store, source="kernel_details")
    assert rows_of(other, "types", "name", "total") == [("Add", 7000)]


def test_ranks_are_told_apart(tmp_path: Path) -> None:
    files = {
        f"dynamic_shape_info_{rank}_json": json.dumps(
            {"operator": {"1": [{"step": 1, "op_type": "Add", "op_name": "x", "dur": 2 * rank + 1}]}}
        )
        for rank in (0, 1)
    }
    store = written_tables(tmp_path, **files)
    answer = table_answer("dynamic_shape", store)
    assert curve(answer, "operators", "Add") == [2000]
    assert rows_of(answer, "runs", "rank", "duration") == [(0, 1000), (1, 3000)]
    assert any("2 files" in note.text for note in answer.notes)
    assert curve(table_answer("dynamic_shape", store, rank=1), "operators", "Add") == [3000]


def test_charts_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.tools.dynamic_shape.MOST_STEPS", 2)
    rows = "".join(f"{step},a,Add,dynamic,AI_CORE,1,{step},4\n" for step in (3, 5, 6, 9))
    store = written_tables(tmp_path, kernel_details_csv=DETAILS + rows)
    answer = table_answer("dynamic_shape", store)
    assert curve(answer, "operators", "Add") == [3000, 5000]
    assert answer.fact("steps").value == 4
    assert any("first 2 of 4 steps" in note.text for note in answer.notes)
    assert curve(table_answer("dynamic_shape", store, from_step=6), "operators", "Add") == [6000, 9000]


def test_a_step_trace_is_empty_for_that_reason(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="dynamic shapes"):
        table_answer("step_trace", corpus_tables(tmp_path, REAL))
