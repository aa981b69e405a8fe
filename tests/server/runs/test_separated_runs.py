"""Files that an index leaves out, since they are of another time: the next list has them as runs of their own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.growth import Growth
from tilescope.server.runs.job import IndexJob, OnIndexProgress
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import RunState, RunStatus
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store


async def index(job: IndexJob, _on_progress: OnIndexProgress, _wishes: Wishes) -> None:
    """Indexes as a worker does, in this process."""
    job = IndexJob.from_line(job.to_line())
    build_store(job.files, job.store, is_unconfirmed=job.is_unconfirmed)


async def indexed(registry: Registry, name: str) -> RunStatus:
    """The state of the run of that name, once it is indexed."""
    async with asyncio.timeout(60):
        while True:
            (status,) = [status for status in await registry.list_runs() if status.run.name == name]
            if status.state is RunState.READY:
                return status
            registry.request_index(status.run)
            await asyncio.sleep(0.01)


async def test_a_rank_of_another_time_is_listed_by_itself_once_it_is_left_out(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for rank, at_s in enumerate((0, 0.0005, 7)):
        put(logs / f"rank{rank}.json", rank_trace(rank, 3, at_s=at_s))
    registry = Registry(
        [logs],
        CacheDirectory(tmp_path / "cache"),
        OpenStores(open_run_store),
        discover,
        run_job=index,
        rescan_interval_s=0,
        growth=Growth(settle_s=0),
    )
    await registry.start()
    try:
        (before,) = await registry.list_runs()
        assert before.run.file_count == 3
        job = await indexed(registry, "rank*.json")
        assert job.run.id == before.run.id
        runs = {status.run.name: status.run for status in await registry.list_runs()}
        assert {name: (run.hosts, run.file_count) for name, run in runs.items()} == {
            "rank*.json": (("rank 0", "rank 1"), 2),
            "rank2.json": (("rank 2",), 1),
        }
        alone = await indexed(registry, "rank2.json")
        assert alone.extent is not None
        assert alone.extent.events == 1
        assert (await registry.find(alone.run.id)).files == (logs / "rank2.json",)
        line = "rank2.json is left out: it overlaps none of the files that are shown, and is a run of its own"
        assert line in (await indexed(registry, "rank*.json")).to_schema().notes

        put(logs / "rank2.json", rank_trace(2, 3, at_s=0.0003))  # written anew: nothing is known of it any more
        (after,) = await registry.list_runs()
        assert (after.run.id, after.run.file_count, after.state) == (before.run.id, 3, RunState.NEW)
    finally:
        await registry.close()
