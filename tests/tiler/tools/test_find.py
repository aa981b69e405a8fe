"""Occurrences of names against a look through all events."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.example import Example, PlainEvent
from tests.examples import examples
from tests.tiler.store.reads import noted_reads
from tests.tiler.windows import WINDOWS, starts_in
from tilescope.tiler.errors import UsageError
from tilescope.tiler.lookup.tiles import decoded_page
from tilescope.tiler.query import EVERYTHING, Place, finish
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.tools.find.search import MAX_TEXT, FindQuery, Match, Occurrence, find
from tilescope.tiler.windows import Windows, everywhere


@given(
    windows=st.lists(WINDOWS, min_size=4, max_size=4),
    text=st.sampled_from(["needle", "NEEDLE", "op 1", "inner", "nothing", "o", "everything"]),
    match=st.sampled_from([Match.CONTAINS, Match.EXACT]),
    threads=st.none() | st.sets(st.integers(0, 3), min_size=1),
    limit=st.sampled_from([0, 1, 7, 300]),
)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_occurrences_are_counted_and_the_first_are_listed(
    example: Example, windows: list[Windows], text: str, match: Match, threads: set[int] | None, limit: int
) -> None:
    tracks = None if threads is None else [example.track(f"thread {k}") for k in threads]
    of_track = {f"thread {k}": windows[k] for k in range(4)}
    by_id = {example.track(name): of for name, of in of_track.items()}
    answer = finish(find(example.reader, FindQuery(text, by_id.__getitem__, match, tracks, limit)))
    shown = range(4) if threads is None else threads
    wanted = [
        (event.start, example.track(event.track), event.name)
        for event in example.events
        if event.track in {f"thread {k}" for k in shown}
        and starts_in(event, of_track[event.track])
        and (event.name == text if match is Match.EXACT else text.lower() in event.name.lower())
    ]
    assert sum(answer.per_track.values()) == len(wanted)
    listed = [(event.start, event.track, answer.names[event.name].text) for event in answer.events]
    assert [place[:2] for place in listed] == sorted(place[:2] for place in wanted)[:limit]
    assert set(listed) <= set(wanted)
    assert answer.has_more == (limit < len(wanted))


def test_page_by_page_one_gets_all_of_them_in_order(example: Example) -> None:
    whole = finish(find(example.reader, FindQuery("op 2", everywhere(EVERYTHING), limit=10_000)))
    assert len(whole.events) > 3000
    pages: list[Occurrence] = []
    after = None
    while True:
        page = finish(find(example.reader, FindQuery("op 2", everywhere(EVERYTHING), limit=500, after=after)))
        assert page.per_track == whole.per_track
        pages += page.events
        if not page.has_more:
            break
        after = page.events[-1].place
    assert pages == whole.events


def test_pages_that_cannot_hold_a_name_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["needle" if k == 70_000 else f"op {k % 50}" for k in range(80_000)]
    events = [PlainEvent("main", name, "", 100 * k, 60 + k % 7) for k, name in enumerate(names)]
    example = Example(tmp_path, events)
    read = noted_reads(monkeypatch, example.store, PAGE)
    pages = {run.page for run in example.reader.plan(example.track("main"), EVERYTHING).leaf_runs}
    (page,) = (page for page in pages if 70_000 in decoded_page(example.store, page).slices.ordinal)
    read.clear()
    answer = finish(find(example.reader, FindQuery("needle", everywhere(EVERYTHING))))
    assert [event.start for event in answer.events] == [7_000_000]
    assert len(pages) >= 5
    assert set(read) == {page[:4]}
    example.store.close()


def test_page_by_page_through_events_that_start_at_once(tmp_path: Path) -> None:
    events = [PlainEvent(f"thread {k % 3}", "at once", "", 100 * (k // 30), 5) for k in range(300)]
    example = Example(tmp_path, events)
    places: list[Place] = []
    after = None
    while True:
        page = finish(find(example.reader, FindQuery("at once", everywhere(EVERYTHING), limit=7, after=after)))
        places += [event.place for event in page.events]
        if not page.has_more:
            break
        after = places[-1]
    assert len(places) == 300
    assert places == sorted(set(places))
    example.store.close()


@pytest.mark.parametrize("text", ["", "x" * (MAX_TEXT + 1)])
def test_texts_that_are_no_question(text: str) -> None:
    with pytest.raises(UsageError):
        FindQuery(text, everywhere(EVERYTHING))


def test_an_unknown_track_is_refused(example: Example) -> None:
    with pytest.raises(UsageError, match="track 77 does not exist"):
        finish(find(example.reader, FindQuery("op", everywhere(EVERYTHING), tracks=[77])))
