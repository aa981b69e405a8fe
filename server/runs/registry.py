"""The runs that a server offers: what was found at its paths, what is indexed, what is being indexed.

Everything happens on the event loop, except for the look at the file system, which may be slow and runs in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from tilescope.remote.mirrors import mirror_plans, plans_with
from tilescope.server.errors import IndexingFailed, NoRoomToIndex, NotFound, NotIndexed, message_of
from tilescope.server.runs.arrivals import NOTHING_ARRIVES, Arrivals
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.growth import SETTLE_S, Growth
from tilescope.server.runs.indexer import Failed, Indexer, Indexing, Queued, RunJob
from tilescope.server.runs.job import IndexJob, run_job
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.remote_opening import RemoteBuildOpener, RemoteOpening
from tilescope.server.runs.run import FoundRun, RunState, RunStatus
from tilescope.server.runs.sources import Discover, find_runs, with_separated
from tilescope.server.runs.watchers import Watcher, Watchers
from tilescope.tiler.errors import NoStore, NotBuilt, StoreError, StoreVersion
from tilescope.tiler.readers.folder_listing import look_again
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.sweep import sweep

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_OLDER = "its index is one of another version of Tilescope: it is indexed again when it is opened"

RESCAN_INTERVAL_S = 0.5  # pages of several people that poll the list cause one look at the disk in this time


class Registry:
    """Finds runs, tells their state, has them indexed and opens their stores. Open between `start` and `close`."""

    def __init__(
        self,
        paths: Sequence[Path],
        cache: CacheDirectory,
        stores: OpenStores,
        discover: Discover,
        *,
        run_job: RunJob = run_job,
        index_all: bool = False,
        memory_bytes: int | None = None,
        max_inflated: int | None = None,
        time_unit: TimeUnit = DEFAULT_TIME_UNIT,
        rescan_interval_s: float = RESCAN_INTERVAL_S,
        growth: Growth | None = None,
        arrivals: Arrivals = NOTHING_ARRIVES,
        opening: RemoteOpening | None = None,
    ) -> None:
        """`opening`: of stores that take long to open, as `stores` opens them; None: nothing is opened ahead."""
        self.paths = tuple(paths)
        self._arrivals = arrivals
        self._cache = cache
        self.cache_root = cache.root
        self._stores = stores
        self._opening = opening
        self._discover = discover
        self._index_all = index_all
        self._rescan_interval_s = rescan_interval_s
        self._memory_bytes = memory_bytes
        self.max_inflated = max_inflated
        self._time_unit: TimeUnit = time_unit
        self._indexer = Indexer(run=run_job, on_indexed=self._check_indexed, on_change=self._on_change)
        self._watchers = Watchers()
        self._growth = Growth(SETTLE_S) if growth is None else growth
        self._requested: set[str] = set()  # runs that are indexed as their files are once these do not change any more
        self._following: asyncio.Task[None] | None = None
        self._runs: dict[str, FoundRun] = {}  # newest first
        self._scanning = asyncio.Lock()
        self._rescan_at_s = 0.0
        self._working_aside: set[asyncio.Task[None]] = set()
        self._tidying: asyncio.Task[None] | None = None
        self._reported_damage: set[tuple[Path, bytes]] = set()  # stores that are damaged, by path and generation

    async def start(self) -> None:
        """Looks for runs and begins to index, when `index_all` is set."""
        self._indexer.start()
        self._tidying = asyncio.create_task(self._tidy())
        await self._scan()

    async def close(self) -> None:
        """Stops indexing and closes all stores."""
        await self._indexer.close()
        for task in (self._tidying, self._following):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        await asyncio.gather(*self._working_aside)
        if self._opening is not None:
            self._opening.close()
        self._stores.close()

    async def list_runs(self) -> list[RunStatus]:
        """All runs as they are now, newest first."""
        await self._scan()
        if self._opening is not None:
            stores = (run.store for run in self._runs.values())
            await self._opening.prepare_list(
                store for store in stores if not self._is_there(store, OpenStores.is_described)
            )
        return self.known_runs()

    def known_runs(self) -> list[RunStatus]:
        """The same without another look at the disk: those that were found last."""
        return [self._status(run) for run in self._runs.values()]

    async def find_listed(self, run_id: str) -> FoundRun:
        """The run of that id; looks at the disk if it is not known yet. Raises `NotFound`."""
        if run_id not in self._runs:
            await self._scan()
        return self._existing_run(run_id)

    async def find(self, run_id: str) -> FoundRun:
        """The same, for whoever reads it: waits until it is open, if that takes long. Raises `NotFound`."""
        run = await self.find_listed(run_id)
        if self._opening is not None and not self._is_there(run.store, OpenStores.is_open):
            await self._opening.prepare([run.store])
        return run

    async def find_folder(self, folder: Path) -> FoundRun | None:
        """The run of a folder of which all files have just been written; None if it is not served.

        A run of this folder alone comes before one that has other folders as well.
        """
        await self._scan(is_due=True)
        place = folder.resolve()
        folders_of = [(run, {file.parent.resolve() for file in run.files}) for run in self._runs.values()]
        holding = [(run, folders) for run, folders in folders_of if place in folders]
        if not holding:
            return None
        run, _ = min(holding, key=lambda entry: len(entry[1]))
        self._growth.finish(run)
        return run

    async def find_arrived(self, root: Path) -> list[FoundRun]:
        """The runs at one of the roots of arrivals, which has just come, newest first."""
        await self._scan(is_due=True)
        runs = [run for run in self._runs.values() if root == (run.store if run.origin is None else run.origin.root)]
        for run in runs:
            self._growth.finish(run)
        return runs

    async def give_up(self, runs: Sequence[FoundRun]) -> bool:
        """Removes the indexes of runs whose files are to go. False where somebody uses one: then the files stay."""
        if any(self._is_at_work(run.id) for run in runs):
            return False
        for run in runs:
            self._stores.release(run.store)
        stores = [store for run in runs for store in self._cache.stores_of(run.id)]
        return len(await asyncio.to_thread(self._cache.discard, stores)) == len(stores)

    def found_runs(self) -> Sequence[FoundRun]:
        """All runs that were found last."""
        return tuple(self._runs.values())

    async def index_again(self, run_id: str) -> RunStatus:
        """As `request_index`; a run of shards that lacks hosts is opened again: they may be there by now."""
        run = await self.find(run_id)
        if self._status(run).state is RunState.READY and self._stores.current_manifest(run.store).missing:
            self._stores.look_again(run.store)
            run = await self.find(run_id)
            self._watchers.wake(run_id)
        return self.request_index(run)

    def request_index(self, run: FoundRun) -> RunStatus:
        """Has the run indexed next, unless it is; one that grows when it is complete. Failed runs are tried again."""
        status = self._status(run)
        is_opening = status.state is RunState.QUEUED and not run.files
        if status.state is not RunState.READY and not is_opening:
            if not run.files:
                raise IndexingFailed(status.error or f"{run.path}: a store cannot be indexed, only a trace")
            is_waiting = self._growth.is_changing(run) and self._indexer.state(run.store) is None
            self._request(run, is_waiting=is_waiting)
            if not is_waiting:
                self._indexer.add(self._job(run), first=True)
            status = self._status(run)
        return status

    def current_store(self, run: FoundRun) -> Store:
        """The published store of a run, or one that grows. Raises `NotIndexed`, `IndexingFailed`, `StoreError`."""
        status = self._status(run)
        if status.state is RunState.INDEXING and status.build is not None:
            return self._stores.growing(run.store, status.build)
        if status.state is RunState.FAILED and not run.files:
            return self._stores.current(run.store)  # which raises what is wrong with the store
        if status.state is RunState.FAILED:
            raise (NoRoomToIndex if status.no_room else IndexingFailed)(status.error or "indexing failed")
        if status.state is not RunState.READY:
            raise NotIndexed(f"{run.name} is not indexed yet: it is {status.state} ({_remedy(status)})")
        return self._stores.current(run.store)

    def store(self, run_id: str, build: str) -> Store:
        """The store of a build of a run that was found before. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
        store = self._existing_run(run_id).store
        return self._stores.growing(store, build) if self._grows(store, build) else self._stores.build(store, build)

    @contextmanager
    def lease(self, run_id: str, build: str) -> Iterator[Store]:
        """The same, kept open until the block is left. What the block raises of damage is reported."""
        path = self._existing_run(run_id).store
        try:
            with self._stores.lease(path, build, is_growing=self._grows(path, build)) as store:
                yield store
        except StoreError as error:
            self.report(run_id, error)
            raise

    def report(self, run_id: str, error: StoreError) -> None:
        """Says in the log what is wrong with the store of a run, once, and doubts whatever else is known of it."""
        run = self._runs.get(run_id)
        if run is not None and not isinstance(error, NotBuilt | NoStore | StoreVersion):
            damaged = (run.store, self._stores.doubt(run.store))
            if damaged not in self._reported_damage:
                self._reported_damage.add(damaged)
                _log.error("%s: %s", run.name, error)

    def opener(self, *, is_growing: bool) -> Callable[[Path, str], Store]:
        """Returns a function that opens a build in another process, by its store's path and its id."""
        plans = mirror_plans()
        return RemoteBuildOpener(plans) if plans and not is_growing else self._stores.opener(is_growing=is_growing)

    def indexing(self) -> RunStatus | None:
        """The run that is being indexed now."""
        for run in self._runs.values():
            if isinstance(self._indexer.state(run.store), Indexing):
                return self._status(run)
        return None

    def status(self, run_id: str) -> RunStatus:
        """A run that was found before, as it is now. Raises `NotFound`."""
        return self._status(self._existing_run(run_id))

    def built(self, run_id: str) -> Sequence[int]:
        """The blocks that are done of a run that is being indexed: a list that grows."""
        state = self._indexer.state(self._existing_run(run_id).store)
        return state.built if isinstance(state, Indexing) else ()

    @contextmanager
    def watching(self, run_id: str) -> Iterator[Watcher]:
        """Somebody who is woken when something becomes of the run, until the block is left."""
        try:
            with self._watchers.watching(run_id) as watcher:
                yield watcher
        finally:
            self.forward_wants(run_id)

    def forward_wants(self, run_id: str) -> None:
        """Has what is watched of a run built first. To be called when somebody who watches wants something else."""
        run = self._runs.get(run_id)
        if run is not None:
            self._indexer.want(run.store, self._watchers.wanted(run_id))

    def _is_there(self, store: Path, is_there: Callable[[OpenStores, Path], bool]) -> bool:
        try:
            return is_there(self._stores, store)
        except StoreError:  # which whoever asks for it is told
            return True

    def _grows(self, store: Path, build: str) -> bool:
        state = self._indexer.state(store)
        return isinstance(state, Indexing) and build == _visible_build(state)

    def _on_change(self, job: IndexJob) -> None:
        state, run_id = self._indexer.state(job.store), _run_id(job)
        if not isinstance(state, Indexing):
            self._stores.settle(job.store)
        if isinstance(state, Failed):
            self._aside(self._sweep, job.store)
        if run_id in self._requested and not isinstance(state, Queued | Indexing):
            self._look_again()  # and then tells who watches
        else:
            self._watchers.wake(run_id)
        self.forward_wants(run_id)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(self._stores.idle_s / 10)
            self._stores.close_idle()

    def _check_indexed(self, job: IndexJob) -> None:
        self._stores.settle(job.store)
        self._stores.current_build(job.store)  # a fresh store that does not open must not be made again and again
        older = self._cache.older(job.store)
        for store in older:
            self._stores.release(store)
        self._aside(self._make_room, older)

    def _aside(self, work: Callable[[_T], None], what: _T) -> None:
        """Does what takes a while, and nobody waits for, in a thread."""
        task = asyncio.create_task(asyncio.to_thread(work, what))
        self._working_aside.add(task)
        task.add_done_callback(self._working_aside.discard)

    def _sweep(self, store: Path) -> None:
        """Removes what a worker has left that could not do so itself."""
        try:
            sweep(store)
        except (OSError, StoreError) as error:
            _log.warning("%s: cannot be cleared up: %s", store, error)

    def _make_room(self, older: Sequence[Path]) -> None:
        try:
            for gone in [*self._cache.discard(older), *self._cache.trim()]:
                _log.info("%s: removed from the cache", gone.path)
        except (OSError, StoreError) as error:  # of no concern for those who look at a run
            _log.warning("%s: the cache cannot be cleared up: %s", self._cache.root, error)

    def _existing_run(self, run_id: str) -> FoundRun:
        try:
            return self._runs[run_id]
        except KeyError:
            raise NotFound(f"there is no run {run_id!r}") from None

    async def _scan(self, *, is_due: bool = False) -> None:
        async with self._scanning:
            if not is_due and time.monotonic() < self._rescan_at_s:
                return
            ended = {run_id for run_id in self._requested if not self._is_at_work(run_id)}
            runs = await asyncio.to_thread(self._find_runs)
            separated = self._separated(runs)
            if separated:
                runs = await asyncio.to_thread(with_separated, runs, separated, self._cache, self._time_unit)
            self._rescan_at_s = time.monotonic() + self._rescan_interval_s
        self._runs = {run.id: run for run in runs}
        self._growth.look(runs)
        for run in runs:
            if not run.files or not (self._index_all or run.id in self._requested) or self._is_at_work(run.id):
                continue
            if self._indexer.state(run.store) is not None or self._indexed_status(run).state is not RunState.NEW:
                self._requested -= ended & {run.id}  # one that ended since may have been about other files
            else:
                is_waiting = self._growth.may_grow(run)
                self._request(run, is_waiting=is_waiting)
                if not is_waiting:
                    self._indexer.add(self._job(run))
        self._requested.intersection_update(self._runs)

    def _find_runs(self) -> list[FoundRun]:
        wanted = (run for run in self._runs.values() if run.sources is not None or run.id in self._requested)
        look_again(file for run in wanted for file in run.files)
        paths = (*self.paths, *self._arrivals.roots())
        return find_runs(paths, self._cache, self._discover, self._time_unit, self._runs)

    def _separated(self, runs: Sequence[FoundRun]) -> dict[str, Sequence[int]]:
        """Numbers of the files that are not in a run's index, since they are of another time, by the run's id."""
        separated: dict[str, Sequence[int]] = {}
        for run in runs:
            if run.sources is None or not run.is_unconfirmed:
                continue
            with suppress(StoreError):  # its status says so
                numbers = self._stores.current_separated(run.store)
                if numbers and run.sources == self._stores.current_sources(run.store):
                    separated[run.id] = numbers
        return separated

    def _request(self, run: FoundRun, *, is_waiting: bool) -> None:
        """Has a run indexed, however often its files change meanwhile."""
        if is_waiting and run.id not in self._requested:
            _log.info("%s: is indexed when it is complete: it is still being written", run.name)
        self._requested.add(run.id)
        self._look_again()

    def _is_at_work(self, run_id: str) -> bool:
        """True if a run is being indexed as its files were when they were looked at last, or is about to be."""
        run = self._runs.get(run_id)
        return run is not None and isinstance(self._indexer.state(run.store), Queued | Indexing)

    def _look_again(self) -> None:
        """Looks at the files of requested runs until all of these are indexed, or failed, as they are then."""
        if self._requested and (self._following is None or self._following.done()):
            self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        is_due = True
        while waiting := [run_id for run_id in self._requested if not self._is_at_work(run_id)]:
            await self._scan(is_due=is_due)
            for run_id in waiting:
                self._watchers.wake(run_id)
            await asyncio.sleep(self._rescan_interval_s)
            is_due = False

    def _status(self, run: FoundRun) -> RunStatus:
        return replace(self._state(run), removed_ns=self._arrivals.removed_ns(run))

    def _state(self, run: FoundRun) -> RunStatus:
        match self._indexer.state(run.store):
            case Queued():
                return RunStatus(run, RunState.QUEUED)
            case Indexing() as state:
                return RunStatus(run, RunState.INDEXING, progress=state.progress, build=_visible_build(state))
            case Failed() if run.id in self._requested:  # it may have been about files that have changed since
                return RunStatus(run, RunState.QUEUED, is_growing=self._growth.may_grow(run))
            case Failed(error, no_room):
                return RunStatus(run, RunState.FAILED, error=error, no_room=no_room)
            case None:
                status = self._indexed_status(run)
                if status.state is not RunState.NEW:
                    return status
                is_requested = run.id in self._requested
                return replace(
                    status,
                    state=RunState.QUEUED if is_requested else RunState.NEW,
                    is_growing=self._growth.may_grow(run),
                )

    def _indexed_status(self, run: FoundRun) -> RunStatus:
        try:
            build = self._stores.current_build(run.store)
            if run.sources is not None and run.sources != self._stores.current_sources(run.store):
                return RunStatus(run, RunState.NEW)  # other content, though of the same size and time
            described = run if run.files else self._described(run)
            extent = self._stores.current_extent(run.store)
        except NotBuilt as error:  # it takes long to open
            return RunStatus(run, RunState.QUEUED, error=message_of(error))
        except StoreError as error:
            self.report(run.id, error)
            # A store of ours that is not there, of another version, or damaged is made from the trace.
            if run.files:
                older = isinstance(error, StoreVersion)
                return RunStatus(replace(run, notes=(*run.notes, _OLDER)) if older else run, RunState.NEW)
            return RunStatus(run, RunState.FAILED, error=message_of(error))
        return RunStatus(described, RunState.READY, build=build, extent=extent)

    def _described(self, run: FoundRun) -> FoundRun:
        """A store that is served by itself, with what its manifest says of the files it was made from."""
        manifest = self._stores.current_manifest(run.store)
        return replace(run, hosts=tuple(manifest.hosts), file_count=len(manifest.files))

    def _job(self, run: FoundRun) -> IndexJob:
        return IndexJob(
            run.name,
            run.files,
            run.store,
            self._memory_bytes,
            self.max_inflated,
            self._time_unit,
            (*self.paths, *self._arrivals.roots()),
            self.cache_root,
            run.is_unconfirmed,
            plans_with(run.files),
        )


def _visible_build(state: Indexing) -> str | None:
    """The build of which something can be shown."""
    return state.progress.build if state.progress.revision > 0 else None


def _remedy(status: RunStatus) -> str:
    """Advice about a run without an index."""
    if status.state is not RunState.NEW:
        return "wait until it is ready"
    ask = f"POST /api/v1/runs/{status.run.id}/index"
    return f"have it indexed: open it in the viewer, send {ask}, or client.run(NAME, wait=True) in Python"


def _run_id(job: IndexJob) -> str:
    return job.store.parent.name
