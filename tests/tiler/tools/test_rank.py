"""Ranks of slices, spreads of durations and neighbours of a name, against a look through all events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.example import Example, PlainEvent
from tests.examples import examples
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.rank import ranking
from tilescope.tiler.tools.rank.ranking import MOST_BINS

THREADS = [f"thread {k}" for k in range(4)]


def answer_of(example: Example, track: int, ordinal: int, **values: Any) -> Answer:
    rank = tool("rank")
    question = from_values(rank.question, {"track": track, "ordinal": ordinal, **values})
    return finish(ask(rank, Scope(example.reader), question))


def facts_of(answer: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in answer.facts}


def on_track(example: Example, thread: str) -> list[PlainEvent]:
    """Events by ordinal."""
    own = [event for event in example.events if event.track == thread]
    return sorted(own, key=lambda event: (event.start, -event.duration))


def like(event: PlainEvent, other: PlainEvent) -> bool:
    return (event.name, event.category, event.value) == (other.name, other.category, None)


@given(
    thread=st.sampled_from(THREADS),
    part=st.floats(0, 1),
    span=st.none() | st.tuples(st.integers(0, 4_000_000), st.integers(1, 2_000_000)),
    among=st.none() | st.sets(st.sampled_from(THREADS), min_size=1),
    most_pages=st.sampled_from([0, 1, 1024]),
)
@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_slice_stands_where_a_look_through_all_of_its_name_puts_it(
    example: Example,
    monkeypatch: pytest.MonkeyPatch,
    thread: str,
    part: float,
    span: tuple[int, int] | None,
    among: set[str] | None,
    most_pages: int,
) -> None:
    monkeypatch.setattr(ranking, "_MOST_PAGES", most_pages)
    here = on_track(example, thread)
    ordinal = int(part * (len(here) - 1))
    event = here[ordinal]
    start, stop = (0, 1 << 60) if span is None else (span[0], sum(span))
    threads = THREADS if among is None else sorted(among)
    values: dict[str, Any] = {} if span is None else {"start": start, "end": stop}
    if among is not None:
        values["tracks"] = ",".join(str(example.track(name)) for name in threads)
    answer = answer_of(example, example.track(thread), ordinal, **values)
    alike = [
        other
        for other in example.events
        if like(other, event) and other.track in threads and start <= other.start < stop
    ]
    durations = sorted(other.duration for other in alike)
    facts = facts_of(answer)
    assert (facts["name"], facts["duration"], facts["count"]) == (event.name, event.duration, len(alike))
    assert facts["total"] == sum(durations)
    longer = sum(duration > event.duration for duration in durations)
    if facts["rank"] is None:
        assert most_pages < 1024
        assert facts["longer"] <= longer <= facts["longer_most"]
        assert facts["equal"] is None
    else:
        assert (facts["rank"], facts["longer"], facts["longer_most"]) == (longer + 1, longer, longer)
        assert facts["equal"] == durations.count(event.duration)
    if durations:
        assert (facts["shortest"], facts["longest"]) == (durations[0], durations[-1])
        median = durations[(len(durations) + 1) // 2 - 1]
        assert facts["median"] == median or (facts["median"] is None and most_pages < 1024)
        assert abs(facts["about_median"] - median) * 100 <= median
    table = answer.table("distribution")
    least, most, count = ([int(str(n)) for n in values_of(table.column(name))] for name in ("least", "most", "count"))
    assert len(count) <= MOST_BINS
    assert list(count) == [sum(a <= duration <= b for duration in durations) for a, b in zip(least, most, strict=True)]
    assert sum(count) == len(durations)
    beside = [str(place) for place in values_of(answer.table("events").column("event"))]
    wanted = [k for k, other in enumerate(here) if like(other, event) and start <= other.start < stop]
    before, after = [k for k in wanted if k < ordinal][-1:], [k for k in wanted if k > ordinal][:1]
    number = example.track(thread)
    assert beside == ([f"{number}.{k}" for k in before + after] if thread in threads else [])


def test_rank_needs_a_slice(example: Example) -> None:
    with pytest.raises(UsageError, match="has no slices"):
        answer_of(example, next(track.id for track in example.reader.tree.tracks if track.kind == "counter"), 0)
    with pytest.raises(UsageError, match="has no event 99999999"):
        answer_of(example, example.track("thread 0"), 99_999_999)
    with pytest.raises(UsageError, match="track 4711 does not exist"):
        answer_of(example, 4711, 0)
