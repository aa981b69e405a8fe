"""Work that two threads share."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from tilescope.tiler.store import two_threads
from tilescope.tiler.store.two_threads import Aside, for_each, worked_aside


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_threads, "_processors", lambda: 2)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 64, 65, 200])
def test_each_item_is_worked_on_once_and_results_are_in_order(n: int) -> None:
    mine, aside = list[int](), list[int]()

    def work(item: int, into: list[int]) -> int:
        into.append(item)
        return 2 * item

    steps = for_each(range(n), work, mine, aside)
    turns = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            results = end.value
            break
        turns += 1
        assert len(mine) + len(aside) == 64 * turns  # nobody works between turns
    assert results == [2 * item for item in range(n)]
    assert sorted(mine + aside) == list(range(n))
    assert n >= 8 or not aside


def test_both_threads_work() -> None:
    """Each waits for the other."""
    both = threading.Barrier(2, timeout=30)
    mine, aside = list[int](), list[int]()

    def work(item: int, into: list[int]) -> None:
        into.append(item)
        if len(into) == 1:
            both.wait()

    with pytest.raises(StopIteration):
        next(for_each(range(20), work, mine, aside))
    assert mine
    assert aside


@pytest.mark.parametrize("at_fault", ["mine", "aside"])
def test_an_error_of_either_thread_ends_both(at_fault: str) -> None:
    both = threading.Barrier(2, timeout=30)
    begun = set[str]()

    def work(_item: int, into: str) -> None:
        if into not in begun:
            begun.add(into)
            both.wait()
        if into == at_fault:
            raise ValueError(into)

    with pytest.raises(ValueError, match=at_fault):
        next(for_each(range(64), work, "mine", "aside"))


def test_without_a_second_processor_there_is_no_second_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_threads, "_processors", lambda: 1)
    aside = list[int]()
    with pytest.raises(StopIteration):
        next(for_each(range(30), lambda item, into: into.append(item), list[int](), aside))
    assert not aside


def test_work_aside_is_done_once_by_whoever_is_free() -> None:
    """The second thread is busy: whoever wants the result does the work."""
    busy, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        busy.set()
        go_on.wait(30)

    by = list[str]()
    with Aside(wait) as first, Aside(lambda: by.append(threading.current_thread().name)) as second:
        assert busy.wait(30)
        second.result()
        go_on.set()
        first.result()
        with Aside(lambda: by.append(threading.current_thread().name)) as third:
            while len(by) < 2:
                pass
            third.result()
    assert by[0] == threading.current_thread().name
    assert by[1] != by[0]


def test_whoever_leaves_finds_work_aside_done_or_not_begun() -> None:
    done = list[int]()
    begun = threading.Event()

    def first() -> None:
        begun.set()
        done.append(1)

    with Aside(first), Aside(lambda: done.append(2)):
        assert begun.wait(30)
    assert done in ([1], [1, 2])


@pytest.mark.parametrize("processors", [1, 2])
def test_errors_of_work_aside_are_raised_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
    monkeypatch.setattr(two_threads, "_processors", lambda: processors)
    with Aside(partial(int, "no number")) as work, pytest.raises(ValueError, match="no number"):
        work.result()
    with Aside(partial(int, "no number")):  # nobody asks
        pass


def test_items_do_not_wait_for_other_work_of_the_second_thread() -> None:
    busy, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        busy.set()
        go_on.wait(30)

    mine, aside = list[int](), list[int]()
    with Aside(wait):
        assert busy.wait(30)
        with pytest.raises(StopIteration):
            next(for_each(range(20), lambda item, into: into.append(item), mine, aside))
        assert mine == list(range(20))
        go_on.set()


@pytest.mark.parametrize("processors", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 50])
def test_results_of_work_aside_are_in_the_order_of_the_items(
    monkeypatch: pytest.MonkeyPatch, processors: int, n: int
) -> None:
    monkeypatch.setattr(two_threads, "_processors", lambda: processors)
    done = list[int]()

    def double(item: int) -> int:
        done.append(item)
        return 2 * item

    items = [place if of_three else None for place in range(n) for of_three in (0, 1)]
    results = list(worked_aside(items, double))
    assert [result for result in results if result is not None] == [2 * item for item in range(n)]
    assert results.count(None) == n
    assert sorted(done) == list(range(n))


def test_whoever_leaves_results_aside_early_leaves_no_thread_at_work() -> None:
    running = list[int]()

    def work(item: int) -> int:
        running.append(item)
        time.sleep(0.01)
        running.remove(item)
        return item

    results = worked_aside(iter(range(20)), work)
    assert next(results) == 0
    results.close()
    assert running == []


def test_an_error_of_work_on_an_item_is_raised() -> None:
    def work(item: int) -> int:
        return 1 // (item - 5)

    with pytest.raises(ZeroDivisionError):
        list(worked_aside(range(20), work))
