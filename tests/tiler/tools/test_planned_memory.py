"""Memory that graphs of MindSpore are planned to need: the truth of a generator, forms of files, damage."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, truth, write_profiler
from bench.ascend_run.graph_memory import planned_tensors
from tests.reports.traces import answer, rows
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of

GIB = 1 << 30


def opened(folder: Path, store: Path) -> QueryReader:
    return QueryReader(open_run_store(index(folder, store)))


def facts(plan: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in plan.facts}


def curve(plan: Answer) -> list[Any]:
    return list(values_of(plan.series[0].ys[0]))


def node(name: str, number: int, outputs: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    own = {"name": name, "fullname": f"Default/{name}", "node_id": number, "size": 0, "allocated": 0, "inputs": []}
    return {**own, "outputs": outputs or [], **more}


def tensor(number: int, size: int, first: Any, last: Any, **more: Any) -> dict[str, Any]:
    own = {"tensor_name": f"t{number}", "tensor_id": number, "size": size / GIB, "type": "output", "shape": [size]}
    lives = {"life_long": "LifeLongNone", "life_start": first, "life_end": last}
    return {**own, "format": "ND", "data_type": "INT8", **lives, **more}


def write_graph(folder: Path, graph: dict[str, Any], capacity: int = 1 << 34) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory_usage_details_0.json").write_text(json.dumps({"7": graph}))
    (folder / "memory_usage_summary_0.json").write_text(json.dumps({"capacity": capacity / GIB, "peak_mem": 0}))
    return folder


def test_the_truth_of_a_training(tmp_path: Path) -> None:
    training = Training(AscendShape(ranks=2, stages=1, steps=2))
    write_profiler(tmp_path / "run", training)
    reader = opened(tmp_path / "run", tmp_path / "store")
    for rank, of_rank in enumerate(truth(training)["ranks"]):
        true, program = of_rank["memory"], training.program(rank)
        planned, operators = planned_tensors(program), program.operators
        label = f"graph 11 of rank {rank}"
        plan = answer(reader, "memory_viewer", program=label, limit=10_000)
        figures = facts(plan)
        names = ("capacity", "static", "peak", "peak_point")
        assert [figures[name] for name in names] == [
            *(true["capacity"], true["static"], true["peak"], true["peak_at"] + 1),
        ]
        assert (figures["forward_start"], figures["backward_end"]) == (
            program.order["forward"][0] + 1,
            program.order["backward"][-1] + 1,
        )
        assert curve(plan) == true["curve"]
        listed = rows(plan, "operators")
        assert [row["operator"] for row in listed] == [operator.full_name for operator in operators]
        before = [true["static"], *true["curve"]]
        assert [row["change"] for row in listed] == [b - a for a, b in pairwise(before)]
        assert [row["size"] for row in listed] == [
            sum(each.tensor.size_bytes for each in planned if each.source == place) for place in range(len(operators))
        ]
        for point in (1, true["peak_at"] + 1, len(operators) // 2, len(operators)):
            there = rows(answer(reader, "memory_viewer", program=label, point=point, limit=10_000), "buffers")
            live = [each for each in planned if each.first < point <= each.last + 1]
            assert Counter((row["name"], row["size"], row["operator"], row["data_type"]) for row in there) == Counter(
                (each.name, each.tensor.size_bytes, operators[each.source].name, each.tensor.dtype) for each in live
            )
            assert {row["name"]: json.loads(row["shape"]) for row in there} == {
                each.name: list(each.tensor.shape) for each in live
            }
            assert true["static"] + sum(row["size"] for row in there) == true["curve"][point - 1]
    assert len(rows(plan, "programs")) == 2
    assert "the plan of the compiler" in " ".join(note.text for note in plan.notes)
    reader.store.close()


TENSORS = st.lists(st.tuples(st.integers(1, 1 << 40), st.integers(0, 9), st.integers(0, 12)), max_size=12)


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(TENSORS, st.booleans(), st.booleans(), st.integers(1, 10))
def test_any_plan_adds_up(raw: list[Any], are_listed: bool, are_broken_down: bool, point: int) -> None:
    """Nodes as a list or by name, tensors in either place: the curve is static memory and what lives."""
    tensors = [tensor(k, size, min(a, b), max(a, b)) for k, (size, a, b) in enumerate(raw)]
    nodes = [node(f"op{k}", k, [] if are_broken_down else tensors if k == 3 else None) for k in range(10)]
    graph: dict[str, Any] = {
        "static_mem": 5 / GIB,
        "nodes": nodes if are_listed else {n["name"]: n for n in nodes},
        "lines": [],
    }
    graph["breakdowns"] = [tensors, tensors[:1]] if are_broken_down else []
    with TemporaryDirectory() as folder:
        reader = opened(write_graph(Path(folder) / "profiler", graph), Path(folder) / "store")
        plan = answer(reader, "memory_viewer", point=point, limit=100)
        expected = [
            5 + sum(size for size, a, b in raw if min(a, b) <= k <= max(a, b) or (k == 9 and min(a, b) > 9))
            for k in range(10)
        ]
        assert curve(plan) == expected
        assert 5 + sum(row["size"] for row in rows(plan, "buffers")) == expected[point - 1]
        part = answer(reader, "memory_viewer", first_point=3, last_point=6)
        assert curve(part) == expected[2:6]
        reader.store.close()


def test_a_plan_of_some_operators(tmp_path: Path) -> None:
    """MindSpore writes each n-th operator of large graphs: tensors live by the numbers of all."""
    nodes = [node(f"op{k}", k, [tensor(k, 100 + k, k, k + 3)]) for k in range(0, 90, 3)]
    graph = {"static_mem": 0, "nodes": nodes, "lines": [], "breakdowns": [], "fp_start": "Default/op6", "bp_end": 87}
    reader = opened(write_graph(tmp_path / "profiler", graph), tmp_path / "store")
    plan = answer(reader, "memory_viewer")
    assert curve(plan)[:3] == [100, 100 + 103, 103 + 106]
    assert [values_of(plan.series[0].x)[k] for k in (0, 1, 29)] == [1, 4, 88]
    assert [facts(plan)[name] for name in ("forward_start", "backward_end", "last_point")] == [7, 88, 88]
    reader.store.close()


def test_cells_that_are_no_figures(tmp_path: Path) -> None:
    bad = [
        tensor(0, 1, 0, "N/A"),
        tensor(1, -5, 0, 1),
        tensor(2, 1, -1, 1),
        tensor(3, 1, 1, 0),
        tensor(4, 1, 0, 1 << 63),
        tensor(6, 1, 0, 1) | {"size": 1e300},
        tensor(5, 64, 0, 999_999_999),
        tensor(5, 99, 0, 1),  # a number twice
    ]
    graph = {"static_mem": "NaN", "nodes": {"a": node("a", 0, bad), "b": 3}, "lines": [1], "fp_start": 1 << 70}
    reader = opened(write_graph(tmp_path / "profiler", graph, -1), tmp_path / "store")
    plan = answer(reader, "memory_viewer", buffers="all")
    assert [row["size"] for row in rows(plan, "buffers")] == [64]
    assert (facts(plan)["peak"], facts(plan)["capacity"], facts(plan)["forward_start"]) == (GIB, None, None)
    texts = [note.text for note in plan.notes]
    assert any(text.startswith("6 tensors with an impossible size or lifetime") for text in texts)
    assert any("the curve has" in text for text in texts)
    reader.store.close()


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda text: text[: len(text) // 2], r"memory_usage_details_0\.json.*\(line 1, column \d+\)"),
        (lambda text: "[" * 1_000_000, r"memory_usage_details_0\.json"),
        (lambda text: '{"7": {"nodes": {}}}', "profile_memory=True"),
    ],
    ids=["cut", "deep", "empty"],
)
def test_a_broken_file_costs_the_tool_alone(tmp_path: Path, damage: Callable[[str], str], fault: str) -> None:
    write_profiler(tmp_path / "run", Training(AscendShape(ranks=1, stages=1, steps=2)))
    (path,) = (tmp_path / "run").rglob("memory_usage_details_0.json")
    path.write_text(damage(path.read_text()))
    reader = opened(tmp_path / "run", tmp_path / "store")
    assert rows(answer(reader, "step_trace"), "steps")
    with pytest.raises(NotAvailable, match="profile_memory=True") as raised:
        answer(reader, "memory_viewer")
    assert re.search(fault, str(raised.value))
    reader.store.close()
