"""Values that are kept with each store."""

from __future__ import annotations

import gc
from collections.abc import Callable
from weakref import proxy, ref

import pytest

from tests.server.fakes import FakeStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.store.store import Store


def counting(limit: int) -> tuple[Callable[[Store, int], object], list[tuple[str, int]]]:
    """A lookup, and its calls by build and number. What it returns refers to its store; it refuses number 13."""
    calls: list[tuple[str, int]] = []

    @kept_with_store(limit)
    def lookup(store: Store, number: int) -> object:
        calls.append((store.build, number))
        if number == 13:
            raise DamagedStore("number 13")
        return [store, number]

    return lookup, calls


def test_the_last_results_are_kept() -> None:
    lookup, calls = counting(2)
    store = FakeStore("b1")
    assert lookup(store, 1) is lookup(store, 1)
    lookup(store, 2)
    lookup(store, 1)
    lookup(store, 3)  # in place of 2, which was used before 1
    lookup(store, 1)
    lookup(store, 2)
    assert [number for _, number in calls] == [1, 2, 3, 2]


def test_each_store_and_each_function_has_results_of_its_own() -> None:
    (lookup, calls), (other_lookup, other_calls) = counting(1), counting(1)
    first, second = FakeStore("b1"), FakeStore("b2")
    for _ in range(2):
        for store in (first, second):
            lookup(store, 1)
            other_lookup(store, 2)
    assert calls == [("b1", 1), ("b2", 1)]
    assert other_calls == [("b1", 2), ("b2", 2)]


def test_errors_are_not_kept() -> None:
    lookup, calls = counting(8)
    store = FakeStore("b1")
    for _ in range(2):
        with pytest.raises(DamagedStore):
            lookup(store, 13)
    assert len(calls) == 2


def test_a_weak_proxy_shares_the_results_of_its_store() -> None:
    lookup, calls = counting(8)
    store = FakeStore("b1")
    result = lookup(proxy(store), 1)
    assert lookup(store, 1) is lookup(proxy(store), 1) is result
    assert calls == [("b1", 1)]


@pytest.mark.parametrize("is_proxy", [True, False])
def test_a_store_goes_with_its_results(is_proxy: bool) -> None:
    lookup, _ = counting(8)
    store = FakeStore("b1")
    lookup(proxy(store) if is_proxy else store, 1)
    is_there = ref(store)
    del store
    gc.collect()  # results refer to their store
    assert is_there() is None
