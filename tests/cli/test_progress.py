"""Progress lines, with a clock that the test moves."""

from __future__ import annotations

import errno
import io

import pytest

from tilescope.cli import progress
from tilescope.cli.progress import ProgressDisplay
from tilescope.tiler.indexing import BuildProgress


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


def test_time_left_counts_from_the_beginning_where_phases_take_turns(clock: Clock) -> None:
    """As those of `verify`, of which one begins anew for a moment: its pace alone says nothing."""
    stream = io.StringIO()
    with ProgressDisplay(stream) as display:
        display.update("records", 0.0)
        clock.now += 30
        display.update("tiles", 0.3)
        clock.now += 5
        display.update("records", 0.35)
        clock.now += 15
        display.update("tiles", 0.5)
    assert stream.getvalue().splitlines() == [
        "tiles: 30%, 1:10 min left",
        "records: 35%, 1:05 min left",
        "tiles: 50%, 50 s left",
    ]


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


def test_a_build_shows_bytes_events_blocks_and_time_left(clock: Clock) -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream) as display:
        for progress in (
            BuildProgress("read", 0.0, 0, bytes_total=400_000_000),
            BuildProgress("read", 0.25, 4_000_000, 200_000_000, 400_000_000, 12),
            BuildProgress("build", 0.5, 8_000_000, 400_000_000, 400_000_000, 140, 0, 5, seconds_left=9.0),
            BuildProgress("build", 0.75, 8_000_000, 400_000_000, 400_000_000, 140, 3, 5, seconds_left=75.0),
            BuildProgress("build", 1.0, 8_000_000, 400_000_000, 400_000_000, 140, 5, 5, seconds_left=0.0),
        ):
            clock.now += 4
            display.update_build(progress, "run: ")
    assert stream.getvalue().splitlines() == [
        "run: read: 0%",
        "run: read: 25%, 4,000,000 events, 200 MB of 400 MB, 1.00 M/s, 12 s left",
        "run: build: 50%, 8,000,000 events, 400 MB, 0 of 5 blocks, 9.00 s left",
        "run: build: 75%, 8,000,000 events, 400 MB, 3 of 5 blocks, 1:15 min left",
        "run: build: 100%, 8,000,000 events, 400 MB, 5 of 5 blocks",
    ]


def test_a_stream_that_cannot_be_written_does_not_stop_the_work(clock: Clock) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with ProgressDisplay(Full()) as display:
        clock.now += 10
        display.update("read", 0.5)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_shows_names_as_they_are(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no markup of rich's, and no escape sequence of theirs reaches the terminal."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with ProgressDisplay() as display:
        clock.now += 1
        display.update("[red]a[/nothing]\x1b]0;x\x07\nb: reading", 0.5)
    shown = terminal.getvalue()
    assert r"[red]a[/nothing]\x1b]0;x\x07\nb: reading" in shown
    assert "\x07" not in shown
    assert "\x1b]" not in shown
