"""Answers while caches lose entries at any moment: they stay the same, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.client.tool_questions import Material, Values, questions
from tests.run_kinds import RUN_KINDS, build_run_kinds
from tilescope.tiler.caches import CACHES, CacheRegistry
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.tools import Answer, BuildRef, Scope, answer_json, ask, from_values, references, tool, tools

pytestmark = pytest.mark.slow

EVERYTHING: Final = 12
EVERY: Final = 6  # of the questions that can be made of a tool's description, so many at even distances


@dataclass(frozen=True)
class Run:
    """An open store, questions about it, and their answers from a reader that has answered nothing before."""

    store: RunStore
    answers: Mapping[tuple[str, str], bytes]

    @property
    def questions(self) -> list[tuple[str, str]]:
        return list(self.answers)


def begin(name: str, values: Values, reader: QueryReader) -> Interruptible[Answer]:
    question = from_values(tool(name).question, values)
    others = dict.fromkeys(references(question, BuildRef).values(), reader)
    return (yield from ask(tool(name), Scope(reader, others), question))


def answered(answering: list[Interruptible[Answer]]) -> list[bytes]:
    """The answers of several questions, which take turns; an error in place of one."""
    answers: dict[int, bytes] = {}
    while len(answers) < len(answering):
        for place, steps in enumerate(answering):
            if place not in answers:
                try:
                    next(steps)
                except StopIteration as end:
                    answers[place] = answer_json.encode(end.value)
                except TilescopeError as error:
                    answers[place] = repr(error).encode()
    return [answers[place] for place in range(len(answering))]


def asked_of(reader: QueryReader) -> Iterator[tuple[str, Values]]:
    for name, each in tools().items():
        try:
            every = list(questions(each, Material(reader, ["run/build"])))
        except LookupError:  # a question names a step, and there is none
            continue
        yield from ((name, values) for values in islice(every, 0, None, max(1, len(every) // EVERY)))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Run]]:
    opened: dict[str, Run] = {}
    for kind, path in build_run_kinds(tmp_path_factory.mktemp("runs")).items():
        store = open_run_store(path)
        answers = {
            (name, json.dumps(values)): answered([begin(name, values, QueryReader(store))])[0]
            for name, values in asked_of(QueryReader(store))
        }
        opened[kind] = Run(store, answers)
    yield opened
    for run in opened.values():
        run.store.close()


@pytest.fixture
def evict_before_lookups(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[int]], None]:
    """Has entries dropped before each look into a cache: so many, in turn; `EVERYTHING`: pages and results too."""
    lookup = CacheRegistry.lookup

    def evict(counts: list[int]) -> None:
        turns = cycle(counts)

        def lookup_after_eviction(registry: CacheRegistry, *arguments: Any) -> Any:
            count = next(turns)
            registry.clear() if count == EVERYTHING else registry.evict(count)
            return lookup(registry, *arguments)

        monkeypatch.setattr(CacheRegistry, "lookup", lookup_after_eviction)

    return evict


@pytest.mark.parametrize("kind", RUN_KINDS)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_answers_are_the_same_whatever_is_evicted(
    runs: Mapping[str, Run], evict_before_lookups: Callable[[list[int]], None], kind: str, data: st.DataObject
) -> None:
    run = runs[kind]
    drawn = data.draw(st.lists(st.sampled_from(run.questions), min_size=2, max_size=4))
    evict_before_lookups(data.draw(st.lists(st.integers(0, EVERYTHING), min_size=1, max_size=30)))
    reader = QueryReader(run.store)
    answers = answered([begin(name, json.loads(text), reader) for name, text in drawn])
    assert dict(zip(drawn, answers, strict=True)) == {key: run.answers[key] for key in drawn}


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_two_threads_that_share_a_run_get_the_same_answers(
    runs: Mapping[str, Run], evict_before_lookups: Callable[[list[int]], None], kind: str
) -> None:
    run = runs[kind]
    evict_before_lookups([0, 3, 0, 0, 1, EVERYTHING, 0])
    reader = QueryReader(run.store)

    def answers(drawn: list[tuple[str, str]]) -> list[bytes]:
        return [answered([begin(name, json.loads(text), reader)])[0] for name, text in drawn]

    halves = [run.questions, run.questions[::-1]]
    with ThreadPoolExecutor(2) as threads:
        for half, half_answers in zip(halves, threads.map(answers, halves), strict=True):
            assert dict(zip(half, half_answers, strict=True)) == run.answers


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_answers_are_the_same_without_room_for_anything(
    runs: Mapping[str, Run], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(CACHES, "limit_bytes", 0)
    reader = QueryReader(runs[kind].store)
    for (name, text), answer in runs[kind].answers.items():
        assert answered([begin(name, json.loads(text), reader)]) == [answer], (name, text)
    assert sum(cache.entries for cache in CACHES.sizes()) == 0
