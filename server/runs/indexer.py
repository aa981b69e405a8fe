"""The queue of indexing jobs: one at a time, each in a process of its own, failures remembered."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tilescope.server.runs.job import IndexJob, ProgressCallback, run_job
from tilescope.server.runs.run import IndexProgress
from tilescope.tiler.errors import TilescopeError

RunJob = Callable[[IndexJob, ProgressCallback], Awaitable[None]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Queued:
    """Waits for the jobs before it."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """Is being indexed now."""

    progress: IndexProgress


@dataclass(frozen=True, slots=True)
class Failed:
    """Could not be indexed."""

    error: str


JobState = Queued | Indexing | Failed


class Indexer:
    """Works through the queue while it is open. Lives on one event loop.

    `on_indexed` looks at the fresh store; the job has failed when it raises.
    """

    def __init__(self, *, run: RunJob = run_job, on_indexed: Callable[[IndexJob], None] = lambda job: None) -> None:
        self._run = run
        self._on_indexed = on_indexed
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
        """What is known of the job of a store; None when there was none, or it went well."""
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

    async def _work(self) -> None:
        while True:
            while self._queue:
                await self._index(self._queue.popleft())
            self._filled.clear()
            await self._filled.wait()

    async def _index(self, job: IndexJob) -> None:
        def advance(progress: IndexProgress) -> None:
            self._states[job.store] = Indexing(progress)

        advance(IndexProgress("start", 0.0, 0))
        _log.info("%s: indexing", job.name)
        try:
            await self._run(job, advance)
            self._on_indexed(job)
        except TilescopeError as error:
            self._fail(job, str(error))
        except Exception as error:
            _log.exception("%s: the indexer failed", job.name)
            self._fail(job, f"internal error: {error}")
        else:
            del self._states[job.store]
            _log.info("%s: indexed", job.name)

    def _fail(self, job: IndexJob, error: str) -> None:
        self._states[job.store] = Failed(error)
        _log.error("%s: %s", job.name, error)
