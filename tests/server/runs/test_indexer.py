from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.fakes import FakeJobs
from tilescope.server.runs.indexer import Failed, Indexer, Indexing, Queued
from tilescope.server.runs.job import IndexJob, OnIndexProgress
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.errors import DamagedStore


@pytest.fixture
def jobs() -> FakeJobs:
    return FakeJobs()


@pytest.fixture
async def indexer(jobs: FakeJobs) -> AsyncIterator[Indexer]:
    indexer = Indexer(run=jobs)
    indexer.start()
    yield indexer
    await indexer.close()


@pytest.fixture
def job(tmp_path: Path) -> dict[str, IndexJob]:
    return {name: IndexJob(name, (), tmp_path / name) for name in "abcd"}


async def test_jobs_run_one_at_a_time_in_order(indexer: Indexer, jobs: FakeJobs, job: dict[str, IndexJob]) -> None:
    indexer.add(job["a"])
    indexer.add(job["b"])
    await jobs.begun("a")
    assert indexer.state(job["a"].store) == Indexing(IndexProgress("read", 0.25, 1000))
    assert indexer.state(job["b"].store) == Queued()
    await jobs.end("a")
    assert indexer.state(job["a"].store) is None
    await jobs.end("b")
    assert jobs.started == ["a", "b"]


async def test_a_job_that_somebody_waits_for_goes_first(
    indexer: Indexer, jobs: FakeJobs, job: dict[str, IndexJob]
) -> None:
    for name in "abc":
        indexer.add(job[name])
    await jobs.begun("a")
    indexer.add(job["c"], first=True)
    indexer.add(job["d"], first=True)
    indexer.add(job["a"], first=True)  # runs already
    indexer.add(job["b"])  # waits already
    for name in "adcb":
        await jobs.end(name)
    assert jobs.started == ["a", "d", "c", "b"]


async def test_a_failure_is_remembered_and_the_next_job_goes_on(
    indexer: Indexer, jobs: FakeJobs, job: dict[str, IndexJob]
) -> None:
    indexer.add(job["a"])
    indexer.add(job["b"])
    await jobs.end("a", error="byte 3: broken")
    assert indexer.state(job["a"].store) == Failed("byte 3: broken")
    await jobs.begun("b")
    indexer.add(job["a"])
    assert indexer.state(job["a"].store) == Queued()
    await jobs.end("b")
    await jobs.end("a")
    assert indexer.state(job["a"].store) is None


async def test_a_store_that_does_not_open_is_a_failure(jobs: FakeJobs, job: dict[str, IndexJob]) -> None:
    def check(_job: IndexJob) -> None:
        raise DamagedStore("the manifest is damaged")

    indexer = Indexer(run=jobs, on_indexed=check)
    indexer.start()
    indexer.add(job["a"])
    await jobs.end("a")
    assert indexer.state(job["a"].store) == Failed("the manifest is damaged")
    await indexer.close()


async def test_a_mistake_of_ours_fails_the_job_and_not_the_indexer(job: dict[str, IndexJob]) -> None:
    jobs = FakeJobs()

    async def run(job: IndexJob, on_progress: OnIndexProgress, wishes: Wishes) -> None:
        if job.name == "a":
            raise ZeroDivisionError("oops")
        await jobs(job, on_progress, wishes)

    indexer = Indexer(run=run)
    indexer.start()
    indexer.add(job["a"])
    indexer.add(job["b"])
    await jobs.end("b")
    assert indexer.state(job["a"].store) == Failed("internal error: oops")
    await indexer.close()


async def test_closing_stops_the_job_at_work(indexer: Indexer, jobs: FakeJobs, job: dict[str, IndexJob]) -> None:
    indexer.add(job["a"])
    indexer.add(job["b"])
    await jobs.begun("a")
    await indexer.close()
    assert jobs.started == ["a"]


async def test_closing_before_the_start_is_fine() -> None:
    await Indexer().close()
