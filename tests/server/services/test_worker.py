"""Which stores a process that answers questions has open, and for which questions."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.fakes import FakeGrowingStore, FakeStore
from tilescope.server.services.worker import BuildSource, PickledQuestion, drop, take_turn
from tilescope.tiler.caches import CACHES, CacheSize, OwnerCache
from tilescope.tiler.query import Interruptible, QueryReader

STORE = Path("store")
NUMBERS: OwnerCache[QueryReader, bytes] = OwnerCache("numbers_of_test", "Numbers", len)


def is_growing(reader: QueryReader) -> Interruptible[bool]:
    yield
    return reader.store.is_growing


def endless(reader: QueryReader) -> Interruptible[Any]:
    while True:
        yield


@pytest.fixture
def growing() -> Iterator[FakeGrowingStore]:
    """The store of a build that grows, which a long question has open."""
    store = FakeGrowingStore("b1")
    source = BuildSource(STORE, "b1", lambda *_: store, is_growing=True)
    assert not take_turn(1, PickledQuestion((source,), endless)).is_answered
    yield store
    drop(1)


def test_a_question_about_a_finished_build_is_not_answered_from_a_store_that_was_opened_before(
    growing: FakeGrowingStore,
) -> None:
    finished = BuildSource(STORE, "b1", lambda _, build: FakeStore(build))
    assert take_turn(2, PickledQuestion((finished,), is_growing)).answer is False
    growing_too = BuildSource(STORE, "b1", lambda *_: growing, is_growing=True)
    assert take_turn(3, PickledQuestion((growing_too,), is_growing)).answer is True


def test_a_store_that_grew_is_closed_when_nobody_asks_about_it(growing: FakeGrowingStore) -> None:
    drop(1)
    assert growing.is_closed


def cached(reader: QueryReader) -> Interruptible[Any]:
    yield
    return NUMBERS.keep(reader, b"12345")


def test_an_answer_comes_with_the_sizes_of_caches() -> None:
    finished = BuildSource(STORE, "b1", lambda _, build: FakeStore(build))
    turn = take_turn(4, PickledQuestion((finished,), cached))
    assert turn.answer == b"12345"
    assert turn.caches is not None
    (size,) = [cache for cache in turn.caches if cache.name == "numbers_of_test"]
    assert (size.title, size.entries) == ("Numbers", 1)
    assert 5 < size.size_bytes < 1000
    assert pickle.loads(pickle.dumps(turn)) == turn
    NUMBERS.clear()
    assert not take_turn(5, PickledQuestion((finished,), endless)).caches
    drop(5)


def test_an_answer_arrives_where_caches_cannot_say_their_sizes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> list[CacheSize]:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(CACHES, "sizes", fail)
    finished = BuildSource(STORE, "b1", lambda _, build: FakeStore(build))
    turn = take_turn(6, PickledQuestion((finished,), cached))
    assert (turn.is_answered, turn.answer, turn.caches) == (True, b"12345", None)
    assert "dictionary changed size" in caplog.text
    NUMBERS.clear()
