"""Steps that MindSpore may divide wrongly: what tells it, and the pages that say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.table_answers import table_answer
from tilescope.tiler.facts.ascend.step_doubts import step_doubts
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

HOST = "op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),total_proportion\n"
GRAPHS = "task_id,stream_id,block_dim,full_op_name,op_name,op_type,subgraph,op_info,graph_id\n"
OPERATOR = {"step": 1, "op_side": "Ascend", "op_type": "Add", "op_name": "Add-op6", "dur": 1, "shape_info": []}
SHAPES = {"operator": {"1": [OPERATOR]}}


def device(pid: int, tid: int, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": "Default/net/Mul-op2", "ts": 1, "dur": 2, "pid": pid, "tid": tid, **more}


def steps(models: int) -> list[dict[str, Any]]:
    """Rows of steps of so many graphs, as msprof has them."""
    events: list[dict[str, Any]] = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "Ascend Hardware"}}]
    for model in range(models):
        place = {"pid": 3, "tid": 100 + model}
        events.append({"ph": "M", "name": "thread_name", "args": {"name": f"Step Trace(Model ID:{model})"}, **place})
        for number in (1, 2):
            times = {"ts": 10 * number + 20 * model, "dur": 9}
            events.append({"ph": "X", "name": f"Iteration {number}", "cat": "Iteration Time", **times, **place})
    return events


CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "nothing": ({"msprof_0.json": json.dumps(steps(1))}, []),
    "rows of two graphs": ({"msprof_0.json": json.dumps(steps(2))}, ["2 graphs"]),
    "operators of three graphs": (
        {
            "msprof_0.json": json.dumps(steps(1)),
            "framework_raw_0.csv": GRAPHS + "".join(f"1,2,3,a/x-op{k},x,Add,Default,{{}},{k}\n" for k in (1, 2, 2, 3)),
        },
        ["3 graphs"],
    ),
    "operators of hosts in a table": (
        {
            "msprof_0.json": json.dumps(steps(1)),
            "cpu_op_detail_info_0.csv": f"{HOST}Host,Concat,Concat-op1,net/Concat-op1,4,2.5,0.625,1\n",
        },
        ["operators on host CPUs"],
    ),
    "operators of hosts in a timeline": (
        {"ascend_timeline_display_0.json": json.dumps([device(0, 519), device(11000, 8000)])},
        ["operators on host CPUs"],
    ),
    "steps alone beside hosts": (
        {"ascend_timeline_display_0.json": json.dumps([device(0, 519), device(11000, 100000)])},
        [],
    ),
    "dynamic shapes and two graphs": (
        {"msprof_0.json": json.dumps(steps(2)), "dynamic_shape_info_0.json": json.dumps(SHAPES)},
        ["dynamic shapes", "2 graphs"],
    ),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    build_store([folder / name for name in files], folder / "run.store")
    return folder / "run.store"


def doubts(store: Path) -> list[str]:
    run = open_run_store(store)
    try:
        return finish(step_doubts(QueryReader(run)))
    finally:
        run.close()


@pytest.mark.parametrize("case", CASES)
def test_what_a_run_has(case: str, tmp_path: Path) -> None:
    files, expected = CASES[case]
    assert doubts(written(tmp_path, files)) == expected


def test_pages_of_steps_say_it(tmp_path: Path) -> None:
    store = written(tmp_path, CASES["dynamic shapes and two graphs"][0])
    text = (
        "Steps may be divided wrongly: this run has dynamic shapes and 2 graphs, and MindSpore divides those of one "
        "graph of fixed shapes, on one kind of device."
    )
    for page in ("steps", "overview"):
        assert [note.text for note in table_answer(page, store).notes].count(text) == 1, page


def test_real_runs_of_one_graph_are_not_doubted(tmp_path: Path) -> None:
    build_store(sorted(corpus_path("ascend/run_1").iterdir()), tmp_path / "run.store")
    assert doubts(tmp_path / "run.store") == []
    assert not any("divided" in note.text for note in table_answer("steps", tmp_path / "run.store").notes)
