"""Synthetic trainings with PyTorch: true among themselves, and what our tools say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.reports.traces import answer, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

SHAPE = KinetoShape()
GROUP_OF = {"_allgather_base": "1", "allreduce": "0", "recv": "0", "send": "0"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("job")


@pytest.fixture(scope="module")
def truth(folder: Path) -> dict[str, Any]:
    return write_job(folder / "traces", SHAPE)


@pytest.fixture(scope="module", params=range(SHAPE.cycles))
def cycle(request: pytest.FixtureRequest, folder: Path, truth: dict[str, Any]) -> Iterator[tuple[QueryReader, Any]]:
    """A cycle, and the truth about the file of each rank."""
    files = [rank[request.param] for rank in truth["ranks"]]
    store = folder / f"store-{request.param}"
    build_store([folder / "traces" / file["file"] for file in files], store)
    with closing(open_run_store(store)) as opened:
        yield QueryReader(opened), files


def test_the_same_shape_gives_the_same_bytes(folder: Path, truth: dict[str, Any], tmp_path: Path) -> None:
    assert write_job(tmp_path, SHAPE) == truth
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (folder / "traces" / path.name).read_bytes()


def test_collectives_are_of_their_groups_and_end_together(truth: dict[str, Any]) -> None:
    names = Counter(name for instance in truth["collectives"] for name in instance["name"])
    steps = SHAPE.cycles * SHAPE.steps
    pairs = SHAPE.ranks // 2 * steps
    layers = SHAPE.layers * steps
    assert names == {"_allgather_base": SHAPE.hosts * layers, "allreduce": layers, "send": pairs, "recv": pairs}
    for instance in truth["collectives"]:
        assert {GROUP_OF[name] for name in instance["name"]} == {instance["group"]}
        last = max(instance["start"])
        assert instance["wait"] == [last - start for start in instance["start"]]
        assert instance["end"] == last + instance["pure"]
    waits = Counter[int]()
    for instance in truth["collectives"]:
        if instance["name"] == ["allreduce"]:
            waits.update(dict(zip(instance["ranks"], instance["wait"], strict=True)))
    assert min(waits, key=lambda rank: waits[rank]) == SHAPE.slow_rank


def test_operators_are_those_of_the_truth(cycle: tuple[QueryReader, list[dict[str, Any]]]) -> None:
    reader, files = cycle
    expected: dict[str, Counter[str]] = {}
    for file in files:
        for name, sums in file["sums"]["cpu_op"].items():
            expected.setdefault(name, Counter()).update(sums)
    table = {row["name"]: row for row in rows(answer(reader, "framework_ops"), "host") if row["count"] is not None}
    assert table.keys() == expected.keys()
    for name, sums in expected.items():
        row = table[name]
        own = (row["count"], row["total"], row["self"], row["kernels"], row["device_total"])
        assert own == tuple(sums[key] for key in ("calls", "host_total", "host_self", "kernels", "device_total"))


def test_memory_is_that_of_the_truth(cycle: tuple[QueryReader, list[dict[str, Any]]]) -> None:
    reader, files = cycle
    answered = answer(reader, "memory_profile", limit=1000)
    peaks = sorted(row["peak"] for row in rows(answered, "memories"))
    assert peaks == sorted(memory["peak"] for file in files for memory in file["memory"])


def test_steps_are_those_of_the_truth(cycle: tuple[QueryReader, list[dict[str, Any]]]) -> None:
    reader, files = cycle
    table = rows(answer(reader, "steps"), "steps")
    assert {row["step"] for row in table} == {number for file in files for number, _, _ in file["steps"]}
