"""Work of devices by the operators of PyTorch that launch it: a real trace of Ascend, and plain Python."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.corpus import corpus_path
from tests.examples import examples
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_ascend_launches import flows, ps
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.facts.host_operations.naming import pytorch_op, pytorch_type
from tilescope.tiler.facts.launches import frames, launch_chunks
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.launches.launch_chunks import LaunchPairs
from tilescope.tiler.facts.stacks import chains as chains_module
from tilescope.tiler.facts.stacks.chains import FrameChains, chains_around
from tilescope.tiler.indexing.flows import correlation
from tilescope.tiler.query import Events, Interruptible, QueryReader, finish
from tilescope.tiler.records import launches as records
from tilescope.tiler.tools import Scope, tool

Sums = dict[str, tuple[int, int]]
HostRows = dict[str, tuple[int, ...]]


def sums(reader: QueryReader, **span: int) -> Sums:
    """Count and time of each operation, in ticks."""
    table = listed(reader, "device", **span)
    assert all(row["self"] == row["total"] for row in table)
    return {row["name"]: (row["count"], row["total"]) for row in table if row["name"] != "idle"}


def host_rows(reader: QueryReader, **span: int) -> HostRows:
    """Count, time, own time and launches of each operator, and the time of these, in all and of its own, in ticks."""
    columns = ("count", "total", "self", "kernels", "device_total", "device_self")
    table = listed(reader, "host", **span)
    return {row["name"]: tuple(row.get(name) or 0 for name in columns) for row in table if row["name"] != "idle"}


def listed(reader: QueryReader, name: str, **span: int) -> Sequence[Mapping[str, Any]]:
    """Rows of a table; none where there is no such table."""
    answered = answer(reader, "framework_ops", **span)
    return rows(answered, name) if any(table.id == name for table in answered.tables) else []


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("aten::mm", (200, 9_552_710, 200, 2_992_562, 2_992_562)),
        ("aten::copy_", (600, 10_493_523, 600, 3_066_346, 3_066_346)),
        ("aten::native_layer_norm_backward", (48, 1_866_575, 96, 1_057_009, 1_057_009)),
        ("aten::_to_copy", (564, 4_317_850, 564, 2_552_963, 0)),
    ],
)
def test_operators_of_a_real_trace(gpt_stack: HostRows, name: str, figures: tuple[int, ...]) -> None:
    count, _, *others = gpt_stack[name]
    assert (count, *others) == figures


def test_all_operators_of_a_real_trace(gpt_stack: HostRows) -> None:
    assert (len(gpt_stack), sum(row[0] for row in gpt_stack.values())) == (91, 10_264)
    assert gpt_stack["aten::native_layer_norm_backward"][1] == 2_781_741


@pytest.fixture(scope="module")
def gpt_stack(tmp_path_factory: pytest.TempPathFactory) -> HostRows:
    path = corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")
    with reading(path, tmp_path_factory.mktemp("gpt")) as reader:
        return host_rows(reader)


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


@pytest.mark.parametrize("file", ["ns_resolution.pt.trace.json.gz", "h100_gpt_stack.pt.trace.json.gz"])
def test_work_of_a_gpu_adds_up_to_its_kernels_and_copies(tmp_path: Path, file: str) -> None:
    path = corpus_path(f"kineto/{file}")
    events = [event for event in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"] if event["ph"] == "X"]
    calls = {event["args"]["correlation"]: event for event in events if event["cat"] in {"cuda_runtime", "cuda_driver"}}
    by_thread: dict[Any, list[tuple[int, int, str]]] = defaultdict(list)
    for event in events:
        if pytorch_op(event["name"], event["cat"]):
            by_thread[event["tid"]].append((ps(event["ts"]), ps(event["ts"]) + ps(event["dur"]), event["name"]))
    counts: Counter[str] = Counter()
    copies = 0
    for event in (event for event in events if event["cat"] in {"kernel", "gpu_memcpy", "gpu_memset"}):
        call = calls[event["args"]["correlation"]]
        time = ps(call["ts"])
        around = [operator for operator in by_thread[call["tid"]] if operator[0] <= time < operator[1]]
        # Of those that begin together the shorter is in the other.
        by_depth = [name for _, _, name in sorted((start, -stop, name) for start, stop, name in around)]
        inner = [name for name in by_depth if pytorch_type(name)] or by_depth
        counts[[event["name"], *inner][-1]] += 1
        copies += (event["cat"] != "kernel") * ps(event["dur"])
    with reading(path, tmp_path) as reader:
        framework, kernels = sums(reader), rows(answer(reader, "kernels", limit=1000), "kernels")
        assert {name: count for name, (count, _) in framework.items()} == counts
        of_copies = sum(total for _, total in framework.values()) - sum(kernel["total"] for kernel in kernels)
        assert of_copies * reader.tick_ps == copies


@contextmanager
def small_chunks() -> Iterator[None]:
    """Chunks of three launches, and a few slices of hosts that are looked at together."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (records, correlation):
            patch.setattr(module, "LAUNCHES_OF_A_CHUNK", 3)
        patch.setattr(frames, "TOGETHER", 5)
        yield


# Categories; what an older profiler wrote of users' marks is no operator.
NAMES = {
    "aten::add": "cpu_op",
    "aten::mm": "cpu_op",
    "c10d::send": "Operator",
    "AddmmBackward0": "cpu_op",
    "aclnnMm": "cpu_op",
    "Optimizer.step#Adam.step": "Operator",
    "forward": "user_annotation",
}
IS_OPERATOR = {name: pytorch_op(name, category) is not None for name, category in NAMES.items()}
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


@dataclass
class Kernel:
    name: str
    chain: list[str]  # of operators around its launch
    start: int
    stop: int


@dataclass
class Call:
    """Call of an operator; `inner`: of the operators in it."""

    name: str
    start: int
    stop: int = 0
    inner: list[tuple[int, int]] = field(default_factory=list)


def trace(actions: Sequence[Any]) -> tuple[list[dict[str, Any]], list[Kernel], list[Call]]:
    """Events, and of kernels and operators what they are; times in microseconds."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    around: list[Call] = []
    kernels, calls = [], []
    free = 0
    for place, action in enumerate([*actions, *[None] * len(actions)]):
        time = 10 * place + 10
        if isinstance(action, str):
            around.append(Call(action, time))
        elif action is None:
            if around:
                call = around.pop()
                call.stop = time
                events.append(x(call.name, 1, 1, call.start, time - call.start, cat=NAMES[call.name]))
                if IS_OPERATOR[call.name]:
                    calls.append(call)
                    outer = [outer for outer in around if IS_OPERATOR[outer.name]]
                    if outer:
                        outer[-1].inner.append((call.start, time))
        else:
            name, gap, duration, is_launched = action
            args = {"correlation": place + 1}
            if is_launched:
                events.append(x("cudaLaunchKernel", 1, 1, time, 2, cat="cuda_runtime", args=args))
            start = free + gap
            free = start + duration
            events.append(x(name, 2, STREAM, start, duration, cat="kernel", args=args))
            chain = [call.name for call in around if IS_OPERATOR[call.name]] if is_launched else []
            kernels.append(Kernel(name, chain, start, free))
    return events, kernels, calls


def launching(kernel: Kernel) -> str:
    inner = [name for name in kernel.chain if "::" in name] or kernel.chain
    return inner[-1] if inner else ""


def inside(start: int, stop: int, first: int, last: int) -> int:
    return max(0, min(stop, last) - max(start, first))


# The operator has ended when another slice of its depth launches.
@example(actions=["aten::add", None, "Optimizer.step#Adam.step", ("gemm", 0, 5, True)], cuts=(0, 3, 200))
@given(actions=ACTIONS, cuts=st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200)))
@settings(max_examples=examples(60), deadline=None)
def test_any_range_is_as_in_plain_python_and_the_sum_of_its_halves(
    tmp_path_factory: pytest.TempPathFactory, actions: list[Any], cuts: tuple[int, int, int]
) -> None:
    events, kernels, calls = trace(actions)
    folder = tmp_path_factory.mktemp("operators")
    with small_chunks(), reading(write_trace(folder / "trace.json", events), folder) as reader:
        microsecond = 1_000_000 // reader.tick_ps
        shift = min(event["ts"] for event in events if event["ph"] == "X") if len(events) > 2 else 0
        if not calls:
            assert tool("framework_ops").availability(Scope(reader)) != ""
            return

        def plain(first: int, last: int) -> Sums:
            by_name: dict[str, list[int]] = defaultdict(lambda: [0, 0])
            for kernel in kernels:
                title = launching(kernel) or kernel.name
                by_name[title][0] += first <= kernel.start - shift < last
                by_name[title][1] += inside(kernel.start - shift, kernel.stop - shift, first, last) * microsecond
            return {name: (count, ticks) for name, (count, ticks) in by_name.items() if count or ticks}

        def plain_host(first: int, last: int) -> HostRows:
            """Count, time and own time of operators, launches, and time of what they launch, in all and themselves."""
            by_name: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
            for call in calls:
                own = inside(call.start - shift, call.stop - shift, first, last)
                by_name[call.name][0] += first <= call.start - shift < last
                by_name[call.name][1] += own * microsecond
                own -= sum(inside(start - shift, stop - shift, first, last) for start, stop in call.inner)
                by_name[call.name][2] += own * microsecond
            for kernel in kernels if is_launching else ():
                ticks = inside(kernel.start - shift, kernel.stop - shift, first, last) * microsecond
                for name in set(kernel.chain):
                    by_name[name][3] += first <= kernel.start - shift < last
                    by_name[name][4] += ticks
                    by_name[name][5] += ticks * (name == launching(kernel))
            return {
                name: tuple(values)
                for name, values in by_name.items()
                if values[0] or values[1] or values[3] or values[4]
            }

        def span(first: int, last: int) -> dict[str, int]:
            return {"start": first * microsecond, "end": last * microsecond}

        def of_range(first: int, last: int) -> tuple[Sums, HostRows]:
            if first == last:
                return {}, {}
            return sums(reader, **span(first, last)), host_rows(reader, **span(first, last))

        is_launching = any(kernel.chain for kernel in kernels) or any(
            event.get("cat") == "cuda_runtime" for event in events
        )
        first, middle, last = sorted(cuts)
        (whole, host), *halves = (of_range(*pair) for pair in ((first, last), (first, middle), (middle, last)))
        assert host == (plain_host(first, last) if first < last else {})
        if not is_launching:
            return
        assert whole == plain(first, last)
        if first < last:
            kernel_rows = rows(answer(reader, "kernels", **span(first, last)), "kernels")
            assert sum(total for _, total in whole.values()) == sum(row["total"] for row in kernel_rows)
        for name, (count, ticks) in whole.items():
            parts = [half.get(name, (0, 0)) for half, _ in halves]
            assert (sum(part[0] for part in parts), sum(part[1] for part in parts)) == (count, ticks)


def nested_trace(count: int, launch_every: int) -> tuple[list[dict[str, Any]], list[str]]:
    """A thread with so many operators, some around others, and what launches each kernel, in order."""
    random_numbers = random.Random(47)
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    around: list[tuple[str, int]] = []
    launching: list[str] = []
    time = 0
    for number in range(count):
        while len(around) > 1 and random_numbers.random() < 0.55:
            time += 1
            name, begin = around.pop()
            events.append(x(name, 1, 1, begin, time - begin, cat="cpu_op"))
        time += 1
        around.append((f"aten::op{number % 50}", time))
        if number % launch_every == 0:
            time += 1
            launching.append(around[-1][0])
            args = {"correlation": len(launching)}
            events.append(x("cudaLaunchKernel", 1, 1, time, 1, cat="cuda_runtime", args=args))
            events.append(x("gemm", 2, STREAM, time + 1, 1, cat="kernel", args=args))
    while around:
        time += 1
        name, begin = around.pop()
        events.append(x(name, 1, 1, begin, time - begin, cat="cpu_op"))
    return events, launching


@pytest.mark.parametrize("launch_every", [3, 700])
def test_operators_of_many_leaves_are_not_held_together(tmp_path: Path, launch_every: int) -> None:
    events, launching = nested_trace(120_000, launch_every)
    held: list[int] = []

    def counted(around: Events, launches: Events, chains: FrameChains) -> NDArray[np.int32]:
        held.append(len(around))
        return chains_around(around, launches, chains)

    with pytest.MonkeyPatch.context() as patch, reading(write_trace(tmp_path / "trace.json", events), tmp_path) as run:
        patch.setattr(frames, "TOGETHER", 1000)
        patch.setattr(frames, "chains_around", counted)
        (track,) = (number for number, track in enumerate(run.tree.tracks) if str(STREAM) in track.name)
        ordinals = np.arange(len(launching))
        chains = FrameChains()
        ids = finish(StreamFrames(run, track, chains).behind(ordinals)).tolist()
        listed = chains.listed()
        assert [run.names[listed[number][-1]].text for number in ids] == launching
        assert sum(held) > 100_000 > 2 * max(held)  # those of a page at a time
        backwards = finish(StreamFrames(run, track, chains).behind(ordinals[::-7]))
        assert backwards.tolist() == ids[::-7]


def test_chains_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains_module, "_MOST_NAMES", 5)
    chains = FrameChains()
    assert [chains.numbers([(1, 2), (1, 2, 3)]).tolist() for _ in range(9)] == 9 * [[1, 2]]
    with pytest.raises(UsageError, match="in too many ways"):
        chains.number((4,))


@pytest.mark.parametrize(("column", "value"), [("ordinal", 10**6), ("launch", 10**6), ("track", 10**4)])
def test_launches_of_slices_that_a_store_lacks_are_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, value: int
) -> None:
    events, launching = nested_trace(30, 3)

    def damaged(reader: QueryReader, track: int, first: int) -> Interruptible[LaunchPairs]:
        pairs = yield from launch_chunks.launch_pairs(reader, track, first)
        return replace(pairs, **{column: np.append(getattr(pairs, column)[:-1], value)})

    monkeypatch.setattr(frames, "launch_pairs", damaged)
    with reading(write_trace(tmp_path / "trace.json", events), tmp_path) as run:
        (track,) = (number for number, track in enumerate(run.tree.tracks) if str(STREAM) in track.name)
        with pytest.raises(DamagedStore, match="lacks slices that"):
            finish(StreamFrames(run, track, FrameChains()).behind(np.arange(len(launching))))
