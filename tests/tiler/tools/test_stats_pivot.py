"""Statistics by two groupings at once against sums in plain Python, and their relation to those by one."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.example import Example, PlainEvent
from tests.examples import examples
from tests.tiler.tools.test_stats import KEYS
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import finish
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.spread import DurationSpread, bucket_of
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.stats import pivot
from tilescope.tiler.tools.stats.groups import GroupBy
from tilescope.tiler.tools.stats.summary import regrouped

PAIRS = list(permutations(KEYS, 2))
SPANS = st.tuples(st.integers(0, 4_000_000), st.integers(1, 3_000_000))


def stats(example: Example, **values: Any) -> Answer:
    chosen = tool("stats")
    return finish(ask(chosen, Scope(example.reader), from_values(chosen.question, values)))


def rows_of(answer: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: list(values_of(column)) for column in answer.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def ticks_within(event: PlainEvent, start: int, stop: int) -> int:
    return max(0, min(event.start + event.duration, stop) - max(event.start, start))


@given(sides=st.sampled_from(PAIRS), span=SPANS, threads=st.sets(st.integers(0, 3), min_size=1))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_pair_has_its_own_sums_below_its_group(
    example: Example, sides: tuple[GroupBy, GroupBy], span: tuple[int, int], threads: set[int]
) -> None:
    first, second = sides
    start, stop = span[0], sum(span)
    names = {f"thread {k}" for k in threads}
    tracks = ",".join(str(example.track(name)) for name in sorted(names))
    answer = stats(example, by=first, then=second, start=start, end=stop, tracks=tracks)
    expected: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for event in example.events:
        if event.track in names and event.overlaps(start, stop):
            for key in ((KEYS[first](event), ()), (KEYS[first](event), KEYS[second](event))):
                sums = expected[str(key[0]), str(key[1])]
                sums[0] += start <= event.start < stop
                sums[1] += ticks_within(event, start, stop)
    table = rows_of(answer, "pivot")
    listed = {}
    for row in table:
        own = _key(row, first if row["parent"] < 0 else second)
        above = own if row["parent"] < 0 else _key(table[row["parent"]], first)
        listed[str(above), str(() if row["parent"] < 0 else own)] = [row["count"], row["busy"]]
    assert listed == expected
    assert all(row["parent"] < number for number, row in enumerate(table))
    # The groups of the first side are those of an answer by it alone.
    alone = stats(example, by=first, start=start, end=stop, tracks=tracks)
    assert rows_of(answer, "names") == rows_of(alone, "names")
    assert answer.table("pivot").totals == alone.table("names").totals
    for siblings in ([r for r in table if r["parent"] == parent] for parent in range(-1, len(table))):
        assert [row["busy"] for row in siblings] == sorted((row["busy"] for row in siblings), reverse=True)


def _key(row: dict[str, Any], by: GroupBy) -> tuple[str, ...]:
    return (row["name"], row["category"]) if by == "name" else (row["name"],)


def test_groups_without_a_number_of_their_own_keep_their_spreads() -> None:
    """Events without a name are group -1, which must not be taken for the greatest number."""
    number, ticks = np.array([-1, 3, -2, 3]), np.array([10, 20, 40, 80])
    ones = np.ones(4, np.int64)
    histogram = Histogram(np.arange(4), ones, ticks, ticks, ticks, ticks, ticks)
    spread = DurationSpread(ones, bucket_of(ticks), ones)
    sums = regrouped(histogram, spread, number, np.int64)
    assert dict(zip(sums.histogram.name.tolist(), sums.median.tolist(), strict=True)) == {3: 20, -2: 40, -1: 10}


@pytest.mark.parametrize("sides", [("track", "name"), ("name", "category")])
def test_too_many_pairs_are_refused(example: Example, monkeypatch: pytest.MonkeyPatch, sides: tuple[str, str]) -> None:
    monkeypatch.setattr(pivot, "MAX_PAIRS", 20)
    with pytest.raises(UsageError, match="more than 20 pairs of groups"):
        stats(example, by=sides[0], then=sides[1])


def test_a_search_finds_the_events_of_a_group(example: Example) -> None:
    search = tool("search")
    rows = rows_of(stats(example, by="category", then="name"), "pivot")
    queries = [row["query"] for row in rows]
    assert queries.count(None) == 1, "events without a category have no words"
    for row in rows:
        if row["query"] is not None and (row["parent"] < 0 or row["category"]):
            answer = finish(ask(search, Scope(example.reader), from_values(search.question, {"query": row["query"]})))
            assert answer.fact("count").value == row["count"], row["query"]


def test_what_is_left_out_is_said(example: Example) -> None:
    answer = stats(example, by="track", then="name", limit=5)
    parents = [row["parent"] for row in rows_of(answer, "pivot")]
    assert (parents.count(-1), len(parents)) == (4, 9)
    assert [note.text for note in answer.notes if "pairs of groups are left out" in note.text]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"by": "name", "then": "name"}, "then: the rows are by name already"),
        ({"then": "argument"}, "argument: by=argument and then=argument need"),
        ({"then": "track", "argument": "x"}, "argument: it goes with by=argument or then=argument"),
    ],
)
def test_what_cannot_be_asked(example: Example, values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        stats(example, **values)
