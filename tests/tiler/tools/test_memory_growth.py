"""Growth of memories by operator and module: the truth of a synthetic run, a real trace, ranges and their halves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.kineto_run import KinetoShape, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading
from tilescope.tiler.query import QueryReader

FIGURES = ("growth_self", "allocated_self", "freed_self", "allocations_self", "frees_self")
TOTALS = ("growth", "allocated", "freed", "allocations", "frees")
OUTSIDE = "in no operator"


def growth(reader: QueryReader, table: str = "growth", **question: Any) -> dict[str, Counter[str]]:
    """Figures of a table that are not 0, by name."""
    figures: dict[str, Counter[str]] = {}
    for row in rows(answer(reader, "memory_profile", limit=1000, **question), table):
        name = row["operation" if table == "growth" else "module"]
        figures[name] = Counter({key: row[key] for key in FIGURES + (TOTALS if table == "growth" else ()) if row[key]})
    return figures


def test_growth_is_that_of_the_truth(tmp_path: Path) -> None:
    truth: Any = write_job(tmp_path / "traces", KinetoShape(ranks=1, hosts=1, slow_rank=-1, cycles=1))
    (path,) = (tmp_path / "traces").iterdir()
    sums: Mapping[str, Mapping[str, Mapping[str, int]]] = truth["ranks"][0][0]["sums"]
    with reading(path, tmp_path) as reader:
        ours = growth(reader, memory="GPU 0")
        host = growth(reader, memory="CPU")
        modules = growth(reader, "modules", memory="GPU 0")
        functions = {row["function"] for row in rows(answer(reader, "memory_profile", memory="GPU 0"), "lifetimes")}
    operators = sums["cpu_op"]
    moved = {name for name, row in operators.items() if row["allocated_total"] or row["freed_total"]}
    assert moved == (ours.keys() | host.keys()) - {OUTSIDE}
    assert host.keys() == {"aten::stack", OUTSIDE}
    for name in ours.keys() - {OUTSIDE}:
        row, own = operators[name], ours[name]
        assert (own["allocated_self"], own["freed_self"]) == (row["allocated"], row["freed"])
        assert (own["allocated"], own["freed"]) == (row["allocated_total"], row["freed_total"])
        assert own["growth"] == own["allocated"] - own["freed"]
    assert sum(own["growth_self"] for own in ours.values()) == 0  # all is given back
    frames = {name: row for name, row in sums["python_function"].items() if name.startswith("nn.Module: ")}
    for name, row in frames.items():
        own = modules.get(name.removeprefix("nn.Module: "), Counter())
        assert (own["allocated_self"], own["freed_self"]) == (row["allocated"], row["freed"])
    assert functions == {None, "train.py(42): train_step"}


def test_growth_of_a_real_trace_adds_up(tmp_path: Path) -> None:
    with reading(corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz"), tmp_path) as reader:
        whole = growth(reader, memory="GPU 0")
        modules = growth(reader, "modules", memory="GPU 0")
        middle = reader.end // 2
        halves = [growth(reader, memory="GPU 0", start=a, end=b) for a, b in ((0, middle), (middle, reader.end + 1))]
        counts = answer(reader, "memory_profile", memory="GPU 0")
    for figure, fact in zip(FIGURES[1:], ("allocated", "freed", "allocations", "frees"), strict=True):
        assert sum(row[figure] for row in whole.values()) == counts.fact(fact).value
        assert sum(row[figure] for row in modules.values()) == counts.fact(fact).value
    for name, row in whole.items():
        for figure in FIGURES + TOTALS:
            assert row[figure] == sum(half.get(name, Counter())[figure] for half in halves), (name, figure)
    addmm = whole["aten::addmm"]
    assert addmm["allocated_self"] <= whole["aten::linear"]["allocated"]
    assert whole["aten::linear"]["allocated_self"] == 0
