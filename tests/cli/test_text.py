"""Numbers as people read them."""

from __future__ import annotations

import pytest

from tilescope.cli.text import rate_text, seconds_text, shortened
from tilescope.tiler.count_text import count_text, plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.size_text import size_text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.00 kB"), (1_500, "1.50 kB"), (99_949, "99.9 kB"), (386_123_456, "386 MB"),
     (999_600, "1.00 MB"), (2_590_000_000, "2.59 GB"), (10**19, "10000 PB")],
)  # fmt: skip
def test_sizes(size_bytes: int, text: str) -> None:
    assert size_text(size_bytes) == text


@pytest.mark.parametrize(
    ("events", "seconds", "text"),
    [(0, 1.0, "0 /s"), (5, 0.0, "0 /s"), (1_250_000, 0.5, "2.50 M/s"), (999, 1.0, "999 /s"), (1_000, 1.0, "1.00 k/s"),
     (30_000_000_000, 10.0, "3.00 G/s")],
)  # fmt: skip
def test_rates(events: int, seconds: float, text: str) -> None:
    assert rate_text(events, seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.421, "0.42 s"), (12.4, "12 s"), (59.6, "1:00 min"), (75, "1:15 min"), (3_599.7, "1:00 h"), (4_000, "1:06 h")],
)
def test_seconds(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("ticks", "tick_ps", "text"),
    [(0, 1, "0 ps"), (1, 1, "1 ps"), (1, 1_000, "1 ns"), (1_500, 1_000, "1.5 µs"), (982_734_987_234, 1, "982.735 ms"),
     (90 * 10**12, 1, "1 min 30 s"), (98_249 * 10**9, 1, "1 min 38.2 s"), (119_960 * 10**9, 1, "2 min"),
     (3_599_900 * 10**9, 1, "59 min 59.9 s"), (7_200 * 10**9, 1_000, "2.00 h"), (36 * 3_600 * 10**9, 1_000, "1.50 d")],
)  # fmt: skip
def test_durations(ticks: int, tick_ps: int, text: str) -> None:
    assert duration_text(ticks, tick_ps) == text


def test_counts() -> None:
    assert count_text(1_234_567) == "1,234,567"
    assert plural(1, "event", "events") == "1 event"
    assert plural(0, "event", "events") == "0 events"
    assert plural(1_200, "event", "events") == "1,200 events"


def test_texts_that_are_too_long() -> None:
    assert [shortened("abcdef", length) for length in (3, 5, 6, 7)] == ["ab…", "abcd…", "abcdef", "abcdef"]
