"""Kinds of places that have the words of a search: each is what its own query finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.search import kinds


def answer_of(reader: QueryReader, **values: Any) -> Answer:
    search = tool("search")
    return finish(ask(search, Scope(reader), from_values(search.question, {"limit": 0, **values})))


@pytest.fixture(scope="module", params=["json", "xspace"])
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    folder = tmp_path_factory.mktemp("kinds")
    if request.param == "json":
        trace = corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")
    else:
        trace = folder / "t.xplane.pb"
        write_synthetic_trace(trace, format="xspace", events=2000, tracks=6, seed=3)
    build_store([trace], folder / "store")
    store = open_run_store(folder / "store")
    yield QueryReader(store)
    store.close()


@pytest.mark.parametrize("words", ["fusion", "cuda", "forward", "py", "TPU", "stream 7", "a e"])
@pytest.mark.parametrize("is_part", [False, True])
def test_each_query_finds_what_its_row_counts(reader: QueryReader, words: str, is_part: bool) -> None:
    span = {"start": reader.end // 3, "end": reader.end // 2} if is_part else {}
    table = answer_of(reader, query=words, kinds=True, totals=False, **span).table("kinds")
    for query, events in zip(*(values_of(table.column(name)) for name in ("query", "events")), strict=True):
        assert answer_of(reader, query=query, **span).facts[1].value == events, query


def test_other_queries_have_none(reader: QueryReader) -> None:
    answer = answer_of(reader, query="dur>1ns a", kinds=True)
    assert not len(values_of(answer.table("kinds").column("query")))
    assert "plain words" in " ".join(note.text for note in answer.notes)


def test_hostile_names_of_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that no query can say have none; no more are listed than there is room for, and a note says so."""
    monkeypatch.setattr(kinds, "MAX_ARGUMENTS", 5)
    names = ["", 'q"\\ >x', "k" * 600, *"abcd"]
    event = {"ph": "X", "dur": 5, "pid": 1, "tid": 1, "name": "op"}
    events = [{**event, "ts": 10 * k, "args": dict.fromkeys(names[: k + 1], "needle")} for k in range(len(names))]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    answer = answer_of(QueryReader(store), query="needle", kinds=True)
    table = answer.table("kinds")
    queries = dict(zip(*(values_of(table.column(name)) for name in ("argument", "query")), strict=True))
    assert [name for name, query in queries.items() if not query] == ["", "k" * 600]
    assert list(queries) == names[:5]
    assert "7 arguments" in " ".join(note.text for note in answer.notes)
    for name in (names[1], "a"):
        assert answer_of(QueryReader(store), query=queries[name]).facts[1].value == 7 - names.index(name)
    store.close()
