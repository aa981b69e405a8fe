from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Site
from tests.server.fakes import FakeOpenStores, FakeStore, discover_files, publish
from tilescope.server.errors import IndexingFailed, NotFound, NotIndexed
from tilescope.server.runs.growth import Growth
from tilescope.server.runs.job import IndexJob, OnIndexProgress
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import IndexProgress, RunState
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.errors import StoreVersion
from tilescope.tiler.readers import discover


async def states(registry: Registry) -> dict[str, RunState]:
    return {status.run.name: status.state for status in await registry.list_runs()}


async def test_a_run_that_appears_later_is_found(site: Site, registry: Registry) -> None:
    assert await states(registry) == {}
    with pytest.raises(NotFound):
        await registry.find("run1")
    site.add_run("run1")
    assert (await registry.find("run1")).name == "run1"
    site.add_run("run2", build="b1")
    assert await states(registry) == {"run2": RunState.READY, "run1": RunState.NEW}
    site.file("run1").unlink()
    assert await states(registry) == {"run2": RunState.READY}


async def test_all_runs_are_indexed_newest_first_when_asked_for(site: Site) -> None:
    for name in ("run1", "run3", "run2"):
        site.add_run(name)
    registry = site.registry(index_all=True)
    await registry.start()
    await site.jobs.begun("run3")
    assert await states(registry) == {"run3": RunState.INDEXING, "run2": RunState.QUEUED, "run1": RunState.QUEUED}
    registry.request_index(await registry.find("run1"))
    await site.jobs.end("run3")
    await site.jobs.end("run1", error="broken")
    await site.jobs.end("run2")
    assert await states(registry) == {"run3": RunState.READY, "run2": RunState.READY, "run1": RunState.FAILED}
    assert site.jobs.started == ["run3", "run1", "run2"]
    site.add_run("run4")
    await registry.list_runs()
    await site.jobs.end("run4")
    assert (await states(registry))["run1"] is RunState.FAILED  # tried once, not again and again
    await registry.close()


async def test_a_trace_that_was_written_anew_is_new_and_the_old_store_goes_once_it_is_indexed(
    site: Site, registry: Registry
) -> None:
    site.add_run("run1", build="b1")
    old = site.store("run1")
    assert await states(registry) == {"run1": RunState.READY}
    os.utime(site.file("run1"), ns=(5, 5))
    assert await states(registry) == {"run1": RunState.NEW}
    registry.request_index(await registry.find("run1"))
    await site.jobs.end("run1")
    assert await states(registry) == {"run1": RunState.READY}
    await registry.close()
    assert not old.exists()


async def test_a_trace_of_other_content_is_new_though_its_size_and_time_are_the_same(
    site: Site, registry: Registry
) -> None:
    site.add_run("run1", build="b1")
    assert await states(registry) == {"run1": RunState.READY}
    stat = site.file("run1").stat()
    site.file("run1").write_text("2nur")
    os.utime(site.file("run1"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert await states(registry) == {"run1": RunState.NEW}
    registry.request_index(await registry.find("run1"))
    await site.jobs.end("run1", build="b2")
    assert await states(registry) == {"run1": RunState.READY}


async def test_only_an_indexed_run_has_a_store(site: Site, registry: Registry) -> None:
    site.add_run("run1")
    run = await registry.find("run1")
    remedy = f"open it in the viewer, send POST /api/v1/runs/{run.id}/index, or"
    with pytest.raises(NotIndexed, match=rf"run1 is not indexed yet: it is new \(have it indexed: {remedy}"):
        registry.current_store(run)
    registry.request_index(run)
    with pytest.raises(NotIndexed, match=r"run1 is not indexed yet: it is \w+ \(wait until it is ready\)"):
        registry.current_store(run)
    await site.jobs.end("run1", error="byte 3: broken")
    assert await states(registry) == {"run1": RunState.FAILED}  # the files are looked at: it failed as they are
    with pytest.raises(IndexingFailed, match="byte 3: broken"):
        registry.current_store(run)
    registry.request_index(run)
    await site.jobs.end("run1")
    assert registry.current_store(run).build == "b1"


async def test_a_damaged_store_of_ours_is_made_again(site: Site, registry: Registry) -> None:
    site.add_run("run1", build="b1")
    site.stores.damaged.add(site.store("run1"))
    assert await states(registry) == {"run1": RunState.NEW}
    registry.request_index(await registry.find("run1"))
    await site.jobs.end("run1")
    assert await states(registry) == {"run1": RunState.FAILED}
    site.stores.damaged.clear()
    registry.request_index(await registry.find("run1"))
    await site.jobs.end("run1")
    assert await states(registry) == {"run1": RunState.READY}


async def test_a_store_by_itself_is_served_with_what_its_manifest_says(site: Site, tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    publish(good, "b1")
    publish(bad, "b1")
    site.stores.damaged.add(bad)
    registry = Registry([good, bad], site.cache, OpenStores(site.stores), lambda path: [], rescan_interval_s=0)
    await registry.start()
    statuses = {status.run.name: status for status in await registry.list_runs()}
    assert statuses["good"].state is RunState.READY
    assert (statuses["good"].run.hosts, statuses["good"].run.file_count) == (("host0",), 1)
    assert statuses["bad"].state is RunState.FAILED
    assert statuses["bad"].error == "bad: the manifest is damaged"
    with pytest.raises(IndexingFailed, match="damaged"):
        registry.request_index(statuses["bad"].run)
    assert registry.request_index(statuses["good"].run).state is RunState.READY
    await registry.close()


async def test_the_disk_is_not_searched_for_every_request(site: Site) -> None:
    searches = 0

    def discover(path: Path) -> list[object]:
        nonlocal searches
        searches += 1
        return []

    stores = OpenStores(site.stores)
    registry = Registry([site.folder], site.cache, stores, discover, rescan_interval_s=60)  # type: ignore[arg-type]
    await registry.start()
    for _ in range(3):
        await registry.list_runs()
    assert searches == 1
    await registry.close()


async def test_an_open_store_outlives_its_successor_for_a_stream(site: Site, registry: Registry) -> None:
    site.add_run("run1", build="b1")
    run = await registry.find("run1")
    with registry.lease(run.id, "b1") as store:
        publish(site.store("run1"), "b2")
        assert registry.current_store(run).build == "b2"
        assert store.build == "b1"
        assert not store.is_closed  # type: ignore[attr-defined]


async def test_closing_closes_the_stores(site: Site) -> None:
    site.add_run("run1", build="b1")
    registry = site.registry()
    await registry.start()
    await registry.list_runs()
    await registry.close()
    assert all(store.is_closed for store in site.stores.opened)


async def test_jobs_are_told_how_much_memory_they_may_take(site: Site) -> None:
    site.add_run("run1")
    seen: asyncio.Queue[IndexJob] = asyncio.Queue()

    async def note(job: IndexJob, _progress: OnIndexProgress, _wishes: Wishes) -> None:
        seen.put_nowait(job)
        publish(job.store)

    stores = OpenStores(site.stores)
    registry = Registry([site.folder], site.cache, stores, discover_files, run_job=note, memory_bytes=12345)
    await registry.start()
    registry.request_index(await registry.find("run1"))
    async with asyncio.timeout(5):
        job = await seen.get()
    await registry.close()
    assert (job.name, job.memory_bytes) == ("run1", 12345)


async def test_the_run_that_is_indexed_is_known_with_what_is_to_be_seen_of_it(site: Site, registry: Registry) -> None:
    assert registry.indexing() is None
    site.add_run("run1")
    run = await registry.find("run1")
    registry.request_index(run)
    await site.jobs.begun("run1")
    with registry.watching("run1") as watcher:
        site.jobs.reports["run1"](IndexProgress("build", 0.5, 7, build="b7", revision=1), [3, 1])
        assert watcher.changed.is_set()
        assert list(registry.built("run1")) == [3, 1]
        status = registry.indexing()
        assert status is not None
        assert (status.build, status.state) == ("b7", RunState.INDEXING)
        await site.jobs.end("run1", build="b7")
    assert registry.indexing() is None
    assert list(registry.built("run1")) == []
    assert registry.status("run1").build == "b7"


async def test_a_trace_that_changes_while_it_is_indexed_is_indexed_again(site: Site) -> None:
    site.add_run("run1")
    registry = site.registry(index_all=True)
    await registry.start()
    await site.jobs.begun("run1")
    os.truncate(site.file("run1"), 1)
    await site.jobs.end("run1", error="changed while it was read")
    await site.jobs.begun("run1")
    assert await states(registry) == {"run1": RunState.INDEXING}
    await site.jobs.end("run1", error="it is damaged")
    assert await states(registry) == {"run1": RunState.FAILED}, "as it is, it stays"
    with pytest.raises(IndexingFailed, match="damaged"):
        registry.current_store(await registry.find("run1"))
    os.utime(site.file("run1"), ns=(1, 1))
    await registry.list_runs()
    await site.jobs.begun("run1")
    await site.jobs.end("run1")
    await registry.close()


async def test_what_was_left_out_when_it_was_indexed_is_told_with_the_run(site: Site, registry: Registry) -> None:
    site.notes["run1"] = ("run1.b is left out: it is empty",)
    site.add_run("run1", build="b1")
    site.stores.make = WithDamagedHost
    (status,) = await registry.list_runs()
    assert status.to_schema().notes == [*site.notes["run1"], "host1.pb is left out: byte 7: it is damaged"]


class WithDamagedHost(FakeStore):
    def manifest(self) -> dict[str, Any]:
        damaged = "host1.pb is left out: byte 7: it is damaged"
        return super().manifest() | {"warnings": ["another warning", damaged]}


Change = Callable[[Site], object]
CHANGES: dict[str, Change] = {
    "written anew": lambda site: os.utime(site.file("run1"), ns=(5, 5)),
    "a host added": lambda site: site.file("run1-more").write_text("host1"),
    "a host removed": lambda site: site.file("run1-other").unlink(),
    "a host replaced": lambda site: os.utime(site.file("run1-other"), ns=(5, 5)),
}
ENDS = {"it is indexed all the same": None, "it fails": "changed while it was read"}


@pytest.mark.parametrize("is_seen", [True, False], ids=["somebody looks", "nobody looks"])
@pytest.mark.parametrize("error", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_a_request_holds_for_the_files_as_they_become(
    site: Site, change: Change, error: str | None, is_seen: bool
) -> None:
    """Whatever becomes of the job that was about the files before, and whether or not somebody looks meanwhile."""
    site.add_run("run1")
    site.file("run1-other").write_text("host0")

    def hosts() -> list[Path]:
        return sorted(site.folder.glob("run1-*.trace"))

    site.stores.files_of = lambda store: [site.file("run1"), *hosts()]
    registry = site.registry(hosts_of=lambda name: hosts() if name == "run1" else ())
    await registry.start()
    registry.request_index(await registry.find("run1"))
    await site.jobs.begun("run1")
    with registry.watching("run1") as watcher:
        change(site)
        if is_seen:
            assert (await states(registry))["run1"] is RunState.QUEUED
        watcher.changed.clear()
        await site.jobs.end("run1", error=error)
        async with asyncio.timeout(5):
            await watcher.changed.wait()
        assert registry.status("run1").state in (RunState.QUEUED, RunState.INDEXING)
        await site.jobs.begun("run1")
        await site.jobs.end("run1", build="b2")
    assert (await states(registry))["run1"] is RunState.READY
    assert registry.status("run1").build == "b2"
    assert site.jobs.started == ["run1", "run1"]
    await registry.close()


async def test_an_index_of_another_version_is_said_to_be_one(
    site: Site, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.add_run("run1", build="b1")
    (ready,) = await registry.list_runs()
    assert (ready.state, ready.to_schema().events) == (RunState.READY, "28")

    def older(*_: object) -> str:
        raise StoreVersion("written as store version 1")

    monkeypatch.setattr(OpenStores, "current_build", older)
    (status,) = await registry.list_runs()
    told = status.to_schema()
    assert (told.state, told.events, told.duration_ps) == (RunState.NEW, None, None)
    assert "another version" in told.notes[-1]


async def test_files_of_a_run_that_is_wanted_are_looked_at_however_long_they_rested(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = site.folder / "a.json"
    file.write_text('{"traceEvents": []}')
    size = file.stat().st_size
    rested = time.time_ns() + 10**15
    monkeypatch.setattr(time, "time_ns", lambda: rested)
    stores, growth = FakeOpenStores(site.stores, 8, open_growing=site.stores.grow), Growth(settle_s=0)
    registry = Registry(
        [site.folder], site.cache, stores, discover, run_job=site.jobs, rescan_interval_s=0, growth=growth
    )
    await registry.start()
    with file.open("a") as opened:
        opened.write(" ")
    (status,) = await registry.list_runs()
    assert status.run.size_bytes == size
    registry.request_index(status.run)
    (status,) = await registry.list_runs()
    assert status.run.size_bytes == size + 1
    await registry.close()
