"""Statements of SQL about builds, each in a process of its own, which is killed when nobody waits for it any more.

A process is started ahead of the next statement, because loading DuckDB takes a second. It is never used again: nothing
of one client's statement can be seen by the next.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

import msgspec

from tilescope.server.errors import NotIndexed, TooManyRequests
from tilescope.server.runs.registry import Registry
from tilescope.tiler.sql import SqlAnswer, SqlLimits
from tilescope.tiler.sql.answer import SqlRequest
from tilescope.tiler.sql.request import COMMAND, GRACE_S, read_reply, request_of, too_late

STATEMENTS: Final = 2  # at once; one of each client
READY_S: Final = 300.0  # for so long after the last statement a process is kept ready: it holds some 100 MB
LIMITS: Final = SqlLimits(answer_bytes=4 << 20)
NICENESS: Final = 10  # who looks at pages comes first, and who asks tools second
RETRY_AFTER_S: Final = 1


class Statements:
    """Open between its making and `close`. Lives on one event loop."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._running: Counter[str] = Counter()
        self.processes: set[Process] = set()  # at work
        self._ready: asyncio.Task[Process] | None = None
        self._expiry: asyncio.TimerHandle | None = None

    def prepare(self) -> None:
        """Has a process started for the next statement, and kept for a while."""
        loop = asyncio.get_running_loop()
        if self._expiry is not None:
            self._expiry.cancel()
        self._expiry = loop.call_later(READY_S, self._expire)
        if self._ready is None:
            self._ready = loop.create_task(_start())

    async def ready(self) -> Process:
        """The process for the next statement."""
        self.prepare()
        assert self._ready is not None
        return await asyncio.shield(self._ready)

    async def answer(self, client: str, run_id: str, build: str, statement: str, rows: int = LIMITS.rows) -> SqlAnswer:
        """The answer to a statement. A cancelled call ends its process.

        Raises as `ask_sql`, and `TooManyRequests`, `NotFound`, `UnknownBuild`, and `NotIndexed` for a build that grows.
        """
        limits = replace(LIMITS, rows=rows)
        with self._place(client):
            run = await self._registry.find(run_id)
            with self._registry.lease(run.id, build) as store:
                if store.is_growing:
                    raise NotIndexed("the run is still being indexed: SQL is for one whose index is complete")
                return await self._run(request_of(run.store, statement, limits, build, niceness=NICENESS))

    async def close(self) -> None:
        """Ends the process that is ready. Those at work end with the requests that wait for them."""
        if self._expiry is not None:
            self._expiry.cancel()
        if self._ready is not None:
            await _end(await self._ready)
            self._ready = None

    @contextmanager
    def _place(self, client: str) -> Iterator[None]:
        if self._running[client]:
            raise TooManyRequests("a statement of this client is running: wait for its rows", RETRY_AFTER_S)
        if self._running.total() >= STATEMENTS:
            raise TooManyRequests("too many statements are running on this server: try again later", RETRY_AFTER_S)
        self._running[client] += 1
        try:
            yield
        finally:
            del self._running[client]

    async def _run(self, request: SqlRequest) -> SqlAnswer:
        process = await self._take()
        self.processes.add(process)
        try:
            async with asyncio.timeout(LIMITS.seconds + GRACE_S):
                body, _ = await process.communicate(msgspec.json.encode(request))
        except TimeoutError:
            raise too_late(LIMITS) from None
        finally:
            await _end(process)
            self.processes.discard(process)
            self.prepare()  # not before: it would take the processors that the statement wants
        assert process.returncode is not None
        return read_reply(body, process.returncode)

    async def _take(self) -> Process:
        """A process that is ready, or will be soon."""
        ready, self._ready = self._ready, None
        process = None if ready is None else await ready
        return process if process is not None and process.returncode is None else await _start()

    def _expire(self) -> None:
        self._expiry = None
        if self._ready is not None and self._ready.done():
            self._ready.result().kill()
            self._ready = None


async def _start() -> Process:
    return await asyncio.create_subprocess_exec(*COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)


async def _end(process: Process) -> None:
    """Kills a process, unless it has ended, and waits for its end."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()
