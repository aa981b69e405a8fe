"""Figures of counters against sums in plain Python."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from tests.example import Example, PlainEvent, random_events
from tests.examples import examples
from tests.tiler.windows import WINDOWS, pairs
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.pages import Page, PageKey
from tilescope.tiler.query import finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.counters.figures import CounterFigures, figures
from tilescope.tiler.tools.counters.plain_mean import _sum, plain_means
from tilescope.tiler.tools.counters.tiles import CounterTiles, counter_pages
from tilescope.tiler.windows import Windows, everywhere


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """With a counter of many levels, whose samples are dense in places, several at a time, and late to begin."""
    rng = random.Random(4)
    events, at = random_events(rng), 30_000
    for _ in range(30_000):
        at += rng.choice([0, 1, 1, 3, 60, 900])
        events.append(PlainEvent("dense", "", "", at, 0, float(rng.randrange(-50, 1000)) / 4))
    example = Example(tmp_path_factory.mktemp("counters"), events)
    yield example
    example.store.close()


def expected(samples: list[tuple[int, float]], windows: Windows) -> tuple[object, ...]:
    """Tick by tick in principle: from sample to sample."""
    inside: list[float] = []
    area, ticks, change = Fraction(0), 0, Fraction(0)
    first: float | None = None
    last: float | None = None
    end_of_all = samples[-1][0]
    for start, stop in pairs(windows):
        own = [(time, value) for time, value in samples if start <= time < stop]
        earlier = [value for time, value in samples if time < start]
        inside += [value for _, value in own]
        if not own and not earlier:
            continue
        # At the first tick of all, the last value of several.
        began = earlier[-1] if earlier else [value for time, value in own if time == own[0][0]][-1]
        line = [(start, earlier[-1]), *own] if earlier else own
        for (time, value), (until, _) in zip(line, [*line[1:], (stop, 0.0)], strict=True):
            known = max(min(until, end_of_all) - time, 0)  # behind its last sample nobody knows a counter's value
            area += Fraction(value) * known
            ticks += known
        last = line[-1][1]
        change += Fraction(last) - Fraction(began)
        first = began if first is None else first
    ends = (first, last, None if last is None else float(change))
    extremes = (min(inside), max(inside)) if inside else (None, None)
    return (len(inside), *extremes, float(area / ticks) if ticks else None, *ends)


def found(example: Example, name: str, windows: Windows) -> CounterFigures:
    track = example.track(f"{name} · v")
    tree_track = example.reader.tree.tracks[track]
    assert tree_track.first is not UNSET
    assert tree_track.last is not UNSET
    return figures(
        CounterTiles(example.reader, track, counter_pages(example.reader)), tree_track.first, tree_track.last, windows
    )


@given(windows=WINDOWS, name=st.sampled_from(["memory", "dense"]))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_of_any_windows(example: Example, windows: Windows, name: str) -> None:
    samples = [
        (event.start, event.value) for event in example.events if event.track == name and event.value is not None
    ]
    now = found(example, name, windows)
    n, least, greatest, mean, *ends = expected(samples, windows)
    assert (now.n, now.least, now.greatest) == (n, least, greatest)
    assert (now.mean is None) == (mean is None)
    assert now.mean is None or now.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
    assert [now.first, now.last, now.change] == ends  # quarters: doubles hold their sums
    inside = [Fraction(value) for time, value in samples if any(start <= time < stop for start, stop in pairs(windows))]
    (plain,) = finish(plain_means(example.reader, [example.track(f"{name} · v")], everywhere(windows)))
    assert plain == (float(sum(inside) / len(inside)) if inside else None)


def test_few_pages_are_read(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[PageKey] = []
    whole = example.reader.decoded_page

    def counted(key: PageKey) -> Page:
        read.append(key)
        return whole(key)

    monkeypatch.setattr(example.reader, "decoded_page", counted)
    found(example, "dense", Windows.single(1_000_003, 3_000_007))
    assert len(set(read)) <= 2 * (example.reader.root_level + 1)
    assert found(example, "dense", Windows.single(0, example.reader.end + 1)).n == 30_000


def answered(example: Example, **values: object) -> Answer:
    asked = tool("counters")
    return finish(ask(asked, Scope(example.reader), from_values(asked.question, values)))


def test_the_tool(example: Example) -> None:
    answer = answered(example, start=100_000, end=2_000_000)
    table = answer.table("counters")
    now = found(example, "memory", Windows.single(100_000, 2_000_000))
    row = values_of(table.column("name")).index("memory · v")
    assert [values_of(table.column(name))[row] for name in ("n", "min", "max", "mean", "first", "last", "change")] == [
        *(now.n, now.least, now.greatest, now.mean, now.first, now.last, now.change)
    ]
    assert now.change is not None
    # Values in force where the span begins and ends: they need not lie between the least and the greatest sample in it.
    assert [table.column(name).title for name in ("first", "last")] == ["At the start", "At the end"]
    assert values_of(table.column("rate"))[row] == pytest.approx(now.change / 0.0019)
    assert answer.fact("counters").value == len(table) == 2
    halves = [answered(example, end=777_777), answered(example, start=777_777)]
    for part, whole in zip(
        zip(*(values_of(half.table("counters").column("n")) for half in halves), strict=True),
        values_of(answered(example).table("counters").column("n")),
        strict=True,
    ):
        assert sum(int(n or 0) for n in part) == whole
    assert len(answered(example, tracks=[0], limit=0).table("counters")) == 0
    with pytest.raises(UsageError, match="track 99"):
        answered(example, tracks=[99])


def test_a_run_without_counters(tmp_path: Path) -> None:
    plain = Example(tmp_path, [PlainEvent("thread 0", "a", "", 0, 5)])
    with pytest.raises(NotAvailable, match="no counters"):
        answered(plain)
    plain.store.close()


@given(st.lists(st.floats() | st.integers(-(2**62), 2**62).map(float), max_size=8))
def test_sums_of_samples_are_rounded_once(values: list[float]) -> None:
    try:
        wanted = math.fsum(values)
    except (OverflowError, ValueError):
        wanted = math.nan
    assert repr(_sum(np.array(values, np.float64)) + 0.0) == repr(wanted + 0.0)
