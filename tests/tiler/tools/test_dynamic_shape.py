"""Networks of dynamic shapes: figures of a real file to the last digit, and made ones against plain sums."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.table_answers import corpus_tables, rows_of, table_answer, written_tables
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
    assert operator == (1, "gpu", "Add", "Add-op6", 75_616, '["[32, 1]","[32, 1]"]', None, None)
    assert kernel == (1, None, KERNEL, "Default/network-Net/Add-op6", 3_904, None, "256,1,1", "1,1,1")
    whole = table_answer("dynamic_shape", store)
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
    assert rows_of(answer, "runs", "step", "type", "duration") == [(None, "", None), (None, "7", -1000), (2, "", None)]


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match=r"dynamic_shape_info_N\.json"):
        table_answer("dynamic_shape", written_tables(tmp_path, kernel_details_csv="a,b\n1,2\n"))
