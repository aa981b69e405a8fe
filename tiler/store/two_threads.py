"""Work on many records by two threads: native code inflates and sums them up without holding Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Into = TypeVar("Into")

# Between two turns: some tens of milliseconds. With fewer a second thread is not worth its start.
_AT_ONCE: Final = 64
WORTH_A_THREAD: Final = 8


def for_each(
    items: Sequence[Item],
    work: Callable[[Item, Into], Result],
    into: Into,
    aside: Into | None,
    at_once: int | None = None,
) -> Generator[None, None, list[Result]]:
    """What `work` makes of each item, in their order. Yields where it may be interrupted; then no thread runs.

    The second thread works into `aside`; without that, or on one processor, there is none.
    """
    found: list[Result] = []
    at_once = at_once or _AT_ONCE
    for first in range(0, len(items), at_once):
        if first:
            yield
        found += _together(items[first : first + at_once], work, into, aside)
    return found


def _together(
    items: Sequence[Item], work: Callable[[Item, Into], Result], into: Into, aside: Into | None
) -> list[Result]:
    results: dict[int, Result] = {}
    left = iter(range(len(items)))

    def take(left: Iterator[int], into: Into) -> None:
        for number in left:  # both take of the same: one step of it is not divided
            results[number] = work(items[number], into)

    if aside is None or len(items) < WORTH_A_THREAD or _processors() < 2:
        take(left, into)
    else:
        other: Future[None] = _second().submit(take, left, aside)
        try:
            take(left, into)
        finally:
            for _ in left:  # of an error: what is left is not for the other, either
                pass
            other.exception()
        other.result()
    return [results[number] for number in range(len(items))]


@cache
def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _second() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="tilescope-second")


if hasattr(os, "register_at_fork"):  # a child has no thread but its own, and needs a new one
    os.register_at_fork(after_in_child=_second.cache_clear)
