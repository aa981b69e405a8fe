"""Operators of PyTorch by shapes, thread and rank: against plain Python, and figures of a real run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.host_operations import host_table as host_table_module
from tilescope.tiler.facts.host_operations import shaped_ops as shaped_module
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import values_of

FIGURES = ("count", "total", "self", "kernels", "device_total", "device_self")

Figures = dict[tuple[str, str | None], list[int]]


# -- made runs: operators in each other on two threads, with and without shapes ----------------------------------------


@dataclass
class Call:
    name: str
    shapes: Any
    thread: int
    start: int
    stop: int = 0
    outer: Call | None = None

    @property
    def chain(self) -> list[Call]:
        """The call and those around it, the innermost first."""
        return [self, *(self.outer.chain if self.outer else [])]


@dataclass
class Kernel:
    name: str
    start: int
    stop: int
    launched_in: Call | None


NAMES = ("aten::mm", "aten::add", "AddmmBackward0")
# The last are written in ways that need a decoder: an object beside them, an escape, and one that is no list of sizes.
SHAPES: tuple[Any, ...] = ([[4, 8], [8, 2]], [[4, 8], []], [], None, {"odd": [[4, 8], []]}, "[[4, 8], []]", [["a,}"]])
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), st.sampled_from(NAMES), st.sampled_from(SHAPES)),
        st.just(("close",)),
        st.tuples(st.just("launch"), st.sampled_from(("sm90_gemm", "copy")), st.integers(1, 20)),
    ),
    max_size=25,
)


def made(threads: Sequence[Sequence[Any]]) -> tuple[list[dict[str, Any]], list[Call], list[Kernel]]:
    """Events, with the operators and kernels among them; times in microseconds."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        x("start", 1, 1, 0, 1, cat="user_annotation"),
    ]
    calls: list[Call] = []
    kernels: list[Kernel] = []
    free = 0
    for thread, actions in enumerate(threads, 1):
        around: list[Call] = []
        for place, action in enumerate([*actions, *[("close",)] * len(actions)]):
            time = 10 * place + 10
            if action[0] == "open":
                around.append(Call(action[1], action[2], thread, time, outer=around[-1] if around else None))
            elif action[0] == "close" and around:
                call = around.pop()
                call.stop = time
                beside = {"beside": {"a": 1}} if call.shapes == [[4, 8], []] else {}
                args: dict[str, Any] = {"Concrete Inputs": ['"Input Dims": [9]'], **beside}
                args |= {} if call.shapes is None else {"Input Dims": call.shapes}
                events.append(x(call.name, 1, thread, call.start, time - call.start, cat="cpu_op", args=args))
                calls.append(call)
            elif action[0] == "launch":
                args = {"correlation": len(kernels) + 1}
                events.append(x("cudaLaunchKernel", 1, thread, time, 2, cat="cuda_runtime", args=args))
                events.append(x(action[1], 2, 7, free, action[2], cat="kernel", args=args))
                kernels.append(Kernel(action[1], free, free + action[2], around[-1] if around else None))
                free += action[2] + 1
    return events, calls, kernels


def text_of(shapes: Any) -> str | None:
    """The shapes as a row has them; what is no list is text of JSON, too."""
    return None if shapes is None else json.dumps(shapes)


def inside(start: int, stop: int, first: int, last: int) -> int:
    return max(0, min(stop, last) - max(start, first)) * 1000


def plain(by: str, calls: Sequence[Call], kernels: Sequence[Kernel], first: int, last: int) -> Figures:
    def key(call: Call) -> tuple[str, str | None]:
        return call.name, {"operator": None, "shapes": text_of(call.shapes), "thread": f"Thread {call.thread}"}[by]

    figures: Figures = defaultdict(lambda: [0] * 7)
    for call in calls:
        ticks = inside(call.start, call.stop, first, last)
        row = figures[key(call)]
        row[0] += first <= call.start < last
        row[1] += ticks
        row[2] += ticks
        if call.outer:
            figures[key(call.outer)][2] -= ticks
    for kernel in kernels:
        chain = kernel.launched_in.chain if kernel.launched_in else []
        ticks = inside(kernel.start, kernel.stop, first, last)
        for name in {key(call) for call in chain}:
            figures[name][3] += first <= kernel.start < last
            figures[name][4] += ticks
            figures[name][6] += ticks * (kernel.name == "sm90_gemm")
        if chain:
            owner = next((call for call in chain if "::" in call.name), chain[0])
            figures[key(owner)][5] += ticks
    return {name: row for name, row in figures.items() if any(row[:2]) or any(row[3:5])}


def host_rows(reader: QueryReader, by: str, **span: int) -> Figures:
    table = rows(answer(reader, "framework_ops", by=by, limit=1000, **span), "host")
    column = {"operator": "type", "shapes": "shapes", "thread": "thread"}[by]
    figures: Figures = {}
    for row in table:
        if row["name"] != "idle":
            key = row["name"], None if by == "operator" else row[column]
            assert key not in figures
            values = [row.get(figure) or 0 for figure in FIGURES]
            figures[key] = [*values, round((row.get("tensor_share") or 0) * values[4])]
    return figures


@given(
    threads=st.tuples(ACTIONS, ACTIONS),
    cuts=st.tuples(st.integers(0, 500), st.integers(0, 500)),
    by=st.sampled_from(["operator", "shapes", "thread"]),
)
@settings(max_examples=examples(40), deadline=None)
def test_rows_of_any_range_are_as_in_plain_python(
    tmp_path_factory: pytest.TempPathFactory, threads: tuple[list[Any], list[Any]], cuts: tuple[int, int], by: str
) -> None:
    events, calls, kernels = made(threads)
    if not calls:
        return
    folder = tmp_path_factory.mktemp("rows")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        microsecond = 1_000_000 // reader.tick_ps
        first, last = sorted(cuts)
        span = {"start": first * microsecond, "end": (last + 1) * microsecond}
        ours = host_rows(reader, by, **span)
        theirs = plain(by, calls, kernels, first, last + 1)
        scaled = {key: [row[0], *(v * microsecond // 1000 for v in row[1:3]), row[3]] for key, row in theirs.items()}
        assert {key: row[:4] for key, row in ours.items()} == scaled
        assert {key: row[4:] for key, row in ours.items()} == {
            key: [value * microsecond // 1000 for value in row[4:]] for key, row in theirs.items()
        }


@given(
    threads=st.tuples(ACTIONS, ACTIONS),
    cuts=st.tuples(st.integers(0, 500), st.integers(0, 500)),
    by=st.sampled_from(["operator", "shapes", "thread"]),
)
@settings(max_examples=examples(20), deadline=None)
def test_own_times_are_what_operators_cover_and_with_idle_time_all_of_their_threads(
    tmp_path_factory: pytest.TempPathFactory, threads: tuple[list[Any], list[Any]], cuts: tuple[int, int], by: str
) -> None:
    events, calls, _ = made(threads)
    if not calls:
        return
    folder = tmp_path_factory.mktemp("covered")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        microsecond = 1_000_000 // reader.tick_ps
        first, last = min(cuts), max(cuts) + 1
        span = {"start": first * microsecond, "end": last * microsecond}
        own = {"operators": 0, "idle": 0}
        for row in rows(answer(reader, "framework_ops", by=by, limit=1000, **span), "host"):
            own["idle" if row["name"] == "idle" else "operators"] += row["self"]
    covered = sum(inside(call.start, call.stop, first, last) for call in calls if call.outer is None)
    spans = [
        (min(call.start for call in mine), max(call.stop for call in mine))
        for thread in (1, 2)
        if (mine := [call for call in calls if call.thread == thread])
    ]
    whole = sum(inside(start, stop, first, last) for start, stop in spans)
    assert own == {
        "operators": covered * microsecond // 1000,
        "idle": (whole - covered) * microsecond // 1000,
    }


def test_operators_keep_their_shapes_where_nothing_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread gives its operators other numbers where it has to begin again."""
    threads = [[("open", name, shapes), ("launch", "copy", 5)] for name, shapes in zip(NAMES, SHAPES[:2], strict=False)]
    events, calls, kernels = made(threads)
    with reading(write_trace(tmp_path / "trace.json", events), tmp_path) as reader:
        monkeypatch.setattr(host_table_module._HOST_OPERATIONS, "keep", lambda owner, key, value: value)
        ours = {key: row[3:5] for key, row in host_rows(reader, "shapes").items()}
        microsecond = 1_000_000 // reader.tick_ps
    assert ours == {(call.name, text_of(call.shapes)): [1, 5 * microsecond] for call in calls}
    assert len(ours) == len(kernels) == 2


def test_too_many_shapes_are_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter range is answered, before and after."""
    monkeypatch.setattr(shaped_module, "_MOST_OPERATORS", 2)
    every = [SHAPES[0]] * 1500 + list(SHAPES[1:3]) + [SHAPES[0]] * 1500
    events, _, _ = made([[step for shapes in every for step in (("open", "aten::mm", shapes), ("close",))]])
    with reading(write_trace(tmp_path / "trace.json", events), tmp_path) as reader:
        short = {"start": 0, "end": 25 * (1_000_000 // reader.tick_ps)}
        for _ in range(2):
            assert {key[1]: row[0] for key, row in host_rows(reader, "shapes", **short).items()} == {
                text_of(SHAPES[0]): 1
            }
            with pytest.raises(UsageError, match="too many shapes"):
                answer(reader, "framework_ops", by="shapes")
        assert len(rows(answer(reader, "framework_ops"), "host")) == 2  # with idle time


# -- real runs ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gpt(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    store = tmp_path_factory.mktemp("gpt") / "store"
    build_store([corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")], store)
    return QueryReader(open_run_store(store))


def by_name(table: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    sums: dict[str, list[int]] = defaultdict(lambda: [0] * 2)
    for row in table:
        sums[row["name"]][0] += row["self"]
        sums[row["name"]][1] += row["device_self"] or 0
    return dict(sums)


@pytest.mark.parametrize("by", ["shapes", "thread", "host"])
def test_rows_of_a_real_run_add_up_to_its_operators(gpt: QueryReader, by: str) -> None:
    whole = answer(gpt, "framework_ops", limit=1000)
    parts = answer(gpt, "framework_ops", limit=1000, by=by)
    assert by_name(rows(parts, "host")) == by_name(rows(whole, "host"))
    assert parts.table("host").totals == whole.table("host").totals
    kernels = rows(answer(gpt, "overlap"), "devices")[0]["busy"]  # one stream at a time
    assert sum(row["device_self"] or 0 for row in rows(whole, "host")) == kernels == 16_937_290


def test_shapes_and_tensor_cores_of_a_real_run(gpt: QueryReader) -> None:
    table = rows(answer(gpt, "framework_ops", limit=1000, by="shapes"), "host")
    mm = {row["shapes"]: row for row in table if row["name"] == "aten::mm"}
    assert len(mm) == 10
    assert mm["[[4096, 8192], [8192, 512]]"]["count"] == 4
    assert sum(row["device_self"] for row in mm.values()) == 2_992_562
    named = {row["name"]: row for row in rows(answer(gpt, "framework_ops", limit=1000), "host")}
    assert (named["aten::mm"]["tensor_share"], named["aten::copy_"]["tensor_share"]) == (1, 0)
    assert named["aten::linear"]["tensor_share"] == pytest.approx(
        (named["aten::addmm"]["tensor_share"] * 1_480_502) / named["aten::linear"]["device_total"]
    )


def test_operators_of_two_ranks(tmp_path: Path) -> None:
    folder = corpus_path("kineto/h100_two_ranks")
    build_store(sorted(folder.iterdir()), tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    table = answer(reader, "framework_ops", limit=1000, by="host").table("host")
    (column,) = [column for column in table.columns if column.id == "host"]
    assert (column.title, {value for value in values_of(column) if value}) == (
        "Rank",
        {"rank 0 · GPU 0", "rank 1 · GPU 0"},
    )


def test_operators_called_before_a_range_count_among_its_rows(gpt: QueryReader) -> None:
    """The work of the last kernel runs behind all calls."""
    end = gpt.end + 1
    late = answer(gpt, "framework_ops", start=136_633_000, end=end, limit=1000)
    launching = [row for row in rows(late, "host") if row["device_total"] and not row["count"]]
    cut = answer(gpt, "framework_ops", start=136_633_000, end=end, limit=0)
    assert launching
    assert cut.table("host").rest is not None
