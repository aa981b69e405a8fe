"""Real child processes: how they end, and that they end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tilescope.server.errors import IndexingFailed, NoRoomToIndex
from tilescope.server.runs import job as job_module
from tilescope.server.runs.job import IndexJob, run_job
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes

COMMAND = (sys.executable, str(Path(__file__).with_name("scripted_worker.py")))


def scripted(folder: Path, what: str) -> IndexJob:
    return IndexJob(what, (folder / f"{what}.trace",), folder / "store")


async def run(folder: Path, what: str, wishes: Wishes | None = None) -> list[tuple[IndexProgress, list[int]]]:
    reports: list[tuple[IndexProgress, list[int]]] = []

    def note(progress: IndexProgress, built: Sequence[int]) -> None:
        reports.append((progress, list(built)))

    await run_job(scripted(folder, what), note, wishes or Wishes(), COMMAND)
    return reports


def test_a_job_survives_the_pipe(tmp_path: Path) -> None:
    job = IndexJob("", (tmp_path / "ein Name\n.pb", tmp_path / "b"), tmp_path / "store")
    assert IndexJob.from_line(job.to_line()) == job
    assert job.to_line().count(b"\n") == 1
    job = IndexJob("", (), tmp_path, memory_bytes=2**40)
    assert IndexJob.from_line(job.to_line()) == job


async def test_progress_and_success(tmp_path: Path) -> None:
    assert await run(tmp_path, "good") == [(IndexProgress("read", 0.5, 2**60), [])]


async def test_all_that_a_worker_says_of_its_progress_arrives(tmp_path: Path) -> None:
    seen = IndexProgress("build", 0.75, 7, 8, 9, 10, 2, 11, 1.5, "b1", 3)
    assert (await run(tmp_path, "rich"))[1:] == [(seen, [4, 1])]


async def test_a_worker_hears_the_newest_wish(tmp_path: Path) -> None:
    wishes = Wishes()
    wishes.replace([9])
    wishes.replace([5, 3])
    heard = (await run(tmp_path, "hears", wishes))[1:]
    assert heard == [(IndexProgress("heard", 0.5, 0), [5, 3])]


async def test_a_full_disk_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(NoRoomToIndex, match="the disk is full"):
        await run(tmp_path, "full")


async def test_a_noisy_worker_does_not_block(tmp_path: Path) -> None:
    await run(tmp_path, "noisy")


@pytest.mark.parametrize(
    ("what", "complaint"),
    [
        ("bad", "^bad.trace: byte 7: no trace$"),
        ("crash", "was ended by SIGSEGV$"),
        ("exit", r"ended with status 3 \(MemoryError: no more\)$"),
        ("silent", "ended with status 0$"),
        ("half", "ended with status 1$"),
    ],
)
async def test_failures_are_one_clear_line(tmp_path: Path, what: str, complaint: str) -> None:
    with pytest.raises(IndexingFailed, match=complaint) as failure:
        await run(tmp_path, what)
    assert "\n" not in str(failure.value)


async def waiting_worker(folder: Path, what: str) -> tuple[asyncio.Task[None], int]:
    """A job that is at work, and the id of its process."""
    waits = asyncio.Event()

    def on_progress(progress: IndexProgress, _built: Sequence[int]) -> None:
        if progress.phase == "wait":
            waits.set()

    task = asyncio.create_task(run_job(scripted(folder, what), on_progress, Wishes(), COMMAND))
    async with asyncio.timeout(10):
        await waits.wait()
    return task, int((folder / "store.pid").read_text())


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_worker_that_is_killed_is_a_failure(tmp_path: Path) -> None:
    task, pid = await waiting_worker(tmp_path, "slow")
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(IndexingFailed, match="was ended by SIGKILL, perhaps for want of memory"):
        await task


@pytest.mark.parametrize("what", ["slow", "stubborn"])
async def test_a_cancelled_job_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(job_module, "STOP_TIMEOUT_S", 0.2 if what == "stubborn" else 5.0)
    task, pid = await waiting_worker(tmp_path, what)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_alive(pid)
