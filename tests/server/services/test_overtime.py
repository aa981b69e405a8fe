"""Turns that take too long, and questions that are not asked again for a while."""

from __future__ import annotations

import os
import time

import pytest

from tilescope.server.services import overtime
from tilescope.server.services.overtime import Overtime, Overtimes, TurnClock
from tilescope.tiler.system import processor_s


def test_what_a_process_uses_is_counted_from_the_beginning_of_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {7: 100.0}
    now = [1000.0]
    monkeypatch.setattr(overtime, "processor_s", lambda pid: used[pid])
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = TurnClock(7)
    used[7] += overtime.PROCESSOR_S
    now[0] += overtime.WALL_S
    assert clock.error() is None
    used[7] += 0.1
    assert "5 s of processor time" in str(clock.error())
    used[7] -= 0.1
    now[0] += 0.1
    assert "60 s without a pause" in str(clock.error())


def test_processor_time_of_a_process() -> None:
    before, until = processor_s(os.getpid()), time.process_time() + 0.1
    while time.process_time() < until:
        pass
    assert 0.05 < processor_s(os.getpid()) - before < 10
    assert processor_s(0x3FFFFFFF) == 0


def test_a_question_is_refused_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(overtime, "MOST_REFUSED", 2)
    overtimes: Overtimes[str] = Overtimes()
    for name in "abc":
        overtimes.add(name, Overtime("given up"))
    overtimes.check("a")  # the oldest has made room
    now[0] += overtime.REFUSED_S - 1
    with pytest.raises(Overtime, match=r"^given up; it may be asked again in 1 s$"):
        overtimes.check("b")
    now[0] += 1
    overtimes.check("b")
    overtimes.check("c")
