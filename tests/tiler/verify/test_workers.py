"""Tasks side by side: their results in order, and no end of one that is missed."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.workers import OnProgress, ProofTask, run_tasks


def test_results_come_in_the_order_of_the_tasks() -> None:
    def task(number: int) -> ProofTask:
        def run(done: OnProgress) -> Tally:
            done(number)
            return Tally(events=number)

        return ProofTask("tiles", 2, run)

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
    tasks = [ProofTask("tiles", 1, lambda _: Tally(events=1))]
    waiting = threading.Thread(target=lambda: found.extend(run_tasks(tasks, lambda *_: told.set())), daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()
    assert found == [Tally(events=1)]


def ignore(amount: int, what: str) -> None:
    """For who needs no progress."""


def test_the_first_failure_in_order_is_raised_whichever_comes_first_in_time() -> None:
    late = threading.Event()

    def fails_late(done: OnProgress) -> Tally:
        assert late.wait(60)
        raise ValueError("the first in order")

    def fails_at_once(done: OnProgress) -> Tally:
        late.set()
        raise ValueError("the first in time")

    with pytest.raises(ValueError, match="in order"):
        list(run_tasks([ProofTask("a", 1, fails_late), ProofTask("b", 1, fails_at_once)], ignore))


def test_what_progress_raises_ends_all_tasks() -> None:
    ended = threading.Semaphore(0)

    def endless(done: OnProgress) -> Tally:
        try:
            while True:
                done(1)
        finally:
            ended.release()

    def interrupt(amount: int, what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_tasks([ProofTask("endless", 1, endless)] * 2, interrupt))
    assert ended.acquire(timeout=60)
