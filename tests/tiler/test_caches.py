"""Caches: what is kept with an owner ends with it, and one limit holds for all of them."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilescope.cli.sizes import parse_size
from tilescope.tiler.caches import (
    CACHES,
    DEFAULT_LIMIT_BYTES,
    CacheRegistry,
    KeyedCache,
    Memo,
    OwnerCache,
    forget_copied_values,
)
from tilescope.tiler.query.kept_pages import KEPT_BYTES, KeptBytes, SharedRoom
from tilescope.tiler.size_estimate import estimated_bytes
from tilescope.tiler.tools import tools

OVERHEAD = 300  # of an entry


class Thing:
    """An owner, or a value that refers to one."""

    def __init__(self, owner: Thing | None = None) -> None:
        self.owner = owner


def sizes(registry: CacheRegistry) -> dict[str, tuple[int, int]]:
    return {cache.name: (cache.size_bytes, cache.entries) for cache in registry.sizes()}


def keyed(registry: CacheRegistry, name: str = "keyed") -> KeyedCache[Thing, int, int]:
    """A cache of numbers that take as many bytes as they are."""
    return KeyedCache(name, "Numbers", lambda value: value, registry=registry)


def test_values_are_found_by_owner_key_and_cache() -> None:
    registry = CacheRegistry()
    cache, other = keyed(registry), keyed(registry, "other")
    first, second = Thing(), Thing()
    assert (cache.get(first, 1), cache.get(first, 1, 5)) == (None, 5)
    assert (cache.keep(first, 1, 10), cache.keep(first, 1, 20), cache.keep(second, 1, 30)) == (10, 10, 30)
    assert (cache.get(first, 1), cache.get(second, 1), cache.get(first, 2), other.get(first, 1)) == (10, 30, None, None)
    other.keep(first, 1, 7)
    assert sizes(registry) == {"keyed": (40 + 2 * OVERHEAD, 2), "other": (7 + OVERHEAD, 1)}
    cache.clear()
    assert sizes(registry) == {"keyed": (0, 0), "other": (7 + OVERHEAD, 1)}
    assert (cache.get(first, 1), other.get(first, 1)) == (None, 7)


def test_no_value_is_a_value_too() -> None:
    cache: OwnerCache[Thing, int | None] = OwnerCache("nothing", "Nothing", registry=CacheRegistry())
    owner = Thing()
    assert cache.get(owner, 3) == 3
    cache.keep(owner, None)
    assert cache.get(owner, 3) is None


def test_a_value_that_refers_to_its_owner_ends_with_it() -> None:
    registry = CacheRegistry()
    cache: OwnerCache[Thing, Thing] = OwnerCache("things", "Things", registry=registry)
    owner = Thing()
    cache.keep(owner, Thing(owner))
    ended = weakref.ref(owner)
    del owner
    gc.collect()
    assert ended() is None
    cache.keep(Thing(), Thing())  # an owner that ends at once
    gc.collect()
    registry.limit_bytes = registry.limit_bytes
    assert sizes(registry) == {"things": (0, 0)}


def test_a_copy_of_an_owner_begins_without_values() -> None:
    cache = keyed(CacheRegistry())
    owner, copied = Thing(), Thing()
    cache.keep(owner, 1, 10)
    vars(copied).update(vars(owner))
    assert cache.get(copied, 1) == 10
    forget_copied_values(copied)
    assert (cache.get(copied, 1), cache.get(owner, 1)) == (None, 10)


def test_the_least_recently_used_entries_of_all_caches_go_first() -> None:
    registry = CacheRegistry(3 * (100 + OVERHEAD))
    cache, other = keyed(registry), keyed(registry, "other")
    owner = Thing()
    cache.keep(owner, 1, 100)
    other.keep(owner, 1, 100)
    cache.keep(owner, 2, 100)
    assert cache.get(owner, 1) == 100
    cache.keep(owner, 3, 100)
    assert [other.get(owner, 1), *(cache.get(owner, key) for key in (1, 2, 3))] == [None, 100, 100, 100]
    registry.limit_bytes = 100 + OVERHEAD
    assert [cache.get(owner, key) for key in (1, 2, 3)] == [None, None, 100]
    assert cache.keep(owner, 4, 10_000) == 10_000  # too large: nothing goes for it
    assert [cache.get(owner, key) for key in (3, 4)] == [100, None]
    assert sizes(registry) == {"keyed": (100 + OVERHEAD, 1), "other": (0, 0)}


def test_what_grows_is_measured_again() -> None:
    registry = CacheRegistry(10_000)
    cache: OwnerCache[Thing, list[int]] = OwnerCache("lists", "Lists", sum, grows=True, registry=registry)
    owner, numbers = Thing(), [100]
    cache.keep(owner, numbers)
    numbers.append(200)
    assert sizes(registry) == {"lists": (300 + OVERHEAD, 1)}
    numbers.append(20_000)
    assert sizes(registry) == {"lists": (0, 0)}
    small = keyed(registry)
    grown = cache.keep(owner, [100])
    grown.append(20_000)
    for key in range(64):  # without anybody asking for sizes
        small.keep(owner, key, 0)
    assert cache.get(owner) is None


def test_an_owner_that_ends_with_a_dropped_value_makes_room_at_once() -> None:
    registry = CacheRegistry(3 * (100 + OVERHEAD))
    things: OwnerCache[Thing, Thing] = OwnerCache("things", "Things", lambda _: 100, registry=registry)
    cache = keyed(registry)
    owner, inner = Thing(), Thing()
    things.keep(owner, inner)
    cache.keep(owner, 1, 100)
    cache.keep(inner, 1, 100)
    del inner
    cache.keep(owner, 2, 500)
    assert (things.get(owner), cache.get(owner, 1), cache.get(owner, 2)) == (None, 100, 500)
    assert sizes(registry) == {"keyed": (600 + 2 * OVERHEAD, 2), "things": (0, 0)}


def test_keys_count() -> None:
    registry = CacheRegistry()
    cache: KeyedCache[Thing, bytes, int] = KeyedCache("keyed", "Numbers", lambda value: value, registry=registry)
    owner = Thing()
    cache.keep(owner, bytes(1000), 10)
    size, entries = sizes(registry)["keyed"]
    assert (1010 + OVERHEAD < size < 1100 + OVERHEAD, entries) == (True, 1)
    cache.clear()
    assert sizes(registry) == {"keyed": (0, 0)}


def test_a_full_room_of_pages_leaves_two_thirds_of_any_limit_to_others() -> None:
    registry = CacheRegistry(parse_size("100MB"))
    room = SharedRoom(KEPT_BYTES)
    registry.add_shared(room)
    pages = KeptBytes(bytes, room)
    cache = keyed(registry)
    owner = Thing()
    for number in range(40):  # 160 MB of pages, as an answer reads them
        pages(4_000_000 + number)
        cache.keep(owner, number, 1_500_000)
    pages_bytes, pages_kept = sizes(registry)["pages"]
    assert 29_000_000 < pages_bytes <= 33_333_333
    assert pages_kept == 8
    assert sum(cache.get(owner, number) is not None for number in range(40)) >= 40
    registry.limit_bytes = parse_size("50MB")
    (entry_bytes, entries), (pages_bytes, pages_kept) = sizes(registry)["keyed"], sizes(registry)["pages"]
    assert (pages_bytes <= 16_666_666, pages_kept) == (True, 4)
    assert (entries >= 22, entry_bytes + pages_bytes <= registry.limit_bytes) == (True, True)
    registry.limit_bytes = 0
    pages(5)
    cache.keep(owner, 1, 1)
    assert sizes(registry) == {"keyed": (0, 0), "pages": (0, 0)}
    registry.limit_bytes = DEFAULT_LIMIT_BYTES
    assert DEFAULT_LIMIT_BYTES // 3 >= KEPT_BYTES  # the room is then as large as it can be
    pages(100_000_000)
    pages(60_000_000)
    assert sizes(registry)["pages"][1] == 2


def test_results_of_functions_count_and_have_a_third_of_the_limit() -> None:
    registry = CacheRegistry(3000)
    memo = Memo("squares", "Squares", 100, registry)
    square = memo.remembered(lambda number: number * number, 5)
    cache = keyed(registry)
    owner = Thing()
    assert [square(number) for number in (*range(8), 7)] == [0, 1, 4, 9, 16, 25, 36, 49, 49]
    cache.keep(owner, 1, 100)
    assert sizes(registry) == {"keyed": (100 + OVERHEAD, 1), "squares": (500, 5)}
    cube = Memo("cubes", "Cubes", 300, registry).remembered(lambda number: number**3, 5)
    assert [cube(number) for number in range(2)] == [0, 1]
    assert sizes(registry) == {"cubes": (0, 0), "keyed": (100 + OVERHEAD, 1), "squares": (500, 5)}  # largest first
    registry.limit_bytes = 1499
    assert sizes(registry) == {"cubes": (0, 0), "keyed": (100 + OVERHEAD, 1), "squares": (0, 0)}
    assert square(3) == 9
    assert memo.entries == 1
    del square
    gc.collect()
    assert memo.entries == 0


def test_each_cache_has_a_name_of_its_own() -> None:
    registry = CacheRegistry()
    keyed(registry)
    with pytest.raises(ValueError, match="two caches 'keyed'"):
        Memo("keyed", "Numbers", 1, registry)


def test_all_caches_of_the_program_have_a_title() -> None:
    tools()  # loads all of them
    listed = CACHES.sizes()
    assert {"metadata", "operations", "programs", "pages", "tiles"} <= {cache.name for cache in listed}
    assert all(cache.title and cache.title[0].isupper() and not cache.title.endswith(".") for cache in listed)
    assert all(cache.name.replace("_", "").isalpha() and cache.name.islower() for cache in listed)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2), st.integers(0, 3), st.integers(0, 400), st.sampled_from(["keep", "get", "end", "evict"])
        ),
        max_size=60,
    )
)
def test_sums_are_those_of_what_is_there(actions: list[tuple[int, int, int, str]]) -> None:
    registry = CacheRegistry(4 * OVERHEAD)
    cache = keyed(registry)
    owners = [Thing() for _ in range(3)]
    for place, key, size, action in actions:
        if action == "keep":
            assert cache.get(owners[place], key, size) == cache.keep(owners[place], key, size)
        elif action == "get":
            cache.get(owners[place], key)
        elif action == "evict":
            registry.evict(key)
        else:
            owners[place] = Thing()
        there = [cache.get(owner, number) for owner in owners for number in range(4)]
        values = [value for value in there if value is not None]
        assert sizes(registry) == {"keyed": (sum(values) + OVERHEAD * len(values), len(values))}
        assert sum(values) + OVERHEAD * len(values) <= registry.limit_bytes


def test_threads_may_share_a_cache() -> None:
    registry = CacheRegistry(5 * OVERHEAD)
    cache = keyed(registry)
    owner = Thing()
    wrong: list[object] = []

    def work(first: int) -> None:
        for number in range(2000):
            key = (first + number) % 9
            value = cache.get(owner, key)
            if value not in (None, key) or cache.keep(owner, key, key) != key:
                wrong.append(value)
            cache.get(Thing(), key)
            cache.keep(Thing(), key, key)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert sizes(registry)["keyed"][0] <= registry.limit_bytes


@dataclass(frozen=True, slots=True)
class Row:
    """A record of arrays and texts."""

    column: np.ndarray[tuple[int], np.dtype[np.int64]]
    texts: tuple[str, ...]


def test_sizes_are_estimated_from_what_values_consist_of() -> None:
    column = np.zeros(1000, np.int64)
    assert 8000 < estimated_bytes(Row(column, ("a", "b"))) < 8400
    assert 8000 < estimated_bytes([Row(column, ()), Row(column, ())]) < 8600  # shared: once
    assert 90_000 < estimated_bytes({place: f"{place:1000}" for place in range(100)}) < 130_000
    assert 900_000 < estimated_bytes([f"{place:1000}" for place in range(1000)]) < 1_200_000  # by a sample
    assert 13_000 < estimated_bytes([f"{place:{1 if place < 16 else 1000}}" for place in range(31)]) < 19_000
    assert 8000 < estimated_bytes([Row(column, ()) for _ in range(1000)]) < 150_000  # the column is there once
    assert 8000 < estimated_bytes([column] * 1000) < 17_000
    assert estimated_bytes(np.array([1 << 70] * 10)) >= 10 * 40
    assert estimated_bytes(None) == estimated_bytes(True) == 0
    holder = Thing()
    holder.size_bytes = 12_345  # type: ignore[attr-defined]
    assert estimated_bytes((holder,)) > 12_345
