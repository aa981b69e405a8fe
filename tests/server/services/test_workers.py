"""Questions beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from tilescope.server.services import workers as module
from tilescope.server.services.workers import Workers
from tilescope.tiler.query import Steps


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(1)
    yield workers
    workers.close()


async def test_the_answer_is_what_the_steps_return(workers: Workers) -> None:
    def steps() -> Steps[int]:
        yield
        yield
        return 7

    assert await workers.answer(steps()) == 7


async def test_an_error_of_a_step_is_raised(workers: Workers) -> None:
    def steps() -> Steps[int]:
        yield
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        await workers.answer(steps())


async def test_two_questions_take_turns_on_one_thread(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TURN_S", 0)
    done: list[str] = []

    def steps(name: str, count: int) -> Steps[None]:
        for _ in range(count):
            yield
        done.append(name)

    await asyncio.gather(workers.answer(steps("long", 50)), workers.answer(steps("short", 2)))
    assert done == ["short", "long"]


async def test_who_stops_waiting_stops_the_work_after_the_step_it_is_at(workers: Workers) -> None:
    begun, go_on = threading.Event(), threading.Event()
    log: list[str] = []

    def steps() -> Steps[None]:
        try:
            log.append("first")
            begun.set()
            go_on.wait(5)
            log.append("end of first")
            yield
            while True:
                log.append("more")
                yield
        finally:
            log.append("closed")

    task = asyncio.create_task(workers.answer(steps()))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done(), "the store would be given back under the thread that reads it"
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (log[:2], log[-1]) == (["first", "end of first"], "closed")


async def test_items_come_one_by_one(workers: Workers) -> None:
    items = iter([1, 2])
    assert [await workers.next(items) for _ in range(3)] == [1, 2, None]
