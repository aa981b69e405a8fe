"""A server over fake stores, on a loopback port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient
from msgspec import structs

from tests.server.fakes import FakeJobs, FakeOpenStores, FakeStores, discover_files, publish
from tilescope.server.app import make_app
from tilescope.server.http.viewer_files import ViewerFiles
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.growth import Growth
from tilescope.server.runs.registry import Registry
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.fingerprint import stamps_digest

Client = TestClient[web.Request, web.Application]


@dataclass
class Site:
    """A folder of fake traces, its cache, and what the fakes saw."""

    folder: Path
    cache: CacheDirectory
    stores: FakeStores
    jobs: FakeJobs
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add_run(self, name: str, build: str | None = None) -> None:
        """A trace file; with `build`, indexed already."""
        self.file(name).write_text(name)
        if build is not None:
            publish(self.store(name), build)

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.trace"

    def store(self, name: str) -> Path:
        """Where the store of the run belongs, as its file is now."""
        return self.cache.store_of(name, stamps_digest((self.file(name),)))

    def registry(
        self,
        *,
        index_all: bool = False,
        capacity: int = 8,
        growth: Growth | None = None,
        hosts_of: Callable[[str], Iterable[Path]] = lambda name: (),
    ) -> Registry:
        """What is served. Its files are taken for complete unless a `growth` is given.

        `hosts_of`: the further files of the run of a name, which are no runs by themselves.
        """
        return Registry(
            [self.folder],
            self.cache,
            FakeOpenStores(self.stores, capacity, open_growing=self.stores.grow),
            partial(self._discover, hosts_of),
            run_job=self.jobs,
            index_all=index_all,
            rescan_interval_s=0,
            growth=growth or Growth(settle_s=0),
        )

    def _discover(self, hosts_of: Callable[[str], Iterable[Path]], folder: Path) -> list[DiscoveredRun]:
        runs = discover_files(folder)
        hosts = {run.name: sorted(hosts_of(run.name)) for run in runs}
        further = {file for files in hosts.values() for file in files}
        return [
            structs.replace(run, files=(*run.files, *hosts[run.name]), notes=self.notes.get(run.name, ()))
            for run in runs
            if run.path not in further
        ]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "logs"
    folder.mkdir()
    stores = FakeStores(files_of=lambda store: list(folder.glob(f"{store.parent.name}.trace")))
    return Site(folder, CacheDirectory(tmp_path / "cache"), stores, FakeJobs())


@pytest.fixture
async def registry(site: Site) -> AsyncIterator[Registry]:
    registry = site.registry()
    await registry.start()
    yield registry
    await registry.close()


@pytest.fixture
async def client(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    """A client of a server with the run `run1`, indexed as build `b1`, and `run0`, which is not."""
    site.add_run("run0")
    site.add_run("run1", build="b1")
    viewer = ViewerFiles.load(site.folder)  # no viewer there
    return await aiohttp_client(make_app(site.registry(), viewer=viewer), auto_decompress=False)
