"""Progress lines, with a clock that the test moves."""

from __future__ import annotations

import io

import pytest

from tilescope.cli import progress
from tilescope.cli.progress import ProgressDisplay


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_quick_work_says_nothing(clock: Clock) -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream) as display:
        for _ in range(10):
            clock.now += 0.2
            display.update("read", 0.5, events=10)
    assert stream.getvalue() == ""


def test_a_line_every_few_seconds(clock: Clock) -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream) as display:
        for k in range(81):
            display.update("read", k / 80, events=k * 125_000, size_bytes=k * 1_250_000)
            clock.now += 0.125
        clock.now += 3
        display.update("build", 0.0)
    assert stream.getvalue().splitlines() == [
        "read: 30%, 3,000,000 events, 30.0 MB, 1.00 M/s, 7.00 s left",
        "read: 60%, 6,000,000 events, 60.0 MB, 1.00 M/s, 4.00 s left",
        "read: 90%, 9,000,000 events, 90.0 MB, 1.00 M/s, 1.00 s left",
        "build: 0%",
    ]


def test_time_left_counts_from_where_the_phase_began(clock: Clock) -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream) as display:
        display.update("tiles", 0.5)
        clock.now += 4
        display.update("tiles", 0.75)
    assert stream.getvalue() == "tiles: 75%, 4.00 s left\n"


def test_a_bar_on_a_terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with ProgressDisplay(Terminal()) as display:
        display.update("read", 0.0)
        clock.now += 2
        display.update("read", 0.25, events=1_000)
        clock.now += 2
        display.update("read", 0.5, events=2_000)
        clock.now += 2
        display.update("build", 0.1)
    shown = capsys.readouterr().err
    assert "50%" in shown
    assert "2,000 events, 500 /s, 4.00 s left" in shown
    assert "build" in shown
