"""Call trees weighed by work of devices and by allocations: plain Python over the files, and collapsed stacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.export import collapsed_stacks
from tilescope.tiler.facts.stacks.chains import DEEPEST
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools import Answer


def check_tree(answered: Answer, whole: int) -> None:
    """Totals are own weights and those of the parts."""
    table = rows(answered, "nodes")
    rest = answered.table("nodes").rest
    whole -= 0 if rest is None else int(str(rest["self"]))
    parts: dict[int, int] = defaultdict(int)
    for row in table:
        parts[row["parent"]] += row["total"]
    assert parts[-1] == whole
    for place, row in enumerate(table):
        assert row["total"] == row["self"] + parts[place]
        assert row["parent"] < place
    assert sum(row["self"] for row in table) == whole


def own_by_name(answered: Answer) -> Counter[str]:
    return sum((Counter({row["name"]: row["self"]}) for row in rows(answered, "nodes")), Counter())


def total_by_name(answered: Answer) -> Counter[str]:
    """Totals by name, of names that never lie in themselves."""
    return sum((Counter({row["name"]: row["total"]}) for row in rows(answered, "nodes")), Counter())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, Any]]:
    folder = tmp_path_factory.mktemp("weighted")
    truth: Any = write_job(folder / "traces", KinetoShape(ranks=1, hosts=1, slow_rank=-1, cycles=1))
    (path,) = (folder / "traces").iterdir()
    return path, truth["ranks"][0][0]


def everything(reader: QueryReader, weight: str, **question: Any) -> Answer:
    return answer(reader, "call_tree", weight=weight, limit=100_000, depth=10_000, **question)


def test_device_time_is_that_of_the_truth(run: tuple[Path, Mapping[str, Any]], tmp_path: Path) -> None:
    path, truth = run
    with reading(path, tmp_path) as reader:
        answered = everything(reader, "device")
        few = answer(reader, "call_tree", weight="device", limit=5)
        shallow = answer(reader, "call_tree", weight="device", depth=2)
        busy = answer(reader, "framework_ops").fact("busy").value
    whole = answered.fact("device_time").value
    assert whole == busy
    assert answered.fact("weighed").value == truth["kernels"]
    for each in (answered, few, shallow):
        check_tree(each, int(str(whole)))
    totals = total_by_name(answered)
    for category in ("cpu_op", "python_function", "user_annotation"):
        for name, sums in truth["sums"][category].items():
            assert totals[name] == sums["device_total"], name


def test_bytes_are_those_of_the_truth(run: tuple[Path, Mapping[str, Any]], tmp_path: Path) -> None:
    path, truth = run
    with reading(path, tmp_path) as reader:
        answered = everything(reader, "bytes")
        memories = {row["memory"]: row["allocated"] for row in rows(answer(reader, "memory_profile"), "memories")}
    check_tree(answered, sum(memories.values()))
    totals = total_by_name(answered)
    assert {name: totals[name] for name in memories} == memories
    for category in ("cpu_op", "python_function", "user_annotation"):
        for name, sums in truth["sums"][category].items():
            assert totals[name] == sums["allocated_total"], name


@pytest.mark.parametrize("weight", ["device", "bytes"])
def test_a_range_is_the_sum_of_its_halves(tmp_path: Path, weight: str) -> None:
    with reading(corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz"), tmp_path) as reader:
        middle = reader.end // 2
        whole = everything(reader, weight)
        halves = [everything(reader, weight, start=a, end=b) for a, b in ((0, middle), (middle, reader.end + 1))]
        lines = b"".join(collapsed_stacks(reader, {"weight": weight})).decode().splitlines()
    assert own_by_name(whole) == own_by_name(halves[0]) + own_by_name(halves[1])
    stacks = {stack: int(ticks) for stack, _, ticks in (line.rpartition(" ") for line in lines)}
    assert sum(stacks.values()) == sum(own_by_name(whole).values())
    assert len(stacks) == len(lines) == sum(row["self"] > 0 for row in rows(whole, "nodes"))
    assert any(";aten::addmm" in stack for stack in stacks)
    in_model = sum(own for stack, own in stacks.items() if ";nn.Module: GPT_0;" in stack)
    assert in_model == total_by_name(whole)["nn.Module: GPT_0"] > 0


def launching(path: Path, around: list[dict[str, Any]]) -> None:
    """A trace with slices around the launch of a kernel of 10 us, at 50 us."""
    events = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        *around,
        x("cudaLaunchKernel", 1, 1, 50, 5, cat="cuda_runtime", args={"correlation": 1}),
        x("gemm", 2, 7, 60, 10, cat="kernel", args={"correlation": 1}),
    ]
    write_trace(path, events)


def stacks_of(path: Path, folder: Path) -> list[str]:
    with reading(path, folder) as reader:
        return b"".join(collapsed_stacks(reader, {"weight": "device"})).decode().splitlines()


def test_slices_without_a_name_are_in_stacks(tmp_path: Path) -> None:
    nameless = x("", 1, 1, 10, 80, cat="cpu_op")
    del nameless["name"]
    launching(tmp_path / "trace.json", [x("train", 1, 1, 0, 100, cat="user_annotation"), nameless])
    (line,) = stacks_of(tmp_path / "trace.json", tmp_path)
    frames = line.rpartition(" ")[0].split(";")
    assert (frames[0], *frames[2:]) == ("train", "cudaLaunchKernel", "gemm")
    assert len(frames) == 4


def test_stacks_of_any_depth_keep_their_innermost_frames(tmp_path: Path) -> None:
    depth = 3000
    launching(
        tmp_path / "trace.json",
        [
            x(f"f{level}", 1, 1, 40 + level / 1000, 40 - 2 * level / 1000, cat="python_function")
            for level in range(depth)
        ],
    )
    (line,) = stacks_of(tmp_path / "trace.json", tmp_path)
    stack, _, ticks = line.rpartition(" ")
    frames = stack.split(";")
    assert int(ticks) == 10_000
    assert frames == [*(f"f{level}" for level in range(depth - DEEPEST + 1, depth)), "cudaLaunchKernel", "gemm"]


def test_what_is_not_listed_is_a_line_of_its_own(run: tuple[Path, Mapping[str, Any]], tmp_path: Path) -> None:
    path, _ = run
    with reading(path, tmp_path) as reader:
        whole = answer(reader, "call_tree", weight="bytes").fact("allocated").value
        lines = b"".join(collapsed_stacks(reader, {"weight": "bytes", "limit": "1"})).decode().splitlines()
    weights = {stack: int(size) for stack, _, size in (line.rpartition(" ") for line in lines)}
    assert weights.keys() == {"GPU 0", "[not listed]"}
    assert sum(weights.values()) == whole


def test_a_tree_for_each_track_is_of_time_alone(run: tuple[Path, Mapping[str, Any]], tmp_path: Path) -> None:
    path, _ = run
    with reading(path, tmp_path) as reader:
        merged = answer(reader, "call_tree", weight="device")
        by_track = answer(reader, "call_tree", weight="device", by="track")
    assert by_track.tables == merged.tables
    assert len(by_track.notes) == len(merged.notes) + 1
