"""Work on many records by two threads: native code inflates and sums them up without holding Python's lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Final, Generic, Self, TypeVar

from tilescope.tiler.system import processors

Item = TypeVar("Item")
Result = TypeVar("Result")
Into = TypeVar("Into")

# Between two turns: some tens of milliseconds. With fewer a second thread is not worth its start.
_AT_ONCE: Final = 64
WORTH_A_THREAD: Final = 8

# Records that are worked on in one call, where one call may have several: what a call costs is then nothing beside it.
_IN_A_CALL: Final = 16

# Items that wait for the second thread, or for their turn: each is of some megabytes.
_ITEMS_AHEAD: Final = 2


def in_a_call(records: int) -> int:
    """Number of records for one call: two threads have enough to do, and steps stay short."""
    if records < WORTH_A_THREAD:
        return max(min(records, _AT_ONCE), 1)
    return max(min(records // WORTH_A_THREAD, _IN_A_CALL, _AT_ONCE // 2), 1)


def for_each(
    items: Sequence[Item],
    work: Callable[[Item, Into], Result],
    into: Into,
    aside: Into | None,
    at_once: int | None = None,
    records: int = 1,
) -> Generator[None, None, list[Result]]:
    """Results of `work`, in the order of the items. Yields where it may be interrupted; then no thread runs.

    The second thread works into `aside`; without that, or on one processor, there is none. Each item is of so many
    `records`.
    """
    results: list[Result] = []
    at_once = at_once or max(_AT_ONCE // records, 1)
    worth = max(-(-WORTH_A_THREAD // records), 2)
    for first in range(0, len(items), at_once):
        if first:
            yield
        results += _together(items[first : first + at_once], work, into, aside, worth)
    return results


def _together(
    items: Sequence[Item], work: Callable[[Item, Into], Result], into: Into, aside: Into | None, worth: int
) -> list[Result]:
    results: dict[int, Result] = {}
    left = iter(range(len(items)))

    def take(left: Iterator[int], into: Into) -> None:
        for number in left:  # both take of the same: one step of it is not divided
            results[number] = work(items[number], into)

    if aside is None or len(items) < worth or _processors() < 2:
        take(left, into)
    else:
        other: Future[None] = _second().submit(take, left, aside)
        try:
            take(left, into)
        finally:
            for _ in left:  # of an error: what is left is not for the other, either
                pass
            has_begun = not other.cancel()  # it may have other work to do yet
            if has_begun:
                other.exception()
        if has_begun:
            other.result()
    return [results[number] for number in range(len(items))]


class Aside(Generic[Result]):
    """Work that the second thread may do meanwhile: for one call of native code, which asks for nothing that changes.

    Whoever leaves the block waits until no thread works on it.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._future: Future[Result] | None = _second().submit(work) if _processors() >= 2 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    @property
    def is_done(self) -> bool:
        """True when there is a result."""
        return self._future is not None and self._future.done()

    def take_over(self) -> None:
        """Does the work here and now, where no thread has begun."""
        if self._future is not None and self._future.cancel():
            self._future = Future()
            try:
                self._future.set_result(self._work())
            except BaseException as error:
                self._future = None
                raise error

    def wait(self) -> None:
        """Waits until no thread works on it; work that no thread has begun is dropped."""
        if self._future is not None and not self._future.cancel():
            self._future.exception()

    def result(self) -> Result:
        """The result; where no thread has begun, the work is done now. Raises what the work raises."""
        if self._future is None or self._future.cancel():
            self._future = None
            return self._work()
        return self._future.result()


def worked_aside(items: Iterable[Item | None], work: Callable[[Item], Result]) -> Generator[Result | None, None, None]:
    """Results of native work on items, in their order, while the next items are read. None where items has it.

    `work` asks for nothing that changes. Who waits for a result works on a later item meanwhile. Whoever stops before
    the end waits until no thread works.
    """
    if _processors() < 2:
        yield from (None if item is None else work(item) for item in items)
        return
    ahead: deque[Aside[Result]] = deque()
    try:
        for item in items:
            if item is None:
                yield None
                continue
            ahead.append(Aside(partial(work, item)))
            if len(ahead) > _ITEMS_AHEAD:
                yield _first_result(ahead)
        while ahead:
            yield _first_result(ahead)
    finally:
        for begun in reversed(ahead):
            begun.wait()


def _first_result(ahead: deque[Aside[Result]]) -> Result:
    for later in reversed(ahead):
        if ahead[0].is_done:
            break
        later.take_over()
    return ahead.popleft().result()


@cache
def _processors() -> int:
    return processors()


@cache
def _second() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="tilescope-second")


if hasattr(os, "register_at_fork"):  # a child has no thread but its own, and needs a new one
    os.register_at_fork(after_in_child=_second.cache_clear)
