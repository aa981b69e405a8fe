"""The tools `stats` and `find` give what the computations below them give."""

from __future__ import annotations

from tests.example import Example
from tilescope.tiler.query import EVERYTHING, finish
from tilescope.tiler.tools import Answer, Scope, from_values, tool, values_of
from tilescope.tiler.tools.find.search import FindQuery, find
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.windows import everywhere


def ask(example: Example, name: str, **values: object) -> Answer:
    asked = tool(name)
    return finish(asked.answer(Scope(example.reader), from_values(asked.question, values)))


def test_stats(example: Example) -> None:
    expected = finish(summary(example.reader, everywhere(EVERYTHING), None, 5))
    answer = ask(example, "stats", limit=5)
    table = answer.table("names")
    assert values_of(table.column("name_id")) == expected.rows.histogram.name.tolist()
    assert expected.rest is not None
    assert table.totals is not None
    assert table.rest is not None
    for column, sums in (("count", "count"), ("busy", "busy"), ("self", "self_busy"), ("longest", "longest")):
        assert values_of(table.column(column)) == getattr(expected.rows.histogram, sums).tolist()
        assert table.totals[column] == int(getattr(expected.total.histogram, sums)[0])
        assert table.rest[column] == int(getattr(expected.rest.histogram, sums)[0])
    for column, figures in (("mean", "mean"), ("p50", "median"), ("p99", "tail")):
        assert values_of(table.column(column)) == getattr(expected.rows, figures).tolist()
        assert table.totals[column] == int(getattr(expected.total, figures)[0])
        assert table.rest[column] == int(getattr(expected.rest, figures)[0])
    assert answer.fact("names").value == expected.n_groups
    assert answer.fact("tracks").value == 4
    assert answer.is_complete


def test_stats_of_a_range_are_the_sum_of_its_halves(example: Example) -> None:
    middle = example.reader.end // 3
    halves = [ask(example, "stats", end=middle), ask(example, "stats", start=middle)]
    for column in ("count", "busy", "self"):
        assert total(ask(example, "stats"), column) == sum(total(half, column) for half in halves)


def test_where_nothing_starts_there_are_no_durations(example: Example) -> None:
    start = next(
        event.start + 1
        for event in example.events
        if event.duration > 1 and all(other.start != event.start + 1 for other in example.events)
    )
    table = ask(example, "stats", start=start, end=start + 1, limit=1).table("names")
    for name in ("mean", "shortest", "p50", "p99", "longest"):
        assert set(values_of(table.column(name))) == {None}
        assert [sums[name] for sums in (table.totals, table.rest) if sums is not None] in ([None], [None, None])
    assert values_of(table.column("count")) == [0]
    assert values_of(table.column("busy")) == [1]


def total(answer: Answer, column: str) -> int:
    totals = answer.table("names").totals
    assert totals is not None
    return int(totals[column] or 0)


def test_find_page_by_page(example: Example) -> None:
    whole = finish(find(example.reader, FindQuery("op 1", everywhere(EVERYTHING), limit=10_000)))
    events: list[object] = []
    after = None
    while True:
        answer = ask(example, "find", text="op 1", limit=777, after=after)
        table = answer.table("events")
        events += values_of(table.column("event"))
        assert answer.fact("count").value == sum(whole.per_track.values())
        after = table.more
        if after is None:
            break
    assert events == [f"{event.track}.{event.ordinal}" for event in whole.events]
    per_track = answer.table("tracks")
    assert dict(zip(*(values_of(column) for column in per_track.columns), strict=True)) == whole.per_track
