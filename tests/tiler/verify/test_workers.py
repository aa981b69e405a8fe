"""Tasks side by side: their results in order, and no end of one that is missed."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.workers import Task, Told, run_tasks


def test_results_come_in_the_order_of_the_tasks() -> None:
    def task(number: int) -> Task:
        def run(done: Told) -> Tally:
            done(number)
            return Tally(events=number)

        return Task("tiles", 2, run)

    told: list[int] = []
    found = [
        tally["events"] for tally in run_tasks([task(k) for k in range(20)], lambda amount, _: told.append(amount))
    ]
    assert found == list(range(20))
    assert told == sorted(told)
    assert told[-1] == 2 * sum(range(20))


def test_a_task_whose_end_is_told_before_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()
    set_result = Future.set_result

    def late(future: Future[Any], result: object) -> None:
        told.wait(0.2)
        set_result(future, result)

    monkeypatch.setattr(Future, "set_result", late)
    found: list[Tally] = []
    tasks = [Task("tiles", 1, lambda _: Tally(events=1))]
    waiting = threading.Thread(target=lambda: found.extend(run_tasks(tasks, lambda *_: told.set())), daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()
    assert found == [Tally(events=1)]
