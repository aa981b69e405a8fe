"""A question can be stopped between any two steps, and a step is short; what would take too long is refused at once."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.example import Example, PlainEvent
from tests.tiler.store.reads import noted_reads, refuse_reads
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import busy
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.histogram import HISTOGRAM
from tilescope.tiler.records.spread import SPREAD
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.store import two_threads
from tilescope.tiler.tools import Scope, ask, from_values, hit_bins, tool
from tilescope.tiler.tools.call_tree import tree as call_tree

# Records between two steps, when so many are read at a time.
_AT_ONCE = 2
_MOST = 6 * _AT_ONCE

QUESTIONS: list[tuple[str, dict[str, object]]] = [
    ("search", {"query": "op", "limit": 0, "start": 1001, "end": 3_999_999}),
    ("search", {"query": "dur>=40ns", "limit": 100_000}),
    ("search", {"query": "dur>1s", "limit": 1, "totals": False}),
    ("search", {"query": "arg:nothing=1", "limit": 1}),
    ("hit_bins", {"query": "op", "px": 1000}),
    ("find", {"text": "op", "limit": 50_000}),
    ("stats", {"start": 1001, "end": 3_999_999}),
    ("stats", {"by": "track", "then": "name", "start": 1001, "end": 3_999_999}),
    ("rank", {"track": 0, "ordinal": 21_000, "start": 1001}),
    ("gaps", {"each_track": True}),
    ("overlap", {}),
    ("call_tree", {}),
]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    rng = random.Random(3)
    events = [
        PlainEvent(f"thread {k % 3}", f"op {rng.randrange(40)}", "kernel", 50 * k + rng.randrange(9), rng.randrange(90))
        for k in range(90_000)
    ]
    example = Example(tmp_path_factory.mktemp("long"), events)
    yield example
    example.store.close()


@pytest.mark.parametrize(("name", "values"), QUESTIONS, ids=[f"{name} {values}" for name, values in QUESTIONS])
def test_little_is_read_between_two_steps(
    long: Example, monkeypatch: pytest.MonkeyPatch, name: str, values: dict[str, object]
) -> None:
    monkeypatch.setattr(two_threads, "_AT_ONCE", _AT_ONCE)
    monkeypatch.setattr(busy, "_PAGES_AT_ONCE", _AT_ONCE)
    monkeypatch.setattr(busy, "_EVENTS_AT_ONCE", 10_000)
    monkeypatch.setattr(call_tree, "_PAGES", 1)
    monkeypatch.setattr(call_tree, "_PIECES", _AT_ONCE)
    records = noted_reads(monkeypatch, long.store, PAGE, HISTOGRAM, SPREAD, ARGUMENTS)
    asked = tool(name)
    steps = ask(asked, Scope(QueryReader(long.store)), from_values(asked.question, values))
    most = total = 0
    for _ in steps:
        most, total = max(most, len(records)), total + len(records)
        records.clear()
    most, total = max(most, len(records)), total + len(records)
    assert most <= _MOST
    assert total > most, "it was too short to tell"


def test_a_question_that_is_given_up_reads_nothing_more(long: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    records = noted_reads(monkeypatch, long.store, PAGE)
    asked = tool("hit_bins")
    steps = ask(asked, Scope(QueryReader(long.store)), from_values(asked.question, {"query": "op", "px": 1000}))
    while not records:
        next(steps)
    begun = len(records)
    steps.close()
    assert len(records) == begun


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("search", {"query": "/((a{100}){100}){100}/"}, "the regular expression .* cannot be used: "),
        ("search", {"query": "/" + "(x+x+)+y" * 30 + "(/"}, "the regular expression .* cannot be used: "),
        ("hit_bins", {"query": "/(((a{90}){90}){90}){90}/i", "px": 1}, "the regular expression .* cannot be used: "),
        ("hit_bins", {"query": "op", "px": 400}, "are more than 300: ask for fewer tracks, or fewer px"),
    ],
)
def test_what_would_take_too_long_is_refused_before_anything_is_read(
    long: Example, monkeypatch: pytest.MonkeyPatch, name: str, values: dict[str, object], words: str
) -> None:
    monkeypatch.setattr(hit_bins, "MAX_BINS", 300)
    refuse_reads(monkeypatch, long.store, PAGE)
    asked = tool(name)
    with pytest.raises(UsageError, match=words):
        finish(ask(asked, Scope(QueryReader(long.store)), from_values(asked.question, values)))


def test_expressions_that_stall_others_are_answered(long: Example) -> None:
    # The classic: exponential in the text for those that try one way after the other.
    asked = tool("search")
    values = {"query": "/^(([a-z])+.)+[A-Z]([a-z])+$|(o+)+p+ .*.*.*=/", "limit": 1}
    answer = finish(ask(asked, Scope(long.reader), from_values(asked.question, values)))
    assert answer.fact("count").value == 0
