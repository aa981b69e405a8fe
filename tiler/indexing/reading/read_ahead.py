"""Runs an iterator in a thread of its own, a little ahead of whoever takes its items."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from queue import Queue
from typing import TypeVar

_T = TypeVar("_T")

# Items that wait to be taken. One is enough to keep both sides busy, and chunks are large.
_WAITING = 1


def ahead(items: Iterator[_T]) -> Generator[_T, None, None]:
    """The items, in order, while the next is being made. What making them raises is raised here.

    Native readers leave the GIL alone, so reading goes on while the chunk before is gathered. When the consumer stops
    early, the thread ends with the item that it is at.
    """
    queue: Queue[tuple[_T | None, BaseException | None]] = Queue(_WAITING)
    stopped = threading.Event()

    def run() -> None:
        problem: BaseException | None = None
        try:
            for item in items:
                queue.put((item, None))
                if stopped.is_set():
                    return
        except BaseException as error:
            problem = error
        queue.put((None, problem))

    thread = threading.Thread(target=run, name="read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, problem = queue.get()
            if problem is not None:
                raise problem
            if item is None:
                return
            yield item
    finally:
        stopped.set()
        while thread.is_alive():
            if not queue.empty():
                queue.get()
            thread.join(0.01)
