"""Entries of many threads are all written, in the order in which each thread has them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from tilescope.tiler.errors import StoreError
from tilescope.tiler.indexing.output.entry_queue import EntryQueue
from tilescope.tiler.store.store import Entry


def test_all_is_written_in_the_order_of_each_thread() -> None:
    written: list[Entry] = []
    writing = threading.Lock()

    def write(entries: Sequence[Entry]) -> None:
        assert writing.acquire(blocking=False), "two threads write at once"
        written.extend(entries)
        writing.release()

    queue = EntryQueue(write)

    def work(thread: int) -> None:
        for number in range(500):
            queue.put([(b"%d" % thread, b"%d" % number)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(written) == 8 * 500, "something is left in the queue when all threads have gone"
    for thread in range(8):
        assert [int(value) for key, value in written if key == b"%d" % thread] == list(range(500))


def test_a_thread_does_not_wait_for_the_one_that_writes() -> None:
    written: list[Entry] = []
    begun, go_on = threading.Event(), threading.Event()

    def write(entries: Sequence[Entry]) -> None:
        begun.set()
        assert go_on.wait(10)
        written.extend(entries)

    queue = EntryQueue(write)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(queue.put, [(b"a", b"")])
        assert begun.wait(10)
        queue.put([(b"b", b"")])
        assert not written
        go_on.set()
        first.result(10)
    assert written == [(b"a", b""), (b"b", b"")]


def test_what_fails_is_raised_and_the_queue_goes_on() -> None:
    failing = [True]
    written: list[Entry] = []

    def write(entries: Sequence[Entry]) -> None:
        if failing.pop() if failing else False:
            raise StoreError("the disk is gone")
        written.extend(entries)

    queue = EntryQueue(write)
    with pytest.raises(StoreError, match="gone"):
        queue.put([(b"a", b"")])
    queue.put([(b"b", b"")])
    queue.flush()
    assert written == [(b"b", b"")]
