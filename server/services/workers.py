"""Runs questions beside the event loop: in a few threads, a step at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

from tilescope.tiler.query import Steps

THREADS: Final = 2  # numpy and inflating release the interpreter only in part: more threads would be no faster
TURN_S: Final = 0.05  # after so long, another question has its turn

T = TypeVar("T")


class Workers:
    """A few threads. Whoever stops waiting (cancelled, too late) stops the work before its next step."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="question")

    async def answer(self, steps: Steps[T]) -> T:
        """The answer of a question. Raises what its steps raise."""
        try:
            while True:
                ended, value = await self.run(lambda: _some(steps))
                if ended:
                    return value  # type: ignore[return-value]  # the value of the end is the answer
        finally:
            steps.close()

    async def next(self, items: Iterator[T]) -> T | None:
        """The next item; None at the end."""
        return await self.run(lambda: next(items, None))

    def close(self) -> None:
        """Ends the threads, when they have done the steps they are at."""
        self._pool.shutdown()

    async def run(self, work: Callable[[], T]) -> T:
        """The result of some work that takes at most tens of milliseconds."""
        future = self._pool.submit(work)
        done = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            future.cancel()
            # If it runs, it reads a store that the caller will give back now: wait for it, a step at most.
            while not future.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([done])
            raise


def _some(steps: Steps[T]) -> tuple[bool, T | None]:
    """Steps for one turn, and whether the last of them was among them, with the answer."""
    until = time.monotonic() + TURN_S
    try:
        while True:
            next(steps)
            if time.monotonic() >= until:
                return False, None
    except StopIteration as end:
        return True, end.value
