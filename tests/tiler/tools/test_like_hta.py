"""Figures like those of Holistic Trace Analysis: what it printed of real traces, and its three rules on a made one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import hta_events
from tilescope.tiler.facts.hta_events import HtaClock
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.ticks import TICK_LIMIT

# Idle, compute, non-compute and kernel time in µs, and the overlap in per cent.
BREAKDOWN = {
    "nccl_data.json.gz": (338_781, 75_169, 21_636, 435_586, 14.31),
    "mi250_minitoy.json.gz": (8_780, 96, 35, 8_911, None),
    "sampled_rank-0.json.gz": (321_378, 106_252, 172_428, 600_058, 11.81),
    "df_index_resolver.json.gz": (643_612, 496_485, 256_572, 1_396_669, 0.0),
    "resnet50_workers4.pt.trace.json.gz": (164_699, 495_912, 16_562, 677_173, None),
    "mtia_inference_rank_0.json.gz": (19_235, 419_614, 4_426, 443_275, None),
}
# Host wait, kernel wait and other of streams.
IDLE = {
    "nccl_data.json.gz": {"stream 7": (357_247, 2_155, 0), "stream 40": (381_499, 0, 0)},
    "df_index_resolver.json.gz": {
        "stream 7": (791_330, 16_727, 73_829),
        "stream 14": (933_139, 5_568, 4_444),
    },
    "resnet50_workers4.pt.trace.json.gz": {"stream 7": (154_426, 8_804, 1_469)},
    "sampled_rank-0.json.gz": {"stream 7": (213_825, 1_985, 261_740)},
}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    opened = {}
    for name in BREAKDOWN:
        store = tmp_path_factory.mktemp("hta") / "store"
        build_store([corpus_path(f"kineto/{name}")], store)
        opened[name] = QueryReader(open_run_store(store))
    return opened


@pytest.mark.parametrize("name", BREAKDOWN)
def test_breakdown_and_overlap_of_real_runs(readers: dict[str, QueryReader], name: str) -> None:
    (row,) = rows(answer(readers[name], "overlap", like_hta=True), "hta")
    overlap = None if row["overlap"] is None else round(100 * row["overlap"], 2)
    figures = (row["idle_time"], row["compute_time"], row["non_compute_time"], row["kernel_time"], overlap)
    assert figures == BREAKDOWN[name]


def test_kinds_of_kernels_of_a_real_run(readers: dict[str, QueryReader]) -> None:
    (row,) = rows(answer(readers["nccl_data.json.gz"], "overlap", like_hta=True), "hta")
    names = ("only_computation", "only_communication", "computation_communication", "only_memory")
    assert tuple(row[name] for name in names) == (71_696, 20_621, 3_473, 831)
    assert (row["communication_memory"], row["computation_memory"], row["all_kinds"]) == (184, 0, 0)
    (other,) = rows(answer(readers["df_index_resolver.json.gz"], "overlap", like_hta=True), "hta")
    assert tuple(other[name] for name in ("only_computation", "only_communication", "only_memory")) == (
        496_485,
        238_274,
        18_298,
    )


@pytest.mark.parametrize("name", IDLE)
def test_idle_time_of_streams_of_real_runs(readers: dict[str, QueryReader], name: str) -> None:
    table = rows(answer(readers[name], "gaps", like_hta=True), "hta")
    waits = {
        row["lane"].rpartition(" › ")[2]: (row["host_wait"], row["kernel_wait"], row["other_wait"]) for row in table
    }
    assert waits.items() >= IDLE[name].items()


def test_launches_of_calls_that_it_knows(readers: dict[str, QueryReader]) -> None:
    """It knows no calls of HIP."""
    (row,) = rows(answer(readers["mi250_minitoy.json.gz"], "launches", like_hta=True), "hta")
    assert row["launches"] == 0
    launches = answer(readers["nccl_data.json.gz"], "launches", like_hta=True)
    all_launches = launches.fact("launches").value
    assert isinstance(all_launches, int)
    assert rows(launches, "hta")[0]["launches"] == 2_516 < all_launches


def test_times_far_from_the_first_are_rounded_like_others() -> None:
    clock = HtaClock(origin=300, microsecond=1000, last_step=None)
    times = np.array([0, 700, TICK_LIMIT - 1])
    assert clock.up(times).tolist() == [1, 1, -(-(TICK_LIMIT + 299) // 1000)]
    assert clock.down(times).tolist() == [0, 1, (TICK_LIMIT + 299) // 1000]


def events(*, steps: int) -> list[dict[str, Any]]:
    """A kernel of 1.6 µs that begins at 10.7, one of 0.3 µs at 21.4, and one launched in the last step."""
    work = (
        ("gemm", "kernel", 5.5, 10.7, 1.6),
        ("Memset", "gpu_memset", 15, 21.4, 0.3),
        ("hipSync", "kernel", 35, 41, 2),
    )
    trace = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    for step in range(steps):
        trace.append(x(f"ProfilerStep#{step}", 1, 1, 30 * step, 29, cat="user_annotation"))
    for number, (name, category, launch, start, duration) in enumerate(work, 1):
        args = {"correlation": number}
        trace.append(x("cudaLaunchKernel", 1, 1, launch, 1, cat="cuda_runtime", args=args))
        trace.append(x(name, 2, 7, start, duration, cat=category, args=args))
    return trace


@pytest.mark.parametrize(
    ("steps", "kernel", "idle", "computation", "waits"),
    [(2, 10, 10, 1, (10, 0, 0)), (1, 32, 30, 1, (30, 0, 0))],
)
def test_rounding_trimming_and_names(
    tmp_path: Path, steps: int, kernel: int, idle: int, computation: int, waits: tuple[int, int, int]
) -> None:
    """From 11 to 12 µs a kernel, from 22 to 21 a memset; what is called Sync is no computation."""
    with reading(write_trace(tmp_path / "trace.json", events(steps=steps)), tmp_path) as reader:
        (row,) = rows(answer(reader, "overlap", like_hta=True), "hta")
        (stream,) = rows(answer(reader, "gaps", like_hta=True), "hta")
        exact = answer(reader, "overlap")
        assert "hta" not in {table.id for table in exact.tables}
    assert (row["kernel_time"], row["idle_time"], row["compute_time"]) == (kernel, idle, computation)
    assert (stream["host_wait"], stream["kernel_wait"], stream["other_wait"]) == waits
    assert exact.fact("busy").value == 3_900


def test_too_much_work_is_refused(readers: dict[str, QueryReader], monkeypatch: pytest.MonkeyPatch) -> None:
    """All work of a device is in memory at once: that is bounded, and the other tables are there without it."""
    reader = readers["nccl_data.json.gz"]
    monkeypatch.setattr(hta_events, "MOST_WORK", 3_000)
    with pytest.raises(UsageError, match="GPU 0 has more than 3,000 slices of work"):
        answer(reader, "overlap", like_hta=True)
    assert answer(reader, "overlap").fact("busy").value
