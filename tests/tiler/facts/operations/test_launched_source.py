"""Work of devices by the operators of PyTorch that launch it: a real trace of Ascend, and plain Python."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_ascend_launches import flows, ps
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools import Scope, tool

Sums = dict[str, tuple[int, int]]


def sums(reader: QueryReader, **span: int) -> Sums:
    """Count and time of each operation, in ticks."""
    table = rows(answer(reader, "framework_ops", **span), "device")
    assert all(row["self"] == row["total"] for row in table)
    return {row["name"]: (row["count"], row["total"]) for row in table if row["name"] != "idle"}


def test_tasks_of_torch_npu_belong_to_the_innermost_operators_around_their_flows(tmp_path: Path) -> None:
    file = corpus_path("ascend/msprof_trace_view_string_ts.json")
    events: list[dict[str, Any]] = json.loads(file.read_text())
    launches = {event["id"]: event for event in events if event["ph"] == "s" and event["cat"] == "async_npu"}
    arrivals = {ps(event["ts"]): event["id"] for event in events if event["ph"] == "f" and event["cat"] == "async_npu"}
    begins = flows(events, "async_npu")
    slices = [event for event in events if event["ph"] == "X"]
    operators = [event for event in slices if event.get("cat") == "cpu_op" and event["name"].startswith("aten::")]
    counts: Counter[str] = Counter()
    for task in (event for event in slices if event["pid"] == 800):
        name, arrival = task["name"], ps(task["ts"])
        if arrival in arrivals:
            begin, thread = begins[arrival], launches[arrivals[arrival]]["tid"]
            around = [
                operator
                for operator in operators
                if operator["tid"] == thread and 0 <= begin - ps(operator["ts"]) < ps(operator["dur"])
            ]
            name = max(around, key=lambda operator: ps(operator["ts"]))["name"]
        counts[name] += 1
    with reading(file, tmp_path) as reader:
        framework = sums(reader)
        assert {name: count for name, (count, _) in framework.items()} == counts
        assert (counts.total(), counts["aten::mm"], counts["MEMCPY_ASYNC"]) == (276, 42, 2)
        stats = rows(answer(reader, "overlap"), "steps")
        # Those of all work, copies among it, whoever launched it.
        assert sum(total for _, total in framework.values()) == sum(s["computation"] for s in stats) + 2_190_000
        assert "Of 276 kernels and tasks 2 have no operator" in answer(reader, "framework_ops").notes[0].text


NAMES = {
    "aten::add": "aten::add",
    "aten::mm": "aten::mm",
    "c10d::send": "c10d::send",
    "torch::autograd::AccumulateGrad": None,
    "Optimizer.step#Adam.step": None,
}
KERNELS = ("gemm", "copy")
STREAM = 7
# Of a thread: begin an operator, end the innermost one, or launch a kernel (name, gap before it, duration).
ACTIONS = st.lists(
    st.one_of(
        st.sampled_from(list(NAMES)),
        st.none(),
        st.tuples(st.sampled_from(KERNELS), st.integers(0, 5), st.integers(0, 20), st.booleans()),
    ),
    min_size=1,
    max_size=40,
)


def trace(actions: Sequence[Any]) -> tuple[list[dict[str, Any]], list[tuple[str, int, int]]]:
    """Events, and of each kernel the name of its operation, start and end in microseconds."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    around: list[tuple[str, int]] = [("ProfilerStep#1", 0)]
    kernels = []
    free = 0
    for place, action in enumerate([*actions, *[None] * len(actions)]):
        time = 10 * place + 10
        if isinstance(action, str):
            around.append((action, time))
        elif action is None:
            if len(around) > 1:
                name, begin = around.pop()
                events.append(x(name, 1, 1, begin, time - begin, cat="cpu_op"))
        else:
            name, gap, duration, is_launched = action
            args = {"correlation": place + 1}
            if is_launched:
                events.append(x("cudaLaunchKernel", 1, 1, time, 2, cat="cuda_runtime", args=args))
            start = free + gap
            free = start + duration
            events.append(x(name, 2, STREAM, start, duration, cat="kernel", args=args))
            operators = [NAMES[name] for name, _ in around if NAMES.get(name)] if is_launched else []
            kernels.append(([name, *operators][-1] or name, start, free))
    return events, kernels


# The operator has ended when another slice of its depth launches.
@example(actions=["aten::add", None, "Optimizer.step#Adam.step", ("gemm", 0, 5, True)], cuts=(0, 3, 200))
@given(actions=ACTIONS, cuts=st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200)))
@settings(max_examples=examples(60), deadline=None)
def test_any_range_is_as_in_plain_python_and_the_sum_of_its_halves(
    tmp_path_factory: pytest.TempPathFactory, actions: list[Any], cuts: tuple[int, int, int]
) -> None:
    events, kernels = trace(actions)
    folder = tmp_path_factory.mktemp("operators")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        microsecond = 1_000_000 // reader.tick_ps
        shift = min(event["ts"] for event in events if event["ph"] == "X") if len(events) > 2 else 0

        def plain(first: int, last: int) -> Sums:
            by_name: dict[str, list[int]] = defaultdict(lambda: [0, 0])
            for name, start, stop in kernels:
                by_name[name][0] += first <= start - shift < last
                by_name[name][1] += max(0, min(stop - shift, last) - max(start - shift, first)) * microsecond
            return {name: (count, ticks) for name, (count, ticks) in by_name.items() if count or ticks}

        def of_range(first: int, last: int) -> Sums:
            return sums(reader, start=first * microsecond, end=last * microsecond) if first < last else {}

        launches = any(event.get("cat") == "cuda_runtime" for event in events)
        is_there = launches and any(NAMES.get(event["name"]) for event in events)
        assert (tool("framework_ops").availability(Scope(reader)) == "") == is_there
        if not is_there:
            return
        first, middle, last = sorted(cuts)
        whole, *halves = (of_range(*pair) for pair in ((first, last), (first, middle), (middle, last)))
        assert whole == plain(first, last)
        for name, (count, ticks) in whole.items():
            parts = [half.get(name, (0, 0)) for half in halves]
            assert (sum(part[0] for part in parts), sum(part[1] for part in parts)) == (count, ticks)
