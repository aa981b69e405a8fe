"""Events of windows against the events that were written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.example import Example
from tests.examples import examples
from tests.tiler.windows import WINDOWS, overlaps, starts_in
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.tiles import decoded_page
from tilescope.tiler.pages.leaf_parts import LeafStarts
from tilescope.tiler.query import EVERYTHING, QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows


def events_of(reader: QueryReader, track: int, windows: Windows) -> Events:
    plan = reader.plan(track, windows)
    return join([no_events(track), *Reading(reader).events(plan, plan.leaf_runs)])


@given(windows=WINDOWS, thread=st.sampled_from(["thread 0", "thread 3"]))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_of_any_windows(example: Example, windows: Windows, thread: str) -> None:
    events = events_of(example.reader, example.track(thread), windows)
    assert list(events.ordinal) == sorted(set(events.ordinal.tolist())), "an event twice, or out of order"
    names = [example.reader.names[name] for name in events.name.tolist()]
    texts = [(name.text, name.category) for name in names]
    found = zip(texts, events.start.tolist(), events.duration.tolist(), strict=True)
    wanted = [e for e in example.events if e.track == thread and overlaps(e, windows)]
    assert sorted(found) == sorted(((e.name, e.category), e.start, e.duration) for e in wanted)
    assert not events.flags.any()


@given(windows=WINDOWS, thread=st.sampled_from(["thread 0", "thread 3"]))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_that_start_in_windows_are_among_the_starts(example: Example, windows: Windows, thread: str) -> None:
    reader, track = example.reader, example.track(thread)
    starts = [pair for part in Reading(reader).starts(reader.plan(track, windows)) for pair in pairs_of(part)]
    assert len(starts) == len(set(starts))
    events = events_of(reader, track, EVERYTHING)
    every = list(zip(events.ordinal.tolist(), events.start.tolist(), strict=True))
    assert set(starts) <= set(every)
    assert {pair for pair in every if windows.hold(np.array(pair[1:]))[0]} <= set(starts)


def pairs_of(starts: LeafStarts) -> list[tuple[int, int]]:
    return list(zip(starts.ordinal.tolist(), starts.start.tolist(), strict=True))


@given(windows=WINDOWS)
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counter_samples_of_any_windows(example: Example, windows: Windows) -> None:
    events = events_of(example.reader, example.track("memory · v"), windows)
    wanted = [e for e in example.events if e.value is not None and starts_in(e, windows)]
    assert list(zip(events.start.tolist(), events.value.tolist(), strict=True)) == [(e.start, e.value) for e in wanted]


def test_a_rollup_holds_no_events_itself_and_an_unknown_track_is_refused(example: Example) -> None:
    rollup = next(track.id for track in example.reader.tree.tracks if track.kind == "rollup")
    assert len(events_of(example.reader, rollup, EVERYTHING)) == 0
    assert example.reader.tree.leaves([rollup]) == sorted(example.track(f"thread {k}") for k in range(4))
    with pytest.raises(UsageError, match="track 99 does not exist"):
        example.reader.plan(99, EVERYTHING)


def test_a_page_that_lacks_the_tile_is_noticed(example: Example) -> None:
    plan = example.reader.plan(example.track("thread 0"), EVERYTHING)
    run = plan.leaf_runs[0]
    other = next(page for page, _ in plan.tiles.shape.pages() if page != run.page)
    with pytest.raises(DamagedStore, match="not on it"):
        plan.events(run, decoded_page(example.store, other))
    with pytest.raises(DamagedStore, match="not on its page"):
        plan.starts(run, example.reader.page_content(other))
    with pytest.raises(DamagedStore, match="something else"):
        plan.starts(run, b"TSSH" + example.reader.page_content(run.page)[4:])


@pytest.mark.parametrize(
    "name", ["xplane/tpu_v6e_4core.xplane.pb", "kineto/nccl_data.json.gz", "chrome/instant_events.json"]
)
def test_every_event_of_real_traces_once(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    path = tmp_path_factory.mktemp("real") / "store"
    build_store([corpus_path(name)], path)
    store = open_run_store(path)
    reader = QueryReader(store)
    for track in reader.tree.tracks:
        if track.kind != "rollup":
            events = events_of(reader, track.id, EVERYTHING)
            assert events.ordinal.tolist() == list(range(track.events))
            assert str(int(events.duration.sum())) == str(track.busy)
            if track.kind in SLICE_KINDS:
                starts = [
                    pair
                    for part in Reading(reader).starts(reader.plan(track.id, EVERYTHING))
                    for pair in pairs_of(part)
                ]
                assert starts == list(zip(events.ordinal.tolist(), events.start.tolist(), strict=True))
            for k in {0, len(events) - 1} if len(events) else ():
                event = event_details(store, track.id, k)
                assert event is not None
                assert (event["start"], event["duration"]) == (str(events.start[k]), str(events.duration[k]))
    store.close()
