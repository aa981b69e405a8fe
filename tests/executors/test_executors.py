"""Executors by their addresses: the same run on each."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.pods import threads, write_pod
from tilescope.executors import open_executor
from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.opened_executor import OpenExecutor
from tilescope.tiler.shards.session import PulseWriter
from tilescope.tiler.shards.sharded_run import ShardedRun, read_sharded_run
from tilescope.tiler.verify.same_entries import compare_stores

HOSTS = 4

POOL = ThreadPoolExecutor  # for MODULE:OBJECT
NO_POOL = dict


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_pod(tmp_path_factory.mktemp("pod") / "pod", HOSTS, events=500)


def build(files: list[Path], folder: Path, executor: OpenExecutor) -> ShardedRun:
    return build_shards(files, folder, executor, progress=lambda _: None)


def assert_is_the_run_of_threads(files: list[Path], folder: Path, executor: OpenExecutor) -> None:
    run, expected = build(files, folder, executor), build(files, folder.with_name("expected"), threads)
    assert not run.failed
    assert [shard.name for shard in run.shards] == [shard.name for shard in expected.shards]
    for shard in run.shards:
        compare_stores(*(shard_path(place, shard.name) for place in (folder, folder.with_name("expected"))))


def test_processes(tmp_path: Path, pod: list[Path]) -> None:
    before = set(multiprocessing.active_children())
    assert_is_the_run_of_threads(pod, tmp_path / "run", open_executor("processes", 2, 1 << 28))
    assert set(multiprocessing.active_children()) == before


def hang(*_: Any) -> None:
    """A task that answers nobody and hears nothing."""
    time.sleep(600)


def test_processes_that_hang_are_ended_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.executors.processes._GRACE_SECONDS", 0.2)
    before = set(multiprocessing.active_children())
    with open_executor("processes", 1, 1 << 28)() as executor:
        assert executor.submit(abs, -1).result() == 1
        executor.submit(hang)
        time.sleep(0.2)
        assert set(multiprocessing.active_children()) > before
    assert set(multiprocessing.active_children()) == before


def test_a_process_that_dies_costs_the_shard_that_it_had(tmp_path: Path, pod: list[Path]) -> None:
    executor = partial(mortal, str(pod[1]))
    run = build(pod, tmp_path / "run", executor)
    assert [shard.title for shard in run.failed] == [pod[1].name]
    assert "failed 3 times: its worker died" in run.failed[0].error
    assert not build(pod, tmp_path / "run", threads).failed


@contextmanager
def mortal(victim: str) -> Iterator[Executor]:
    """Processes that die of one file."""
    with open_executor("processes", 2, 1 << 28)() as executor:
        submit = executor.submit

        def submit_or_die(task: Any, message: dict[str, Any]) -> Any:
            is_deadly = message["work"] == "index" and message["files"] == [victim]
            return submit(die, message) if is_deadly else submit(task, message)

        executor.submit = submit_or_die  # type: ignore[assignment, method-assign]
        yield executor


def die(message: dict[str, Any]) -> None:
    """Ends the process of a worker in the midst of a task."""
    PulseWriter(Path(message["session"]), f"index-{message['shard']}").write(0.5, 1)
    os._exit(1)


def test_a_named_object(tmp_path: Path, pod: list[Path]) -> None:
    assert_is_the_run_of_threads(pod, tmp_path / "run", open_executor(f"{__name__}:POOL", 2, 1 << 28))


def test_a_cluster_of_dask(tmp_path: Path, pod: list[Path]) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (make dev)")
    options = {"dashboard_address": None, "resources": {"INDEX": 1}}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options) as cluster:
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        assert_is_the_run_of_threads(pod, tmp_path / "run", open_executor(address, 2, 1 << 28))


def test_ranks_of_mpi(tmp_path: Path, pod: list[Path]) -> None:
    launcher = shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("there is no mpiexec (apt-get install mpich, pip install mpi4py)")
    ranks = [launcher, "-n", "3", sys.executable]
    trial = subprocess.run(
        [*ranks, "-c", "from mpi4py import MPI"], capture_output=True, text=True, timeout=60, check=False
    )
    if trial.returncode:
        remedy = "pip install mpi4py, whose libmpi.so.12 is Debian's libmpich.so.12: link it into LD_LIBRARY_PATH"
        pytest.skip(f"mpi4py and a library of MPI do not start ({remedy}): {trial.stderr.strip().splitlines()[-1:]}")
    command = ["-m", "mpi4py.futures", "-m", "tilescope", "index", *map(str, pod), "-o", str(tmp_path / "run")]
    done = subprocess.run(
        [*ranks, *command, "--executor", "mpi"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    run, expected = read_sharded_run(tmp_path / "run"), build(pod, tmp_path / "expected", threads)
    for shard, same in zip(run.shards, expected.shards, strict=True):
        compare_stores(shard_path(tmp_path / "run", shard.name), shard_path(tmp_path / "expected", same.name))


def test_a_scheduler_that_is_not_there(tmp_path: Path, pod: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed (make dev)")
    monkeypatch.setattr("tilescope.executors.dask_cluster._CONNECT_SECONDS", 0.5)
    with pytest.raises(UsageError, match=r"tcp://127\.0\.0\.1:1: no scheduler of Dask answers"):
        build(pod, tmp_path / "run", open_executor("dask://127.0.0.1:1", 1, 1 << 28))


@pytest.mark.parametrize(
    "address", ["", "process", "dask://host", "dask://host:1/path", "dask://a b:1", "http://host:1", "module:", ":a"]
)
def test_addresses_that_make_no_sense(address: str) -> None:
    with pytest.raises(UsageError, match="is none of processes, dask://HOST:PORT"):
        open_executor(address, 1, 1 << 28)


@pytest.mark.parametrize(
    ("name", "message"),
    [("no_such_module:a", "cannot be imported"), (f"{__name__}:NOBODY", "cannot be imported"),
     (f"{__name__}:NO_POOL", "is no concurrent.futures.Executor, nor makes one: it is a dict")],
)  # fmt: skip
def test_objects_that_are_no_executors(tmp_path: Path, pod: list[Path], name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build(pod, tmp_path / "run", open_executor(name, 1, 1 << 28))


def test_a_worker_of_another_version_refuses(tmp_path: Path, pod: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.shards.build.VERSION", "0.0.1")
    with pytest.raises(TilescopeError, match=r"a worker has Tilescope .*, and was sent a task of '0\.0\.1'"):
        build(pod, tmp_path / "run", threads)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system does not list processes")
def test_a_command_that_is_killed_leaves_no_workers_and_can_be_completed(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", HOSTS, events=20_000)
    command = [sys.executable, "-m", "tilescope", "index", *map(str, files), "-o", str(tmp_path / "run")]
    child = subprocess.Popen([*command, "--executor", "processes", "--jobs", "2"], stderr=subprocess.DEVNULL)
    while not list((tmp_path / "run").glob("session-*/index-*")) and child.poll() is None:
        time.sleep(0.01)
    workers = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert workers
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert not build(files, tmp_path / "run", threads).failed
    assert not list((tmp_path / "run").glob("session-*"))
