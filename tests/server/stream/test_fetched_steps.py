"""Steps whose pages are fetched first: a want-list that comes meanwhile replaces what is waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import cast

from tilescope.server.stream.fetched_steps import fetched_step
from tilescope.server.stream.messages import Want
from tilescope.server.stream.wants import Done, Fetch, WantQueue
from tilescope.tiler.pages import PageKey, Part
from tilescope.tiler.store.store import RecordName, Store

FIRST, SECOND, THIRD = (PageKey(0, 0, index, 0, Part.PAGE) for index in range(3))


class SlowStore:
    """Waits for `may_go` with each fetch, and keeps the indexes of its pages."""

    def __init__(self) -> None:
        self.may_go = threading.Event()
        self.fetched: list[list[int]] = []

    def fetch(self, names: Sequence[RecordName]) -> None:
        self.fetched.append([numbers[2] for _, numbers in names])
        assert self.may_go.wait(60)


async def test_a_list_that_comes_meanwhile() -> None:
    store, wants = SlowStore(), WantQueue()
    wants.replace(Want(1, (FIRST, SECOND)))
    step = asyncio.create_task(fetched_step(cast("Store", store), wants))
    while not store.fetched:
        await asyncio.sleep(0.01)
    wants.replace(Want(2, (THIRD, FIRST)))
    store.may_go.set()
    assert await step == Fetch(2, THIRD)
    assert await fetched_step(cast("Store", store), wants) == Fetch(2, FIRST), "it was not sent, and is once"
    assert await fetched_step(cast("Store", store), wants) == Done(2)
    assert store.fetched == [[0, 1], [2, 0], [0]]


async def test_a_page_waits_for_credit() -> None:
    store, wants = SlowStore(), WantQueue(credit_bytes=0)
    store.may_go.set()
    wants.replace(Want(1, (FIRST,)))
    assert await fetched_step(cast("Store", store), wants) is None
    assert store.fetched == []
    wants.add_credit(1)
    assert await fetched_step(cast("Store", store), wants) == Fetch(1, FIRST)
