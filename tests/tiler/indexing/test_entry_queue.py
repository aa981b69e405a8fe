"""Entries of many threads are all written, in the order in which each thread has them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


class HeldWriter:
    """Writes once it is let go, and says when it has begun."""

    def __init__(self) -> None:
        self.written: list[Entry] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def write(self, entries: Sequence[Entry]) -> None:
        self.begun.set()
        assert self.go_on.wait(10)
        self.written.extend(entries)


def test_a_thread_does_not_wait_for_the_one_that_writes() -> None:
    writer = HeldWriter()
    queue = EntryQueue(writer.write)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(queue.put, [(b"a", b"")])
        assert writer.begun.wait(10)
        queue.put([(b"b", b"")])
        assert not writer.written
        writer.go_on.set()
        first.result(10)
    assert writer.written == [(b"a", b""), (b"b", b"")]


def test_what_comes_while_a_thread_flushes_is_written_by_it() -> None:
    writer = HeldWriter()
    queue = EntryQueue(writer.write)
    queue._batches.append([(b"a", b"")])  # as a thread leaves it that has not come to writing
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(queue.flush)
        assert writer.begun.wait(10)
        queue.put([(b"b", b"")])
        writer.go_on.set()
        first.result(10)
    assert writer.written == [(b"a", b""), (b"b", b"")]


def test_who_puts_too_much_waits_until_it_is_written() -> None:
    waiting_bytes: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def write(entries: Sequence[Entry]) -> None:
        waiting_bytes.append(sum(len(key) + len(value) for key, value in entries))
        begun.set()
        assert go_on.wait(10)

    def fill(thread: int) -> None:
        for number in range(20):
            queue.put([(b"%d %d" % (thread, number), bytes(1 << 20))])

    queue = EntryQueue(write)
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(queue.put, [(b"a", b"")])
        assert begun.wait(10)
        fillers = [pool.submit(fill, thread) for thread in range(4)]
        done, _ = wait(fillers, 0.05)
        assert not done
        go_on.set()
        for future in [first, *fillers]:
            future.result(30)
    assert max(waiting_bytes) < (16 + 4 + 1) << 20
    assert sum(waiting_bytes) > 80 << 20


def test_entries_without_a_value_are_limited_too() -> None:
    sizes: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def write(entries: Sequence[Entry]) -> None:
        sizes.append(len(entries))
        begun.set()
        assert go_on.wait(10)

    def fill() -> None:
        for _ in range(30):
            queue.put([(b"", b"")] * 10_000)

    queue = EntryQueue(write)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(queue.put, [(b"a", b"")])
        assert begun.wait(10)
        second = pool.submit(fill)
        done, _ = wait([second], 0.05)
        assert not done
        go_on.set()
        first.result(10)
        second.result(10)
    assert sum(sizes) == 300_001
    assert max(sizes) <= 1024


def test_nothing_is_written_after_a_failure_and_everyone_hears_of_it() -> None:
    calls = 0

    def write(entries: Sequence[Entry]) -> None:
        nonlocal calls
        calls += 1
        raise StoreError("the disk is gone")

    queue = EntryQueue(write)
    with pytest.raises(StoreError, match="gone"):
        queue.put([(b"a", b"")])
    for _ in range(2):
        with pytest.raises(StoreError, match="gone"):
            queue.put([(b"b", b"")])
        with pytest.raises(StoreError, match="gone"):
            queue.flush()
    assert calls == 1


# Of each thread: sizes of the batches that it puts, and whether it flushes behind each.
BATCHES = st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=8)


@given(st.lists(BATCHES, min_size=1, max_size=6), st.none() | st.integers(0, 12), st.none() | st.integers(0, 12))
def test_any_threads_with_a_failure_and_a_cancel(
    threads: list[list[tuple[int, bool]]], failing_call: int | None, last_put: int | None
) -> None:
    """`failing_call`: of `write`; after `last_put` batches no thread puts more, as when a build is cancelled."""
    written: list[Entry] = []
    writing = threading.Lock()
    calls, puts = count(), count()
    begin = threading.Barrier(len(threads))

    def write(entries: Sequence[Entry]) -> None:
        assert writing.acquire(blocking=False), "two threads write at once"
        try:
            assert entries
            if next(calls) == failing_call:
                raise StoreError("the disk is gone")
            written.extend(entries)
        finally:
            writing.release()

    queue = EntryQueue(write)

    def work(thread: int) -> tuple[int, bool]:
        """Number of entries that it has put, and whether it heard of a failure."""
        done = 0
        begin.wait(10)
        for size, flushes in threads[thread]:
            if last_put is not None and next(puts) >= last_put:
                break
            try:
                queue.put([(b"%d" % thread, b"%d" % (done + number)) for number in range(size)])
                done += size
                if flushes:
                    queue.flush()
                    mine = [value for key, value in [*written] if key == b"%d" % thread]
                    assert mine == [b"%d" % number for number in range(done)], "flush left something"
            except StoreError:
                return done, True
        return done, False

    with ThreadPoolExecutor(len(threads)) as pool:
        results = [future.result(10) for future in [pool.submit(work, thread) for thread in range(len(threads))]]
    of_thread = [[int(value) for key, value in written if key == b"%d" % thread] for thread in range(len(threads))]
    assert all(numbers == list(range(len(numbers))) for numbers in of_thread)
    has_failed = failing_call is not None and next(calls) > failing_call
    if not has_failed:
        queue.flush()
        assert [len(numbers) for numbers in of_thread] == [done for done, _ in results]
        assert not any(heard for _, heard in results)
        return
    assert any(heard for _, heard in results)
    with pytest.raises(StoreError, match="gone"):
        queue.flush()
