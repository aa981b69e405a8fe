"""Runs the parts of a verification side by side, in threads: most of their time the interpreter is free."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue

from tilescope.tiler.system import processors
from tilescope.tiler.verify.memory import ShortOfMemory
from tilescope.tiler.verify.report import Tally

# Called with amounts of finished work; what it raises ends the task.
OnProgress = Callable[[int], None]

# More threads would mostly wait for the interpreter, and each takes memory of its own.
_WORKERS_AT_MOST = 4


class _Stopped(Exception):
    """Ends a task whose result nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A part of the work."""

    what: str
    cost: int  # of a unit of the amounts that it tells
    run: Callable[[OnProgress], Tally]


@dataclass(frozen=True, slots=True)
class _Finished:
    """Work that was done: what, and how much it cost; or the end of a task."""

    what: str
    cost: int


def worker_count() -> int:
    """Number of tasks that run at a time."""
    return min(_WORKERS_AT_MOST, processors())


def _tell_end(messages: SimpleQueue[_Finished], what: str, _: Future[Tally]) -> None:
    messages.put(_Finished(what, 0))


class _Turns:
    """Lets tasks run side by side, or one of them alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._waiting = 0  # to run alone

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting)
            self._running += 1
        try:
            yield
        finally:
            self._ended()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: not self._running)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._waiting -= 1
            self._ended()

    def _ended(self) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()


def run_tasks(
    tasks: Sequence[ProofTask],
    progress: Callable[[int, str], None],
    refusal: Callable[[ShortOfMemory], Exception] = lambda short: short,
) -> Iterator[Tally]:
    """Yields the tally of each task, in their order. `progress` gets, in this thread, the cost of the work done so far.

    A task that raises ShortOfMemory is run again, alone; when it does so then, too, `refusal` of it is raised.
    When tasks fail, the first of them in order is what is raised, whichever came first in time. What is raised here or
    by `progress` ends all tasks before it is passed on.
    """
    messages: SimpleQueue[_Finished] = SimpleQueue()
    stop = threading.Event()
    turns = _Turns()

    def run(task: ProofTask) -> Tally:
        def done(amount: int) -> None:
            if stop.is_set():
                raise _Stopped
            if amount:
                messages.put(_Finished(task.what, amount * task.cost))

        with turns.beside_others():
            done(0)
            with suppress(ShortOfMemory):
                return task.run(done)
        # What it had in memory is gone by now, with the error's traceback.
        with turns.alone():
            done(0)
            try:
                return task.run(done)
            except ShortOfMemory as short:
                raise refusal(short) from None

    amount = 0
    with ThreadPoolExecutor(worker_count()) as pool:
        try:
            futures: list[Future[Tally]] = [pool.submit(run, task) for task in tasks]
            for future, task in zip(futures, tasks, strict=True):
                # Not by the task itself: whoever reads its last message before the future is done would wait for ever.
                future.add_done_callback(partial(_tell_end, messages, task.what))
            for future in futures:
                while not future.done() or not messages.empty():
                    message = messages.get()
                    amount += message.cost
                    progress(amount, message.what)
                yield future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
