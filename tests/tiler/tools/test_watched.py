"""A tool that does not yield in time is found, with its lines."""

from __future__ import annotations

import time

import pytest

from tests.tiler.tools import watched
from tests.tiler.tools.watched import finish_watched
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools import Answer


def slow() -> Interruptible[Answer]:
    yield
    yield from busy()
    return Answer()


def busy() -> Interruptible[None]:
    until = time.thread_time() + 0.02
    while time.thread_time() < until:
        pass
    yield


def test_a_step_that_takes_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert finish_watched("slow", slow()) == Answer()
    monkeypatch.setattr(watched, "MOST_S", 0.01)
    with pytest.raises(AssertionError, match=r"^slow: \d+ ms of .*, from test_watched.py:16 to test_watched.py:25"):
        finish_watched("slow", slow())
