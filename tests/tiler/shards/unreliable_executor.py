"""An executor that loses tasks and answers, repeats work, mixes up the order, and fails: all of it at random."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

_HONEST = 3  # attempt


class Fate(Enum):
    """Fate of a task."""

    DONE = auto()
    LOST = auto()  # never begun
    ANSWER_LOST = auto()  # done, and nobody is told
    DOUBLED = auto()  # done twice at the same time
    FAILED = auto()  # done, and an error comes back


class UnreliableExecutor(Executor):
    """Runs tasks in two threads, whichever comes to hand. The third attempt at a task is done."""

    def __init__(self, seed: int, attempts: Counter[str]) -> None:
        self._random = random.Random(seed)
        self._attempts = attempts
        self._waiting: list[Callable[[], None]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._work) for _ in range(2)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        task = f"{args[0]['work']} {args[0]['shard']}"
        self._attempts[task] += 1
        fate = Fate.DONE if self._attempts[task] >= _HONEST else self._random.choice(list(Fate))

        def run() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
                return
            if fate is Fate.FAILED:
                future.set_exception(RuntimeError("the answer did not arrive"))
            elif fate is not Fate.ANSWER_LOST and not future.done():
                future.set_result(result)

        with self._changed:
            if fate is not Fate.LOST:
                self._waiting.append(run)
            if fate is Fate.DOUBLED:
                self._waiting.append(lambda: fn(*args, **kwargs))
            self._changed.notify_all()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._changed:
            self._closed = True
            if cancel_futures:
                self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                task = self._waiting.pop(self._random.randrange(len(self._waiting)))
            task()


@contextmanager
def unreliable(seed: int, attempts: Counter[str]) -> Iterator[UnreliableExecutor]:
    """One that is closed with the block. `attempts` counts how often each task was sent, by work and shard."""
    executor = UnreliableExecutor(seed, attempts)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)
