"""The queue of indexing jobs: one at a time, each in a process of its own, failures remembered."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tilescope.server.errors import IndexingFailed, NoRoomToIndex
from tilescope.server.redaction import without_folders
from tilescope.server.runs.job import IndexJob, OnIndexProgress, run_job
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.errors import DiskFull, TilescopeError

RunJob = Callable[[IndexJob, OnIndexProgress, Wishes], Awaitable[None]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Queued:
    """Waits for the jobs before it."""


@dataclass(slots=True)
class Indexing:
    """Is being indexed now."""

    progress: IndexProgress
    built: list[int] = field(default_factory=list)  # blocks that are done, in the order in which they were
    wishes: Wishes = field(default_factory=Wishes, compare=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """Could not be indexed."""

    error: str  # for clients
    no_room: bool = False  # the disk was full


JobState = Queued | Indexing | Failed


class Indexer:
    """Works through the queue while it is open. Lives on one event loop.

    `on_indexed` looks at the fresh store; the job has failed when it raises. `on_change` is told of whatever else
    becomes of a job.
    """

    def __init__(
        self,
        *,
        run: RunJob = run_job,
        on_indexed: Callable[[IndexJob], None] = lambda job: None,
        on_change: Callable[[IndexJob], None] = lambda job: None,
    ) -> None:
        self._run = run
        self._on_indexed = on_indexed
        self._on_change = on_change
        self._queue: deque[IndexJob] = deque()
        self._states: dict[Path, JobState] = {}  # by store; nothing once it is indexed
        self._filled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to work. Needs a running event loop."""
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Stops the job that runs, with its process, and forgets the queue."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._queue.clear()

    def state(self, store: Path) -> JobState | None:
        """State of the last job of a store; None when there was none, or it went well."""
        return self._states.get(store)

    def add(self, job: IndexJob, *, first: bool = False) -> None:
        """Queues a job: last, or `first` because somebody waits for it. A job that waits moves; one that runs stays."""
        state = self._states.get(job.store)
        if isinstance(state, Indexing):
            return
        if isinstance(state, Queued):
            if not first:
                return
            self._queue = deque(other for other in self._queue if other.store != job.store)
        self._states[job.store] = Queued()
        if first:
            self._queue.appendleft(job)
        else:
            self._queue.append(job)
        self._filled.set()
        self._on_change(job)

    def want(self, store: Path, blocks: Sequence[int]) -> None:
        """Has these blocks of the store built first, most urgent first, if it is being indexed."""
        state = self._states.get(store)
        if isinstance(state, Indexing):
            state.wishes.replace(blocks)

    async def _work(self) -> None:
        while True:
            while self._queue:
                await self._index(self._queue.popleft())
            self._filled.clear()
            await self._filled.wait()

    async def _index(self, job: IndexJob) -> None:
        state = Indexing(IndexProgress("start", 0.0, 0))

        def advance(progress: IndexProgress, built: Sequence[int]) -> None:
            state.progress = progress
            state.built.extend(built)
            self._on_change(job)

        self._states[job.store] = state
        self._on_change(job)
        _log.info("%s: indexing", job.name)
        try:
            await self._run(job, advance, state.wishes)
            self._on_indexed(job)
        except TilescopeError as error:
            self._fail(job, error)
        except Exception as error:
            _log.exception("%s: the indexer failed", job.name)
            self._fail(job, IndexingFailed(f"internal error: {error}"))
        else:
            del self._states[job.store]
            self._on_change(job)
            _log.info("%s: indexed", job.name)

    def _fail(self, job: IndexJob, error: TilescopeError) -> None:
        message = without_folders(str(error).replace(str(job.store), job.name))
        self._states[job.store] = Failed(message, no_room=isinstance(error, NoRoomToIndex | DiskFull))
        self._on_change(job)
        _log.error("%s: %s", job.name, error)
