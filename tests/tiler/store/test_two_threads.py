"""Work that two threads share."""

from __future__ import annotations

import threading

import pytest

from tilescope.tiler.store import two_threads
from tilescope.tiler.store.two_threads import for_each


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
