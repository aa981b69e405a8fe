"""Statistics of spans against sums in plain Python."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.example import Example
from tests.tiler.windows import WINDOWS, overlaps, pairs, starts_in, ticks_in
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import Histogram, sum_by_name
from tilescope.tiler.query import EVERYTHING, finish
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.windows import Windows, everywhere


@given(windows=WINDOWS, threads=st.sets(st.integers(0, 3), min_size=1), limit=st.sampled_from([0, 1, 5, 1000]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_and_times_of_any_windows(example: Example, windows: Windows, threads: set[int], limit: int) -> None:
    tracks = [example.track(f"thread {k}") for k in threads]
    answer = finish(summary(example.reader, everywhere(windows), tracks, limit))
    count, busy = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for event in example.events:
        if event.track in {f"thread {k}" for k in threads} and overlaps(event, windows):
            key = event.name, event.category
            count[key] += starts_in(event, windows)
            busy[key] += ticks_in(event, windows)
    names = [tuple(answer.names[name]) for name in answer.rows.name.tolist()]
    rows = dict(zip(names, zip(answer.rows.count.tolist(), answer.rows.busy.tolist(), strict=True), strict=True))
    assert rows.items() <= {key: (count[key], busy[key]) for key in busy}.items()
    assert (len(rows), answer.n_names) == (min(limit, len(busy)), len(busy))
    assert answer.rows.busy.tolist() == sorted(busy.values(), reverse=True)[:limit]
    assert (sums(answer.total)[:2]) == [count.total(), busy.total()]
    assert sums(answer.total) == [a + b for a, b in zip(sums(answer.rows), sums(answer.rest), strict=True)]


def sums(rows: Histogram) -> list[int]:
    return [int(column.sum()) for column in (rows.count, rows.busy, rows.self_busy)]


def test_a_rollup_stands_for_its_tracks_and_counts_each_once(example: Example) -> None:
    rollup = next(track["id"] for track in example.reader.tree.tracks if track["kind"] == "rollup")
    of_all = finish(summary(example.reader, everywhere(EVERYTHING), None, 1000))
    of_rollup = finish(summary(example.reader, everywhere(EVERYTHING), [rollup, example.track("thread 1")], 1000))
    assert (of_rollup.tracks, of_rollup.names) == (of_all.tracks, of_all.names)
    assert sums(of_rollup.rows) == sums(of_all.rows)
    assert len(of_all.tracks) == 4
    assert str(sums(of_all.total)[0]) == example.store.manifest()["events"]["slices"]


def test_an_unknown_track_is_refused_and_a_counter_has_no_names(example: Example) -> None:
    with pytest.raises(UsageError, match="track 77 does not exist"):
        finish(summary(example.reader, everywhere(EVERYTHING), [77], 10))
    empty = finish(summary(example.reader, everywhere(EVERYTHING), [example.track("memory · v")], 10))
    assert (len(empty.rows), sums(empty.total), len(empty.rest)) == (0, [0, 0, 0], 0)


@given(windows=WINDOWS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_windows_are_the_sum_of_each_of_them(example: Example, windows: Windows) -> None:
    """Self times and the longest included, for which plain sums over events are no reference."""
    whole = finish(summary(example.reader, everywhere(windows), None, 1000))
    each = [finish(summary(example.reader, everywhere(Windows.one(*one)), None, 1000)) for one in pairs(windows)]
    assert rows(whole.rows) == rows(sum_by_name([part.rows for part in each]))


def rows(found: Histogram) -> list[tuple[int, ...]]:
    columns = (found.name, found.count, found.busy, found.self_busy, found.longest)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_windows_that_are_made_anew_for_each_track(example: Example) -> None:
    def windows_of(track: int) -> Windows:
        return Windows.one((track + 1) * example.reader.end // 8, TICK_LIMIT)

    tracks = example.reader.tree.leaves(None)
    assert len(tracks) > 3
    alone = [sums(finish(summary(example.reader, windows_of, [track], 10)).total) for track in tracks]
    together = sums(finish(summary(example.reader, windows_of, tracks, 10)).total)
    assert together == [sum(column) for column in zip(*alone, strict=True)]
