"""Leaves that are passed over because nothing in them lasts so long, against all events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.example import Example, PlainEvent, random_events
from tests.tiler.store.reads import noted_reads, refuse_reads
from tilescope.tiler.pages import shape
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.search import duration_filter as filter_module
from tilescope.tiler.search.chosen_names import ChosenNames
from tilescope.tiler.search.duration_filter import lasting
from tilescope.tiler.search.hits import page_of_hits
from tilescope.tiler.search.language import parse
from tilescope.tiler.search.leaves import leaves
from tilescope.tiler.search.selection import Selection, select
from tilescope.tiler.windows import everywhere

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    patch = pytest.MonkeyPatch()
    patch.setattr(shape, "HISTOGRAM_EVENTS", 400)
    patch.setattr(shape, "BLOCK_HISTOGRAM_EVENTS", 200)
    events = random_events(random.Random(5))
    events += [PlainEvent("thread 1", "Inner", "", 1_500_000, 11), PlainEvent("thread 3", "op 3", "", 90_000, 301)]
    yield Example(tmp_path_factory.mktemp("lasting"), events)
    patch.undo()


def selected(example: Example, query: str) -> Selection:
    return finish(select(example.reader, parse(query), example.reader.tree.leaves(None)))


@given(
    name=st.sampled_from(["op", "3", "Inner", "needle", "e"]),
    shortest=st.sampled_from([0, 3, 11, 40, 41, 300, 301, 5000]),
    longest=st.sampled_from([0, 3, 10, 40, 299, 301, 4_000_000]),
    most_read=st.sampled_from([0, 3, 20, 10**6]),
)
@settings(deadline=None)
def test_no_leaf_with_a_hit_is_passed_over(
    example: Example, name: str, shortest: int, longest: int, most_read: int
) -> None:
    selection = selected(example, f"{name} dur>={shortest}ns dur<={longest}ns")
    wanted = {
        (example.track(event.track), event.start)
        for event in example.events
        if event.value is None and name.lower() in event.name.lower() and shortest <= event.duration <= longest
    }
    found: set[tuple[int, int]] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filter_module, "_MOST_READ", most_read)
        for some in leaves(example.reader, selection, everywhere(EVERYTHING), reaching=False):
            kept = finish(lasting(example.reader, selection, some))
            assert set(kept.tile.tolist()) <= set(some.tile.tolist())
            for track, first, stop in zip(kept.tracks.tolist(), kept.first.tolist(), kept.stop.tolist(), strict=True):
                found |= {(on, start) for on, start in wanted if on == track and first <= start < stop}
    assert found == wanted
    page = finish(page_of_hits(example.reader, selection, everywhere(EVERYTHING), 10**6))
    assert set(zip(page.hits.track.tolist(), page.hits.start.tolist(), strict=True)) == wanted


def test_few_pages_and_histograms_are_read_for_what_is_rare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = [61 if k == 250_000 else 60 for k in range(300_000)]
    events = [PlainEvent("main", f"op {k % 50}", "", 100 * k, length) for k, length in enumerate(lengths)]
    example = Example(tmp_path, events)
    pages = noted_reads(monkeypatch, example.store, PAGE)
    selection = selected(example, "op dur>60ns")
    for backward in (False, True):
        page = finish(page_of_hits(example.reader, selection, everywhere(EVERYTHING), 1, backward=backward))
        assert page.hits.start.tolist() == [25_000_000]
    assert len(set(pages)) < 8
    # What histograms tell is known now.
    refuse_reads(monkeypatch, example.store, HISTOGRAM)
    assert len(finish(page_of_hits(example.reader, selected(example, "op dur>60ns"), everywhere(EVERYTHING), 1)).hits)


def test_histograms_of_a_block_spare_those_of_its_tracks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [PlainEvent(f"track {k % 8}", f"op {k % 50}", "", 13 * k, 60 + (k == 250_001)) for k in range(300_000)]
    example = Example(tmp_path, events)
    read = noted_reads(monkeypatch, example.store, HISTOGRAM, BLOCK_HISTOGRAM)
    for backward in (False, True):
        page = finish(
            page_of_hits(example.reader, selected(example, "dur>60ns"), everywhere(EVERYTHING), 1, backward=backward)
        )
        assert page.hits.start.tolist() == [13 * 250_001]
    assert 1 < len(read) < 16
    assert {owner for owner, *_ in read} == {0}


def test_pauses_are_short(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter_module, "_AT_ONCE", 1)
    read: list[object] = []

    def nothing(_: QueryReader, *of: int) -> bytes:
        read.append(of)
        return b""

    monkeypatch.setattr(QueryReader, "histogram_record", nothing)
    monkeypatch.setattr(QueryReader, "block_histogram_record", nothing)
    selection = replace(selected(example, "op dur>=3s"), chosen=ChosenNames(selected(example, "op").names))
    for some in leaves(example.reader, selection, everywhere(EVERYTHING), reaching=False):
        before = len(read)
        steps = lasting(example.reader, selection, some)
        reads = [len(read) - before for _ in steps]
        assert reads == list(range(len(reads)))
        assert len(read) - before == len(reads) > 0


def test_without_bounds_all_leaves_are_left(example: Example) -> None:
    selection = selected(example, "needle")
    for some in leaves(example.reader, selection, everywhere(EVERYTHING), reaching=False):
        assert finish(lasting(example.reader, selection, some)) is some
