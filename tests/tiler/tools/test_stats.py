"""Statistics of spans against sums in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.example import Example, PlainEvent
from tests.examples import examples
from tests.tiler.store.reads import refuse_reads
from tests.tiler.windows import WINDOWS, overlaps, pairs, starts_in, ticks_in
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import EVERYTHING, finish
from tilescope.tiler.records.histogram import HISTOGRAM, Histogram, sum_by_name
from tilescope.tiler.records.spread import SPREAD
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools import values_of
from tilescope.tiler.tools.stats.groups import GroupBy, groups
from tilescope.tiler.tools.stats.summary import GroupSums, summary
from tilescope.tiler.windows import Windows, everywhere

Key = tuple[str, ...]

KEYS: dict[GroupBy, Callable[[PlainEvent], Key]] = {
    "name": lambda event: (event.name, event.category),
    "category": lambda event: (event.category,),
    "track": lambda event: (event.track,),
    "process": lambda _: ("Process 1",),
    "host": lambda _: ("host",),
}
COLUMNS: dict[GroupBy, tuple[str, ...]] = {
    "name": ("name", "category"),
    "category": ("category",),
    "track": ("name",),
    "process": ("process",),
    "host": ("host",),
}


@given(
    windows=WINDOWS,
    threads=st.sets(st.integers(0, 3), min_size=1),
    limit=st.sampled_from([0, 1, 5, 1000]),
    by=st.sampled_from(get_args(GroupBy)),
)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_of_any_windows(example: Example, windows: Windows, threads: set[int], limit: int, by: GroupBy) -> None:
    tracks = [example.track(f"thread {k}") for k in threads]
    grouped = groups(example.reader, by)
    answer = finish(summary(example.reader, everywhere(windows), tracks, limit, grouped))
    expected: dict[Key, list[PlainEvent]] = defaultdict(list)
    for event in example.events:
        if event.track in {f"thread {k}" for k in threads} and overlaps(event, windows):
            expected[KEYS[by](event)].append(event)
    columns = {column.id: values_of(column) for column in grouped.columns(answer.rows.histogram.name)}
    keys = list(zip(*(columns[column] for column in COLUMNS[by]), strict=True))
    for row, key in enumerate(keys):
        check_figures(answer.rows, row, expected[key], windows)
    busy = {key: sum(ticks_in(event, windows) for event in events) for key, events in expected.items()}
    assert (len(keys), answer.n_groups) == (min(limit, len(busy)), len(busy))
    assert answer.rows.histogram.busy.tolist() == sorted(busy.values(), reverse=True)[:limit]
    check_figures(answer.total, 0, [event for events in expected.values() for event in events], windows)
    left_out = [event for key, events in expected.items() if key not in keys for event in events]
    assert (answer.rest is None) == (not left_out)
    if answer.rest is not None:
        check_figures(answer.rest, 0, left_out, windows)
    whole = answer.total.histogram.self_busy.sum()
    assert whole == answer.rows.histogram.self_busy.sum() + (answer.rest.histogram.self_busy[0] if answer.rest else 0)


def check_figures(found: GroupSums, row: int, events: Sequence[PlainEvent], windows: Windows) -> None:
    """All that is known of a group but its self time."""
    lengths = sorted(event.duration for event in events if starts_in(event, windows))
    rows = found.histogram
    assert rows.count[row] == len(lengths)
    assert rows.busy[row] == sum(ticks_in(event, windows) for event in events)
    assert rows.duration[row] == sum(lengths)
    assert (rows.shortest[row], rows.longest[row]) == ((lengths[0], lengths[-1]) if lengths else (0, 0))
    assert found.mean[row] == (round_half_up(Fraction(sum(lengths), len(lengths))) if lengths else 0)
    for per_cent, quantile in ((50, found.median[row]), (99, found.tail[row])):
        exact = lengths[-(-len(lengths) * per_cent // 100) - 1] if lengths else 0
        assert abs(quantile - exact) * 100 <= exact


def round_half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def sums(found: GroupSums) -> list[int]:
    rows = found.histogram
    return [int(column.sum()) for column in (rows.count, rows.busy, rows.self_busy)]


def test_a_rollup_stands_for_its_tracks_and_counts_each_once(example: Example) -> None:
    rollup = next(track.id for track in example.reader.tree.tracks if track.kind == "rollup")
    of_all = finish(summary(example.reader, everywhere(EVERYTHING), None, 1000))
    of_rollup = finish(summary(example.reader, everywhere(EVERYTHING), [rollup, example.track("thread 1")], 1000))
    assert of_rollup.tracks == of_all.tracks
    assert rows(of_rollup.rows.histogram) == rows(of_all.rows.histogram)
    assert len(of_all.tracks) == 4
    assert str(sums(of_all.total)[0]) == example.store.manifest()["events"]["slices"]


def test_an_unknown_track_is_refused_and_a_counter_has_no_names(example: Example) -> None:
    with pytest.raises(UsageError, match="track 77 does not exist"):
        finish(summary(example.reader, everywhere(EVERYTHING), [77], 10))
    empty = finish(summary(example.reader, everywhere(EVERYTHING), [example.track("memory · v")], 10))
    assert (len(empty.rows), sums(empty.total), empty.rest) == (0, [0, 0, 0], None)


def test_all_tracks_are_summed_up_by_block(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record or two for all of them, and the same figures as of each track by itself."""
    of_each = [
        finish(summary(example.reader, everywhere(EVERYTHING), [k], 1000)) for k in example.reader.tree.leaves(None)
    ]
    expected = sum_by_name([of.rows.histogram for of in of_each])
    refuse_reads(monkeypatch, example.store, HISTOGRAM, SPREAD, PAGE)
    found = finish(summary(example.reader, everywhere(EVERYTHING), None, 1000))
    assert rows(found.rows.histogram) == rows(expected)
    assert found.rows.spread.count.sum() == expected.count.sum()
    for by in get_args(GroupBy):
        if by in ("process", "host"):  # one of each
            of_one = finish(summary(example.reader, everywhere(EVERYTHING), None, 1000, groups(example.reader, by)))
            assert sums(of_one.rows) == sums(found.total)
    by_track = finish(summary(example.reader, everywhere(EVERYTHING), None, 1000, groups(example.reader, "track")))
    for row, track in enumerate(by_track.rows.histogram.name.tolist()):
        alone = of_each[example.reader.tree.leaves(None).index(track)].total
        assert sums_of_one(by_track.rows, row) == sums_of_one(alone, 0)


@given(windows=WINDOWS, tracks=st.sets(st.sampled_from([f"thread {k}" for k in range(4)]), min_size=1))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_some_tracks_of_a_block_are_those_by_themselves(example: Example, windows: Windows, tracks: set[str]) -> None:
    """However many of its tracks the sums of a block are read for."""
    numbers = sorted(map(example.track, tracks))
    by_track = groups(example.reader, "track")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tilescope.tiler.lookup.histograms._FEWEST_TRACKS", 1)
        found = finish(summary(example.reader, everywhere(windows), numbers, 1000, by_track)).rows
    each = [finish(summary(example.reader, everywhere(windows), [k], 1000)).total for k in numbers]
    expected = {k: of for k, of in zip(numbers, each, strict=True) if sums(of)[0] or sums(of)[1]}
    kept = [row for row in range(len(found)) if sums(found.rows(slice(row, row + 1))) != [0, 0, 0]]
    assert {int(found.histogram.name[row]) for row in kept} == set(expected)
    for row in kept:
        assert sums_of_one(found, row) == sums_of_one(expected[int(found.histogram.name[row])], 0)


@given(windows=WINDOWS, by=st.sampled_from(get_args(GroupBy)))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_windows_are_the_sum_of_each_of_them(example: Example, windows: Windows, by: GroupBy) -> None:
    """Self times included, for which plain sums over events are no reference."""

    def of(windows: Windows) -> Histogram:
        # Categories are numbered as they come.
        grouped = groups(example.reader, by)
        found = finish(summary(example.reader, everywhere(windows), None, 1000, grouped)).rows.histogram
        if by == "category" and len(found):
            texts = values_of(grouped.columns(found.name)[0])
            return structs.replace(found, name=np.array([len(str(text)) for text in texts], np.int64))
        return found

    each = [of(Windows.single(*one)) for one in pairs(windows)]
    assert rows(of(windows)) == rows(sum_by_name(each))


def rows(found: Histogram) -> list[tuple[int, ...]]:
    columns = (getattr(found, column) for column in Histogram.__struct_fields__)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def sums_of_one(found: GroupSums, row: int) -> list[int]:
    """All that is told of a group but its number."""
    columns = [getattr(found.histogram, column) for column in Histogram.__struct_fields__[1:]]
    return [int(column[row]) for column in (*columns, found.median, found.tail)]


def test_windows_that_are_made_anew_for_each_track(example: Example) -> None:
    def windows_of(track: int) -> Windows:
        return Windows.single((track + 1) * example.reader.end // 8, TICK_LIMIT)

    tracks = example.reader.tree.leaves(None)
    assert len(tracks) > 3
    alone = [sums(finish(summary(example.reader, windows_of, [track], 10)).total) for track in tracks]
    together = sums(finish(summary(example.reader, windows_of, tracks, 10)).total)
    assert together == [sum(column) for column in zip(*alone, strict=True)]
