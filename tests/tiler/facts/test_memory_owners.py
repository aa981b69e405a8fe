"""Owners of PyTorch's allocations: those of a real trace, and plain Python."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading, x
from tilescope.tiler.facts.stacks import frames_at

CATEGORIES = {"aten::add": "cpu_op", "aten::empty": "cpu_op", "train.py(7): step": "python_function"}

# Of a thread: begin a slice, end the innermost one, or allocate so many bytes.
ACTIONS = st.lists(
    st.tuples(st.integers(1, 2), st.one_of(st.sampled_from(list(CATEGORIES)), st.none(), st.integers(1, 9))),
    min_size=1,
    max_size=60,
)


def test_owners_at_the_peak_of_a_real_trace(tmp_path: Path) -> None:
    with reading(corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz"), tmp_path) as reader:
        table = rows(answer(reader, "memory_profile"), "allocations")
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for row in table:
        count[row["operation"]] += row["count"] or 0
        size[row["operation"]] += row["total"]
    assert size.pop("allocated before the trace began, or not recorded") == 402_220_544
    assert (count.total(), size.total()) == (122, 910_335_488)
    assert (count["aten::addmm"], size["aten::addmm"]) == (12, 176_160_768)
    assert (count["aten::gelu"], size["aten::gelu"]) == (6, 100_663_296)


@pytest.mark.parametrize("together", [1, 3, 1 << 16])
@given(actions=ACTIONS)
@settings(max_examples=examples(40), deadline=None)
def test_owners_are_the_innermost_operators_of_the_thread(
    tmp_path_factory: pytest.TempPathFactory, together: int, actions: list[tuple[int, Any]]
) -> None:
    around: dict[int, list[tuple[str, int]]] = {1: [], 2: []}
    events: list[dict[str, Any]] = []
    owners: Counter[tuple[str | None, int]] = Counter()
    ends = [(thread, None) for thread in (1, 2) for _ in actions]
    for time, (thread, action) in enumerate([*actions, *ends]):
        if isinstance(action, str):
            around[thread].append((action, time))
        elif isinstance(action, int):
            operators = [name for name, _ in around[thread] if CATEGORIES[name] == "cpu_op"]
            owners[operators[-1] if operators else None, action] += 1
            args = {"Device Type": 1, "Device Id": 0, "Bytes": action, "Total Allocated": 1 << 20, "Addr": time + 1}
            common = {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": thread, "cat": "cpu_instant_event"}
            events.append(common | {"ts": time, "args": args})
        elif around[thread]:
            name, begin = around[thread].pop()
            events.append(x(name, 1, thread, begin, time - begin, cat=CATEGORIES[name]))
    if not owners:
        return
    folder = tmp_path_factory.mktemp("owners")
    trace = folder / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with pytest.MonkeyPatch.context() as patch, reading(trace, folder) as reader:
        patch.setattr(frames_at, "TOGETHER", together)
        lifetimes = rows(answer(reader, "memory_profile", limit=1000), "lifetimes")
        assert Counter((row["operation"], row["size"]) for row in lifetimes) == owners
