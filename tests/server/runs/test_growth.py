"""Runs whose files are still being written. Time is a fake, but for the last test, where a process writes slowly."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.server.conftest import Site
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.growth import MOST_SETTLE_S, Growth
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import RunState, RunStatus
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store

DEMO: Final = Path(__file__).resolve().parents[3] / "docs" / "demo"


@dataclass
class Clock:
    """Time that the test moves on. Files are of the first nanoseconds: old, unless `ns` says otherwise."""

    seconds: float = 100.0
    ns: int = 10**18

    def growth(self) -> Growth:
        return Growth(2.0, now_s=lambda: self.seconds, now_ns=lambda: self.ns)


async def status_of(registry: Registry, name: str) -> RunStatus:
    (status,) = [status for status in await registry.list_runs() if status.run.name == name]
    return status


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("more")


async def test_a_run_is_indexed_when_it_has_stopped_to_grow(site: Site) -> None:
    clock = Clock()
    registry = site.registry(index_all=True, growth=clock.growth())
    site.add_run("run1")
    await registry.start()
    await site.jobs.end("run1")  # old when it is seen first: complete
    site.add_run("run2")
    clock.ns = 10**8
    for _ in range(3):
        status = await status_of(registry, "run2")
        assert (status.state, status.to_schema().growing) == (RunState.QUEUED, True)
        assert status.to_schema().size_bytes == str(site.file("run2").stat().st_size)
        append(site.file("run2"))
        clock.seconds += 1.5
    assert site.jobs.started == ["run1"]
    assert (await status_of(registry, "run2")).is_growing
    clock.seconds += 2.0
    await site.jobs.begun("run2")  # nobody needs to ask: it is looked for
    status = await status_of(registry, "run2")
    assert (status.state, status.is_growing) == (RunState.INDEXING, False)
    await site.jobs.end("run2")
    assert (await status_of(registry, "run2")).state is RunState.READY
    await registry.close()


async def test_what_its_writer_says_is_complete_is_not_waited_for(site: Site) -> None:
    clock = Clock()
    registry = site.registry(growth=clock.growth())
    await registry.start()
    site.add_run("run1")
    await registry.list_runs()  # somebody looks while the first host is there
    append(site.file("run1"))
    assert (await registry.list_runs())[0].is_growing
    append(site.file("run1"))
    run = await registry.find_folder(site.folder)
    assert run is not None
    assert registry.request_index(run).state is RunState.QUEUED
    await site.jobs.begun("run1")
    assert not (await registry.list_runs())[0].is_growing
    assert await registry.find_folder(site.folder / "other") is None
    await site.jobs.end("run1")
    await registry.close()


async def test_a_file_that_is_replaced_and_a_host_that_comes_later_are_waited_for(site: Site) -> None:
    clock = Clock()
    registry = site.registry(index_all=True, growth=clock.growth())
    site.add_run("run1", build="b1")
    await registry.start()
    assert (await status_of(registry, "run1")).state is RunState.READY
    other = site.folder / "other"
    other.write_text("another trace")
    other.replace(site.file("run1"))
    assert (await status_of(registry, "run1")).is_growing
    clock.seconds += 2.5
    await site.jobs.end("run1")
    assert (await status_of(registry, "run1")).state is RunState.READY
    await registry.close()


async def test_who_asks_for_a_run_that_grows_gets_it_when_it_is_complete(site: Site) -> None:
    """Without `index_all`. A run that was just written, and is seen for the first time, is not waited for."""
    clock = Clock()
    registry = site.registry(growth=clock.growth())
    await registry.start()
    site.add_run("run1")
    clock.ns = 10**8
    status = await status_of(registry, "run1")
    assert (status.state, status.is_growing) == (RunState.NEW, True)
    assert registry.request_index(status.run).state is RunState.QUEUED
    await site.jobs.end("run1")
    assert (await status_of(registry, "run1")).state is RunState.READY
    append(site.file("run1"))
    status = await status_of(registry, "run1")
    assert (status.state, status.is_growing) == (RunState.NEW, True)
    status = registry.request_index(status.run)
    assert (status.state, status.is_growing) == (RunState.QUEUED, True)
    assert site.jobs.started == ["run1"]
    clock.seconds += 2.5
    await site.jobs.begun("run1")
    site.file("run1").unlink()
    await registry.list_runs()
    await registry.close()


async def test_a_run_that_goes_on_again_and_again_gets_more_time(site: Site) -> None:
    clock = Clock()
    growth = clock.growth()
    registry = site.registry(growth=growth)
    await registry.start()
    site.add_run("run1")

    async def settling_s() -> float:
        append(site.file("run1"))
        assert (await status_of(registry, "run1")).is_growing
        began = clock.seconds
        while (await status_of(registry, "run1")).is_growing:
            clock.seconds += 1.0
        return clock.seconds - began

    await registry.list_runs()
    times = [await settling_s() for _ in range(8)]
    assert times == [2.0, 4.0, 8.0, 16.0, 32.0, MOST_SETTLE_S, MOST_SETTLE_S, MOST_SETTLE_S]
    clock.seconds += 1000.0
    assert await settling_s() == 2.0, "that was long ago"
    await registry.close()


async def test_clocks_of_other_machines_are_not_trusted(site: Site) -> None:
    """A file from the future is as complete as any other, and one that was written just now may be."""
    clock = Clock(ns=-1)
    registry = site.registry(index_all=True, growth=clock.growth())
    site.add_run("run1")
    await registry.start()
    await site.jobs.end("run1")
    assert (await status_of(registry, "run1")).state is RunState.READY
    await registry.close()


WRITER: Final = """
import sys, time
from pathlib import Path
content, place = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2])
end = len(content) * int(sys.argv[3]) // 10
with place.open("wb") as file:
    for at in range(0, end, max(1, end // 20)):
        file.write(content[at : min(end, at + max(1, end // 20))])
        file.flush()
        time.sleep(0.05)
"""


async def test_a_process_that_writes_slowly(tmp_path: Path) -> None:
    """Its run is there while it is written, and is indexed when it is complete; so is what one leaves half-way."""
    (demo,) = discover(DEMO)[:1]
    source = demo.files[0]
    folder = tmp_path / "logs" / "plugins" / "profile" / "2026_01_31_10_00_00"
    folder.mkdir(parents=True)
    place = folder / source.name
    registry = Registry(
        [tmp_path / "logs"],
        CacheDirectory(tmp_path / "cache"),
        OpenStores(open_run_store),
        discover,
        index_all=True,
        growth=Growth(0.5),
    )
    await registry.start()
    try:
        whole = source.stat().st_size
        for tenths, ends in ((10, {RunState.READY}), (5, {RunState.READY, RunState.FAILED})):
            sizes: list[int] = []
            with subprocess.Popen([sys.executable, "-c", WRITER, source, place, str(tenths)]) as writer:
                async with asyncio.timeout(120):
                    is_over = False
                    while not is_over:
                        was_written = writer.poll() is not None
                        for status in await registry.list_runs():
                            if status.is_growing:
                                sizes.append(status.run.size_bytes)
                            is_whole = status.run.size_bytes == whole * tenths // 10
                            is_over = was_written and is_whole and status.state in ends
                        await asyncio.sleep(0.01)
            assert sizes, "it was told to be growing"
            assert sizes[-1] == whole * tenths // 10
            assert not status.is_growing
    finally:
        await registry.close()
