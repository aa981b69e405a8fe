"""What several open stores keep together never grows beyond their room."""

from __future__ import annotations

import gc
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.query.kept_pages import KeptBytes, SharedRoom


def filled(fill: int, size: int) -> bytes:
    return bytes([fill]) * size


@given(st.integers(0, 60), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20)), max_size=60))
def test_what_is_kept_is_right_and_within_its_room(limit: int, asked: list[tuple[int, int]]) -> None:
    room = SharedRoom(limit)
    kept = [KeptBytes(partial(filled, fill), room) for fill in range(3)]
    for which, size in asked:
        assert kept[which](size) == bytes([which]) * size
        assert sum(one.size_bytes for one in kept) <= limit


def test_the_store_that_was_asked_longest_ago_gives_first_and_one_that_is_gone_takes_no_room() -> None:
    made: list[int] = []

    def make(size: int) -> bytes:
        made.append(size)
        return bytes(size)

    room = SharedRoom(100)
    first, second = KeptBytes(make, room), KeptBytes(make, room)
    first(40)
    second(50)
    second(30)
    assert (first.size_bytes, second.size_bytes) == (0, 80)
    second(50)
    assert made == [40, 50, 30]
    del second
    gc.collect()
    first(60)
    first(40)
    assert first.size_bytes == 100
