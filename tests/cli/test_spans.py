"""Times on a command line."""

from __future__ import annotations

import pytest

from tests.server.fakes import FakeStore
from tilescope.cli.spans import ticks_text, zero_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.schema import RunManifest


@pytest.mark.parametrize(
    ("text", "tick_ps", "ticks"),
    [
        ("1.5ms", 1, "1500000000"),
        ("1.5 ms", 1000, "1500000"),
        ("3s", 1, "3000000000000"),
        ("-2µs", 1, "-2000000"),
        ("2us", 1, "2000000"),
        ("7ns", 1000, "7"),
        ("0ps", 1000, "0"),
        ("9007199254740993ns", 1, "9007199254740993000"),
        ("1500", 1, "1500"),
        ("-1500", 1, "-1500"),
        ("1.5min", 1000, "90000000000"),
        ("2h", 1, "7200000000000000"),
    ],
)
def test_times_are_ticks_exactly(text: str, tick_ps: int, ticks: str) -> None:
    assert ticks_text("--start", text, tick_ps) == ticks


def test_times_with_a_unit_count_from_the_zero_of_the_run() -> None:
    assert [ticks_text("--start", text, 1000, 7_000) for text in ("1us", "-8us", "5")] == ["8000", "-1000", "5"]


def test_the_zero_is_the_start_of_all_but_outliers() -> None:
    stored = FakeStore().manifest()
    outliers = {**stored["outliers"], "start": "9007199254740993"}
    assert zero_of(RunManifest.from_json({**stored, "outliers": None})) == 0
    assert zero_of(RunManifest.from_json({**stored, "outliers": outliers})) == 9007199254740993


def test_what_lies_between_two_ticks_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^--start: 1.5ns lies between two ticks: one is 1,000 ps$"):
        ticks_text("--start", "1.5ns", 1000)


@pytest.mark.parametrize("text", ["", "1.5", "1e3", "1.5parsec", "ms", "٣ms", "soon"])
def test_what_is_no_time_is_refused_with_the_units_that_there_are(text: str) -> None:
    with pytest.raises(
        UsageError, match=r"^--start: '.*' is not a time: give ticks, or a number with a unit \(ps, ns,"
    ):
        ticks_text("--start", text, 1)
