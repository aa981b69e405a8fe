"""Worker processes of this machine."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Final

_GRACE_SECONDS: Final = 5.0  # for workers to notice that the session is over; they look once a second


@contextmanager
def process_pool(jobs: int, memory_bytes: int) -> Iterator[Executor]:
    """A pool of so many processes, for which `memory_bytes` each are meant. None of them is left behind the block."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # a forked process has locks of threads that it does not have
    executor = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(memory_bytes,))
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + _GRACE_SECONDS
        for worker in set(multiprocessing.active_children()) - others:
            worker.join(max(0.0, deadline - time.monotonic()))
            if worker.is_alive():  # it hangs: what it wrote is private to its attempt
                worker.kill()
                worker.join()


def _begin(memory_bytes: int) -> None:
    """Prepares a worker process, which does nothing but index."""
    from tilescope.tiler.indexing import collect_seldom, keep_free_memory

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the command stops its workers
    keep_free_memory(memory_bytes)
    collect_seldom()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends the process when the command was killed: a pool would wait for the next task for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
