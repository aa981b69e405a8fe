"""Searches against a look through all events, in plain Python."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example as example_of_property
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.example import Example, PlainEvent, random_events
from tests.examples import examples
from tests.tiler.store.reads import noted_reads, refuse_reads
from tests.tiler.windows import WINDOWS, overlaps, starts_in, ticks_in
from tilescope.tiler.pages import shape
from tilescope.tiler.query import EVERYTHING, Place, finish
from tilescope.tiler.records.histogram import HISTOGRAM
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search import bins as bins_module
from tilescope.tiler.search import chosen_names as chosen_module
from tilescope.tiler.search import hits as hits_module
from tilescope.tiler.search import selection as selection_module
from tilescope.tiler.search import totals as totals_module
from tilescope.tiler.search.bins import density
from tilescope.tiler.search.hits import Hits, page_of_hits
from tilescope.tiler.search.language import parse
from tilescope.tiler.search.selection import Selection, occurring, select
from tilescope.tiler.search.totals import per_track, totals
from tilescope.tiler.store import two_threads
from tilescope.tiler.windows import Windows, everywhere

# What is asked, and what it means for an event.
QUERIES: dict[str, Callable[[PlainEvent], object]] = {
    "needle": lambda e: "needle" in e.name,
    "OP 1": lambda e: "op" in e.name.lower() and "1" in e.name,
    '"op 1"': lambda e: e.name == "op 1",
    "/^(op [12]|Inner)$/": lambda e: re.fullmatch("op [12]|Inner", e.name),
    "/INNER/i": lambda e: e.name == "Inner",
    "cat:CAT": lambda e: e.category == "cat",
    "op dur>=40ns": lambda e: "op" in e.name and e.duration >= 40,
    "dur<3ns": lambda e: e.duration < 3,
    "dur=0.3us track:2": lambda e: e.duration == 300 and "2" in e.track,
    "everything": lambda e: e.name == "everything",
    'track:"thread 1" e': lambda e: e.track == "thread 1" and "e" in e.name.lower(),
    "dur>0.5ns dur<=39.5ns": lambda e: 1 <= e.duration <= 39,
    "nothing": lambda e: False,
}
QUERY = st.sampled_from(sorted(QUERIES))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    patch = pytest.MonkeyPatch()
    patch.setattr(hits_module, "_FEWEST_LEAVES", 2)
    patch.setattr(hits_module, "_NEAR_PARTS", 1)
    patch.setattr(shape, "HISTOGRAM_EVENTS", 200)
    patch.setattr(shape, "BLOCK_HISTOGRAM_EVENTS", 400)
    patch.setattr(totals_module, "_FEW_LEAVES", 3)
    patch.setattr(totals_module, "_LEAVES_AT_ONCE", 2)
    patch.setattr(two_threads, "_processors", lambda: 2)
    for module in (two_threads, bins_module):
        patch.setattr(module, "WORTH_A_THREAD", 2)
    yield Example(tmp_path_factory.mktemp("search"), random_events(random.Random(5)))
    patch.undo()


def selected(example: Example, query: str) -> Selection:
    return finish(select(example.reader, parse(query), example.reader.tree.leaves(None)))


def matching(example: Example, query: str) -> list[PlainEvent]:
    return [event for event in example.events if event.value is None and QUERIES[query](event)]


def plain(hits: Hits, example: Example) -> list[tuple[int, int, str, int]]:
    names = [example.reader.names[name].text for name in hits.name.tolist()]
    return list(zip(hits.start.tolist(), hits.track.tolist(), names, hits.duration.tolist(), strict=True))


@given(windows=st.lists(WINDOWS, min_size=4, max_size=4) | WINDOWS.map(lambda windows: [windows] * 4), query=QUERY)
@settings(deadline=None)
def test_totals_are_those_of_all_events(example: Example, windows: list[Windows], query: str) -> None:
    of_track = {f"thread {k}": windows[k] for k in range(4)}
    by_id = {example.track(name): of for name, of in of_track.items()}
    count: dict[str, int] = defaultdict(int)
    busy: dict[str, int] = defaultdict(int)
    on_track: dict[int, int] = defaultdict(int)
    for event in matching(example, query):
        of = of_track[event.track]
        if overlaps(event, of):
            count[event.name] += starts_in(event, of)
            busy[event.name] += ticks_in(event, of)
            on_track[example.track(event.track)] += starts_in(event, of)
    selection = selected(example, query)
    found = finish(totals(example.reader, selection, by_id.__getitem__))
    names = [example.reader.names[name].text for name in found.name.tolist()]
    wanted = {name: (count[name], busy[name]) for name in count if count[name] or busy[name]}
    assert dict(zip(names, zip(found.count.tolist(), found.busy.tolist(), strict=True), strict=True)) == wanted
    assert found.busy.tolist() == sorted(found.busy.tolist(), reverse=True)
    if selection.is_by_name:
        counted = finish(per_track(example.reader, selection, by_id.__getitem__))
        assert counted == {track: n for track, n in on_track.items() if n}


@pytest.mark.parametrize("query", ["op", "needle"])  # on all tracks, and on one of them
def test_totals_of_all_tracks_are_read_by_block(example: Example, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    selection = finish(occurring(example.reader, selected(example, query)))
    assert len(selection.tracks) == (1 if query == "needle" else 4)
    monkeypatch.setattr(totals_module, "_FEW_LEAVES", 0)
    refuse_reads(monkeypatch, example.store, HISTOGRAM, PAGE)
    found = finish(totals(example.reader, selected(example, query), everywhere(EVERYTHING)))
    assert found.count.sum() == sum(query in event.name for event in example.events)


def test_an_event_that_starts_between_windows_counts_once(example: Example) -> None:
    windows = Windows(np.array([0, 262_144]), np.array([500, 262_145]))  # of two leaves; it starts in the first one
    event = next(event for event in example.events if event.name == "everything" and event.track == "thread 1")
    assert starts_in(event, windows) == 0
    found = finish(totals(example.reader, selected(example, 'track:"thread 1" e'), everywhere(windows)))
    assert found.busy.tolist() == [ticks_in(event, windows)] == [1]


# A window at the beginning on one track, and one in the middle of the leaves of all others.
FAR_APART = [Windows.single(0, 1), *[Windows.single(7818, 8818)] * 3]


@given(
    windows=st.lists(WINDOWS, min_size=4, max_size=4) | WINDOWS.map(lambda windows: [windows] * 4),
    query=QUERY,
    limit=st.sampled_from([1, 7, 900]),
    start=st.integers(-5, 4_100_000),
    track=st.integers(0, 5),
    ordinal=st.integers(0, 9000),
    backward=st.booleans(),
)
@example_of_property(windows=FAR_APART, query="OP 1", limit=900, start=0, track=0, ordinal=0, backward=False)
@example_of_property(
    windows=FAR_APART[::-1], query="OP 1", limit=900, start=4_100_000, track=0, ordinal=0, backward=True
)
@settings(deadline=None)
def test_hits_are_paged_from_any_place(
    example: Example,
    windows: list[Windows],
    query: str,
    limit: int,
    start: int,
    track: int,
    ordinal: int,
    backward: bool,
) -> None:
    selection = selected(example, query)
    by_name = {f"thread {k}": windows[k] for k in range(4)}
    windows_of = {example.track(name): windows for name, windows in by_name.items()}.__getitem__
    wanted = sorted(
        (event.start, example.track(event.track), event.name, event.duration)
        for event in matching(example, query)
        if starts_in(event, by_name[event.track])
    )
    for whole_backward in (True, False):
        whole = finish(page_of_hits(example.reader, selection, windows_of, 10**6, backward=whole_backward))
        assert sorted(plain(whole.hits, example)) == wanted
    places = [whole.hits.place(k) for k in range(len(whole.hits))]
    assert places == sorted(places)
    assert whole.more is None

    after: Place | None = Place(max(start, 0), track, ordinal)
    assert after is not None
    left = [place for place in places if (place < after if backward else place > after)]
    expected = left[::-1] if backward else left
    found: list[Place] = []
    for _ in range(3):
        page = finish(page_of_hits(example.reader, selection, windows_of, limit, after, backward=backward))
        found += [page.hits.place(k) for k in range(len(page.hits))]
        after = page.more
        if after is None:
            break
    assert found == expected[: 3 * limit]
    assert (after is None) == (len(expected) <= 3 * limit)


@given(
    query=QUERY,
    start=st.integers(0, 4_100_000),
    length=st.sampled_from([1, 900, 60_000, 4_100_000]),
    finer=st.integers(0, 4),
)
@settings(max_examples=examples(60), deadline=None)
def test_bins_hold_the_hits_that_start_in_them_and_their_ticks(
    example: Example, query: str, start: int, length: int, finer: int
) -> None:
    level = max(0, (length.bit_length() + 1) // 2 - finer)
    found = finish(density(example.reader, selected(example, query), TickRange(start, start + length), level))
    width = 4**level
    first, last = start // width, (start + length - 1) // width
    count: dict[tuple[int, int], int] = defaultdict(int)
    busy: dict[tuple[int, int], int] = defaultdict(int)
    for event in matching(example, query):
        track, end = example.track(event.track), event.start + event.duration
        if first <= event.start // width <= last:
            count[track, event.start // width * width] += 1
        for bin in range(max(first, event.start // width), min(last, (end - 1) // width) + 1):
            ticks = min(end, (bin + 1) * width) - max(event.start, bin * width)
            busy[track, bin * width] += max(ticks, 0)
    places = list(zip(found.track.tolist(), found.start.tolist(), strict=True))
    assert places == sorted(places)
    assert dict(zip(places, found.count.tolist(), strict=True)) == {
        place: count[place] for place in {**count, **busy} if count[place] or busy[place]
    }
    assert dict(zip(places, found.busy.tolist(), strict=True)) == {place: busy[place] for place in places}


def test_halves_of_a_range_add_up(example: Example) -> None:
    for query in QUERIES:
        selection = selected(example, query)
        sums = []
        for span in ((0, 4_200_000), (0, 1_234_567), (1_234_567, 4_200_000)):
            found = finish(totals(example.reader, selection, everywhere(Windows.single(*span))))
            sums.append((int(found.count.sum()), int(found.busy.sum())))
        assert sums[0] == (sums[1][0] + sums[2][0], sums[1][1] + sums[2][1])


def test_what_a_query_chooses_is_worked_out_once(example: Example) -> None:
    chosen = selected(example, "op dur>3ns").chosen
    assert selected(example, "track:main dur<9us op").chosen is chosen
    assert not np.array_equal(selected(example, "cat:op").names, chosen.mask)
    assert selected(example, "op").chosen is chosen
    selected(example, "needle")
    assert selected(example, "op").chosen is chosen
    chosen_module.CHOSEN_NAMES.clear()
    assert selected(example, "op").chosen is not chosen


def test_pages_without_the_name_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["needle" if k == 70_000 else f"op {k % 50}" for k in range(80_000)]
    example = Example(tmp_path, [PlainEvent("main", name, "", 100 * k, 60) for k, name in enumerate(names)])
    read = noted_reads(monkeypatch, example.store, PAGE)
    for backward in (False, True):
        selection = selected(example, "needle")
        page = finish(page_of_hits(example.reader, selection, everywhere(EVERYTHING), 1, backward=backward))
        assert page.hits.start.tolist() == [7_000_000]
    assert finish(totals(example.reader, selection, everywhere(EVERYTHING))).busy.tolist() == [60]
    assert len(read) == 1


@pytest.mark.parametrize(
    "query", sorted({*QUERIES, "op dur>299ns", "op dur>300ns", "Inner dur<10ns", "Inner dur<=10ns"})
)
def test_tracks_are_left_out_on_which_nothing_of_the_query_occurs(example: Example, query: str) -> None:
    whole = selected(example, query)
    if "cat:" not in query and all(term.startswith(("dur", "track")) for term in query.split()):
        assert finish(occurring(example.reader, whole)) is whole  # all names are
        return
    bounds = whole.shortest, whole.longest
    texts = [example.reader.names[name].text for name in np.flatnonzero(whole.names[1:]).tolist()]
    lasting: dict[str, set[int]] = defaultdict(set)
    for event in example.events:
        if event.value is None and event.name in texts and (event.category == "cat" or "cat:" not in query):
            lasting[event.track].add(event.duration)
    may_have = [
        example.track(track)
        for track, durations in lasting.items()
        if max(min(durations), bounds[0]) <= min(max(durations), bounds[1])
    ]
    kept = finish(occurring(example.reader, whole)).tracks
    assert sorted(kept) == sorted(set(may_have) & set(whole.tracks))


def test_what_grows_and_what_has_many_tracks_is_looked_through_as_a_whole(
    example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = selected(example, "needle")
    assert len(finish(occurring(example.reader, whole)).tracks) == 1
    with monkeypatch.context() as patch:
        patch.setattr(selection_module, "_MOST_TRACKS", 2)
        assert finish(occurring(example.reader, whole)) is whole
    with monkeypatch.context() as patch:
        patch.setattr(type(example.store), "is_growing", True)
        assert finish(occurring(example.reader, whole)) is whole
