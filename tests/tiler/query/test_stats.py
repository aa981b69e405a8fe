"""Statistics of spans against sums in plain Python."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.example import Example
from tests.tiler.query.test_events import SPANS
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import EVERYTHING, finish, stats
from tilescope.tiler.resolver import TickRange


@given(span=SPANS, threads=st.sets(st.integers(0, 3), min_size=1), limit=st.sampled_from([0, 1, 5, 1000]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_and_times_of_any_span(example: Example, span: TickRange, threads: set[int], limit: int) -> None:
    tracks = [example.track(f"thread {k}") for k in threads]
    answer = finish(stats(example.reader, span, tracks, limit)).to_json()
    count, busy = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for event in example.events:
        if event.track in {f"thread {k}" for k in threads} and event.overlaps(*span):
            key = event.name, event.category
            count[key] += event.start >= span.start
            busy[key] += min(event.start + event.duration, span.stop) - max(event.start, span.start)
    rows = {(row["name"], row["category"]): (int(row["count"]), int(row["busy"])) for row in answer["rows"]}
    assert rows.items() <= {key: (count[key], busy[key]) for key in busy}.items()
    assert (len(rows), answer["names"]) == (min(limit, len(busy)), len(busy))
    assert [int(row["busy"]) for row in answer["rows"]] == sorted(busy.values(), reverse=True)[:limit]
    assert (int(answer["total"]["count"]), int(answer["total"]["busy"])) == (count.total(), busy.total())
    rest = answer["rest"] or {"count": "0", "busy": "0", "self": "0"}
    for sums in ("count", "busy", "self"):
        assert sum(int(row[sums]) for row in answer["rows"]) + int(rest[sums]) == int(answer["total"][sums])


def test_a_rollup_stands_for_its_tracks_and_counts_each_once(example: Example) -> None:
    rollup = next(track["id"] for track in example.reader.tree.tracks if track["kind"] == "rollup")
    of_all = finish(stats(example.reader, EVERYTHING, None, 1000)).to_json()
    assert of_all == finish(stats(example.reader, EVERYTHING, [rollup, example.track("thread 1")], 1000)).to_json()
    assert of_all["tracks"] == 4
    assert of_all["total"]["count"] == example.store.manifest()["events"]["slices"]


def test_an_unknown_track_is_refused_and_a_counter_has_no_names(example: Example) -> None:
    with pytest.raises(UsageError, match="no track 77"):
        finish(stats(example.reader, EVERYTHING, [77], 10))
    empty = finish(stats(example.reader, EVERYTHING, [example.track("memory · v")], 10)).to_json()
    assert (empty["rows"], empty["total"]["count"], empty["rest"]) == ([], "0", None)
