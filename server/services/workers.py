"""Has questions answered in a few processes beside the event loop, turn by turn.

Whoever stops waiting (cancelled, gone, too late) stops the work before its next turn. The processes start with the
first question, and end when there was none for a while. What they are forked from is started ahead of it: it takes a
second to load all tools.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from typing import Any, Final

from tilescope.server.errors import QuestionFailed
from tilescope.server.services import worker
from tilescope.server.services.fair_queue import Asker, Limits, Ticket, Turns
from tilescope.server.services.overtime import LOOK_S, Overtime, TurnClock
from tilescope.server.services.worker import BuildSource, PickledQuestion, Task, TurnTaken
from tilescope.tiler.caches import DEFAULT_LIMIT_BYTES, CacheSize

PROCESSES: Final = 2
IDLE_S: Final = 60.0  # a process holds some memory, and a store open that nobody may remove
AHEAD_S: Final = 2.0  # after the server has started: its first pages come first
END_S: Final = 2.0  # for the turn that a process is at when it is to end


class Asking:
    """One question that was let in, until its answer is sent."""

    def __init__(self, workers: Workers, ticket: Ticket) -> None:
        self._workers = workers
        self._ticket = ticket

    async def answer(self, task: Task, *sources: BuildSource) -> Any:
        """The answer of a task; one after the other. Raises what the task raises, `QuestionFailed`, `Overtime`."""
        return await self._workers.answer(self._ticket, PickledQuestion(sources, task))


_PRELOAD: Final = "tilescope.server.services.preload"  # which this process must not import: it is for workers


class Workers:
    """The processes, and those who wait for them. Lives on one event loop."""

    def __init__(self, limits: Limits, processes: int = PROCESSES, cache_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._turns = Turns(limits)
        self._work: dict[Ticket, tuple[int, PickledQuestion, asyncio.Future[Any]]] = {}
        self._numbers = itertools.count()
        self._wake = [asyncio.Event() for _ in range(processes)]
        self._dropped: list[list[int]] = [[] for _ in range(processes)]  # begun by a worker, and not wanted any more
        self._tasks: list[asyncio.Task[None]] = []
        self._ahead: asyncio.Task[None] | None = None
        self._cache_bytes = cache_bytes  # of each process
        self._caches: list[Sequence[CacheSize]] = [() for _ in range(processes)]  # as each reported them last

    @property
    def caches(self) -> list[CacheSize]:
        """Caches of all processes, as these reported them with their last answers: sums by name."""
        sums: dict[str, CacheSize] = {}
        for cache in itertools.chain(*self._caches):
            others = sums.get(cache.name)
            if others is not None:
                size_bytes, entries = cache.size_bytes + others.size_bytes, cache.entries + others.entries
                cache = CacheSize(cache.name, cache.title, size_bytes, entries)
            sums[cache.name] = cache
        return list(sums.values())

    def __len__(self) -> int:
        return len(self._turns)

    @contextmanager
    def asking(self, asker: Asker) -> Iterator[Asking]:
        """A place among the questions, until the block is left. Raises `TooManyRequests`."""
        ticket = self._turns.enter(asker)
        try:
            yield Asking(self, ticket)
        finally:
            self._turns.leave(ticket)
            self._notify()

    async def answer(self, ticket: Ticket, question: PickledQuestion) -> Any:
        """As `Asking.answer` says."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._run(k)) for k in range(len(self._wake))]
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._work[ticket] = number, question, answer
        ticket.has_work = True
        self._notify()
        try:
            return await answer
        finally:
            del self._work[ticket]
            ticket.has_work = False
            if ticket.worker is not None and not ticket.is_at_work:
                self._dropped[ticket.worker].append(number)
                ticket.worker = None

    def start_ahead(self, after_s: float = AHEAD_S) -> None:
        """Starts, after a while, what the processes are forked from."""
        self._ahead = asyncio.create_task(_load_ahead(after_s))

    async def close(self) -> None:
        """Ends the processes, when they have done the turns they are at, or whatever they do after a while."""
        tasks = [*self._tasks, self._ahead] if self._ahead else self._tasks
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _notify(self) -> None:
        for event in self._wake:
            event.set()

    async def _run(self, k: int) -> None:
        """One worker: its turns, and its process while there is something to do."""
        process: _Process | None = None
        try:
            while True:
                self._wake[k].clear()
                if process is not None and not await self._drop(process, self._dropped[k]):
                    await self._lost(k, process)
                    process = None
                ticket = self._turns.begin(k)
                if ticket is not None:
                    process = process or _Process(self._cache_bytes)
                    if not await self._take_turn(k, process, ticket):
                        await self._lost(k, process)
                        process = None
                elif process is not None and not await self._woken(k):
                    self._caches[k] = ()
                    await process.close()
                    process = None
                elif process is None:
                    await self._wake[k].wait()
        finally:
            if process is not None:
                await process.close()

    async def _lost(self, k: int, process: _Process) -> None:
        """The process has died with all that it had begun."""
        self._caches[k] = ()
        await process.close()
        self._turns.lost(k)
        self._dropped[k].clear()

    async def _drop(self, process: _Process, numbers: list[int]) -> bool:
        """Has what nobody waits for forgotten. Whether the process is still there after it."""
        with suppress(BrokenProcessPool):
            while numbers:
                await process.run(worker.drop, numbers.pop())
            return True
        return False

    async def _woken(self, k: int) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(IDLE_S):
                return await self._wake[k].wait()
        return False

    async def _take_turn(self, k: int, process: _Process, ticket: Ticket) -> bool:
        """Takes a turn, and returns True if the process is still there after it."""
        number, question, answer = self._work[ticket]
        try:
            turn: TurnTaken = await process.take_turn(number, question)
        except BrokenProcessPool:
            died = QuestionFailed("the process that looked for the answer has died: ask again")
            self._end(ticket, answer, error=died)
            return False
        except Overtime as error:
            self._end(ticket, answer, error=error)
            return False
        except Exception as failure:
            self._end(ticket, answer, error=failure)
        else:
            if turn.is_answered:
                self._caches[k] = self._caches[k] if turn.caches is None else turn.caches
                self._end(ticket, answer, value=turn.answer)
                return True
            self._turns.end(ticket, is_answered=False)
            if answer.done():  # cancelled: nobody waits for it
                return await self._drop(process, [number])
        return True

    def _end(
        self, ticket: Ticket, answer: asyncio.Future[Any], value: object = None, error: Exception | None = None
    ) -> None:
        self._turns.end(ticket, is_answered=True)
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)


class _Process:
    """One process, and the thread of its pool that hands it work."""

    def __init__(self, cache_bytes: int) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=_context(), initializer=worker.set_up, initargs=(cache_bytes,))
        self._pid: int | None = None

    async def run(self, work: Any, *arguments: Any) -> Any:
        """The result of some work. Raises `BrokenProcessPool` when the process has died."""
        return await asyncio.shield(self._begin(work, *arguments))

    async def take_turn(self, number: int, question: PickledQuestion) -> TurnTaken:
        """A turn of a question. Raises what it raises, `BrokenProcessPool`, and `Overtime`: the process is ended."""
        if self._pid is None:
            self._pid = await self.run(os.getpid)
        clock = TurnClock(self._pid)
        turn = self._begin(worker.take_turn, number, question)
        while not (await asyncio.wait([turn], timeout=LOOK_S))[0]:
            error = clock.error()
            if error is not None:
                self._kill()
                await asyncio.wait([turn])
                turn.exception()  # it is that of a process that has died
                raise error
        taken: TurnTaken = turn.result()
        return taken

    async def close(self) -> None:
        """Ends it after what it does, or while it does something if that takes long."""
        ending = asyncio.ensure_future(asyncio.to_thread(self._pool.shutdown))
        if not (await asyncio.wait([ending], timeout=END_S))[0]:
            self._kill()
        await ending

    def _begin(self, work: Any, *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def _kill(self) -> None:
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)


def _context() -> ForkServerContext:
    """Context that forks processes from one that has loaded what they need; starts that one if it is not there."""
    context = multiprocessing.get_context("forkserver")  # gRPC and threads do not survive a fork
    context.set_forkserver_preload([_PRELOAD])
    # It ignores Ctrl-C only when all is loaded. Until then it has the signal blocked, as the thread has that starts it.
    # The tracker comes first: whoever starts one unblocks the signal.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    return context


async def _load_ahead(after_s: float) -> None:
    await asyncio.sleep(after_s)
    await asyncio.to_thread(_context)
