"""The part of communication that passes on what one device has computed to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.findings.answers import groups, reading
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings.passing import are_passing, passing_shares
from tilescope.tiler.query import finish

PASS = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
REDUCE = "ncclDevKernel_AllReduce_Sum_f32"
GEMM = "gemm"

LABELS = [
    {"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}}
    for process, label in ((1, "CPU"), (40, "GPU 0"), (41, "GPU 1"))
]


def kernel(name: str, stream: int, start: int, length: int, process: int = 40) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": name, "pid": process, "tid": stream, "ts": start, "dur": length}


def call(name: str) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 3, "dur": 2}


def shares(events: list[dict[str, Any]], folder: Path) -> list[float]:
    with reading([write_trace(folder / "trace.json", LABELS + events)], folder) as reader:
        return [share for group in groups(reader) for share in finish(passing_shares(reader, group.lanes))]


KERNELS = st.tuples(st.sampled_from([PASS, REDUCE, GEMM]), st.integers(7, 9), st.integers(0, 120), st.integers(1, 30))


@given(rows=st.lists(KERNELS, min_size=1, max_size=10))
@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_share_is_that_of_ticks_in_which_nothing_is_computed(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, int, int]]
) -> None:
    ticks: dict[str, set[int]] = {PASS: set(), REDUCE: set(), GEMM: set()}
    for name, _, start, length in rows:
        ticks[name] |= set(range(start, start + length))
    alone = (ticks[PASS] | ticks[REDUCE]) - ticks[GEMM]
    expected = len(ticks[PASS] & alone) / len(alone) if alone else 0.0
    (share,) = shares([kernel(*row) for row in rows], tmp_path_factory.mktemp("passing"))
    assert share == pytest.approx(expected)


def is_passing(events: list[dict[str, Any]], folder: Path) -> bool:
    with reading([write_trace(folder / "trace.json", LABELS + events)], folder) as reader:
        (group,) = groups(reader)
        return finish(are_passing(reader, group.lanes))


@pytest.mark.parametrize(
    ("calls", "passes"),
    [
        ([], True),
        (["nccl:send", "nccl:recv"], True),
        (["nccl:all_to_all"], False),
        (["c10d::alltoall_base_"], False),
        (["nccl:all_to_all", "nccl:isend"], True),
    ],
)
def test_calls_on_hosts_tell_exchanges_from_passes(tmp_path: Path, calls: list[str], passes: bool) -> None:
    """NCCL's kernels of both have one name."""
    kernels = [kernel(PASS, 7, 10, 20, process) for process in (40, 41)]
    assert is_passing([*kernels, *map(call, calls)], tmp_path) == passes


@pytest.mark.parametrize(("lengths", "passes"), [((20, 9), True), ((20, 0), False), ((9, 11), False), ((20,), False)])
def test_several_devices_pass_on_most_of_what_they_communicate(
    tmp_path: Path, lengths: tuple[int, ...], passes: bool
) -> None:
    """So many of 20 us of communication on each device pass on."""
    kernels = []
    for process, length in enumerate(lengths, 40):
        kernels += [kernel(PASS, 7, 10, length, process), kernel(REDUCE, 7, 10 + length, 20 - length, process)]
    assert is_passing([row for row in kernels if row["dur"]], tmp_path) == passes


@pytest.mark.parametrize(
    ("name", "passes"),
    [
        (PASS, True),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", True),
        (REDUCE, False),
        ("ncclDevKernel_Broadcast_RING_LL", False),
    ],
)
def test_names_of_kernels(tmp_path: Path, name: str, passes: bool) -> None:
    assert shares([kernel(name, 7, 10, 20)], tmp_path) == [float(passes)]


@pytest.mark.parametrize(("name", "least", "most"), [("stages", 0.99, 1.0), ("exposed_collective", 0.0, 0.0)])
def test_planted_runs(tmp_path: Path, name: str, least: float, most: float) -> None:
    with reading(write_ranks(run(PLANTED[name]), tmp_path), tmp_path) as reader:
        (group,) = groups(reader)
        for share in finish(passing_shares(reader, group.lanes))[1:]:  # the first stage sends, and does not wait
            assert least <= share <= most
