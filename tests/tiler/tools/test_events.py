"""Events as columns, against the same events one after the other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilescope
from tests.corpus import corpus_path
from tests.example import Example
from tests.examples import examples
from tilescope.client import event_columns
from tilescope.tiler.details.values import Values, first_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import EVENT_KINDS, QueryReader, finish
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.tools import Answer, Scope, answer_json, arrow, ask, from_values, tool, values_of
from tilescope.tiler.tools.argument_names import names_in, text_of_names
from tilescope.tiler.tools.value_column import ValueColumn

pytestmark = pytest.mark.slow

VALUES = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([-(2**63), 2**63 - 1, 2**63, 2**64 - 1, 2**70, 2**53 + 1]),
    st.sampled_from([0.5, 1.0, -2.25, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "7", "é"]),
    st.booleans(),
    st.none(),
    st.sampled_from([[1, "a"], {"b": None}]),
)


def ask_events(reader: QueryReader, **values: Any) -> Answer:
    asked = tool("events")
    return finish(ask(asked, Scope(reader), from_values(asked.question, values)))


def coded(values: Sequence[object]) -> Values:
    found = Values(np.zeros(len(values), np.uint8), np.zeros(len(values), np.int64))
    found.put(range(len(values)), values)
    return found


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def typed(values: Sequence[object]) -> list[object]:
    """What docs/search.md says of the type of an argument."""
    there = [None if isinstance(v, float) and (v != v or abs(v) == float("inf")) else v for v in values]
    known = [v for v in there if v is not None]
    if all(is_whole(v) for v in known) or all(isinstance(v, bool) for v in known):
        return there
    if all(isinstance(v, float) or (isinstance(v, int) and is_whole(v) and abs(v) <= 2**53) for v in known):
        return [None if v is None else float(v) for v in there]  # type: ignore[arg-type]
    whole = [int(v) if isinstance(v, float) and v.is_integer() else v for v in there]
    return [v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in whole]


@given(st.lists(st.lists(VALUES, max_size=6), min_size=1, max_size=3))
def test_an_argument_has_one_type(parts: list[list[object]]) -> None:
    gathered = ValueColumn()
    for part in parts:
        gathered.add(coded(part))
    column = gathered.column("args.a", "a")
    expected = typed([value for part in parts for value in part])
    found = [None if value != value else value for value in values_of(column)]
    assert [(type(v), v) for v in found] == [(type(v), v) for v in expected]
    again = ValueColumn()
    again.add_column(column)
    assert values_of(again.column("args.a", "a")) == pytest.approx(values_of(column), nan_ok=True) or found == expected


def test_names_of_columns() -> None:
    names = ["start", "args.a,b", 'args.a "quoted" name', "args. x"]
    assert names_in(text_of_names(names), ["start"], "columns") == names
    for text in ("", "flops", "start,start", "args.", "args.a\x01", ",".join(f"args.{k}" for k in range(65)), '"a'):
        with pytest.raises(UsageError, match="columns"):
            names_in(text, ["start"], "columns")


@settings(max_examples=examples(40), deadline=None)
@given(
    start=st.integers(0, 4_100_000),
    length=st.integers(0, 2_000_000),
    tracks=st.none() | st.lists(st.integers(0, 5), min_size=1, max_size=3),
    limit=st.sampled_from([1, 700, 100_000]),
)
def test_pages_are_the_events_of_a_span(
    example: Example, start: int, length: int, tracks: list[int] | None, limit: int
) -> None:
    told = example.reader.tree.tracks
    (counter,) = (track.id for track in told if track.kind == "counter")
    leaves = example.reader.tree.leaves(tracks, EVENT_KINDS)
    expected = sorted(
        (track, event.start, event.duration)
        for event in example.events
        if event.overlaps(start, start + length)
        and (track := example.track(event.track) if event.value is None else counter) in leaves
    )
    rows: list[tuple[Any, ...]] = []
    after = None
    places: list[tuple[Any, ...]] = []
    for _ in range(3 if limit == 1 else 10**6):
        span = {"start": start, "end": start + length, "tracks": tracks}
        answer = ask_events(
            example.reader, **span, limit=limit, after=after, columns="track,ordinal,start,duration"
        ).table("events")
        listed, ordinal, first, duration = (values_of(column) for column in answer.columns)
        rows += zip(listed, first, duration, strict=True)
        places += zip(listed, ordinal, strict=True)
        after = answer.more
        if after is None:
            break
    assert places == sorted(set(places))
    if after is None:
        assert sorted(rows) == expected
    else:
        assert len(rows) == 3


def assert_like_events(store: RunStore, where: str | None, name: str | None) -> int:
    """All columns of a store against its events one by one; returns how many arguments were compared."""
    reader = QueryReader(store)
    plain = ask_events(reader, where=where, name=name, columns="track,ordinal", limit=200_000).table("events")
    places = list(zip(*(values_of(column) for column in plain.columns), strict=True))
    assert places == sorted(set(places))
    shown = places[:: max(1, len(places) // 150)]
    events = {place: event_details(store, *place) for place in shown}
    keys = sorted({a["name"] for event in events.values() for a in (event or {})["args"]})[:30]
    keys = [key for key in keys if key.isprintable() and len(key) < 200]
    columns = ["start", "duration", "end", "name", "row", *(f"args.{key}" for key in keys)]
    table = ask_events(reader, where=where, name=name, columns=text_of_names(columns), limit=200_000).table("events")
    in_arrow = arrow.read_stream(arrow.ipc_stream(table), "events")
    in_json = answer_json.decode(answer_json.encode(Answer(tables=[table]))).table("events")
    for column in table.columns:
        values = [None if value != value else value for value in values_of(column)]
        for other in (in_arrow, in_json):
            assert [None if v != v else v for v in values_of(other.column(column.id))] == values
    row_of = {place: k for k, place in enumerate(places)}
    by_name = {column.id: values_of(column) for column in table.columns}
    compared = 0
    for place, event in events.items():
        assert event is not None
        row = row_of[place]
        assert str(by_name["start"][row]) == event["start"]
        assert str(by_name["duration"][row]) == event["duration"]
        assert (by_name["name"][row], by_name["row"][row]) == (event["name"], event["row"])
        told = [(a["name"], a["value"]) for a in event["args"]]
        for key in keys:
            value, found = first_of(told, key)[0], by_name[f"args.{key}"][row]
            compared += value is not None
            if isinstance(found, str) and not isinstance(value, str):
                assert found == json.dumps(value, ensure_ascii=False)
            elif isinstance(value, str) and not isinstance(found, str):  # beyond what JSON holds
                assert found is None or found != found or str(found) == value
            else:
                assert found == value or (value is None and found != found), (key, place)
    return compared


@pytest.mark.parametrize(
    ("file", "where", "name"),
    [
        ("kineto/nccl_data.json.gz", None, None),
        ("kineto/resnet50_workers4.pt.trace.json.gz", "arg:stream>=0 dur>10us", None),
        ("xplane/jax_cpu_pytracer_400steps.xplane.pb", None, None),
    ],
)
def test_real_traces(tmp_path: Path, file: str, where: str | None, name: str | None) -> None:
    build_store([corpus_path(file)], tmp_path / "s")
    store = open_run_store(tmp_path / "s")
    assert assert_like_events(store, where, name) > 100
    store.close()


def test_the_client_joins_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[object] = [1, 2**60 + 1, None, 4, 5, 6, 7, 8.5, 9, "x"]
    events = [
        {"ph": "X", "name": f"op {k % 2}", "pid": 1, "tid": 1, "ts": 10 * k, "dur": 5, "args": {"v": value, "k": k}}
        for k, value in enumerate(values)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "t.store")
    monkeypatch.setattr(event_columns, "_AT_ONCE", 3)
    with tilescope.connect(tmp_path / "t.store") as client:
        run = client.run()
        table = run.events(columns=["args.v", "args.k", "args.none", "name"])
        assert table["args.v"].tolist() == ["1", str(2**60 + 1), None, "4", "5", "6", "7", "8.5", "9", "x"]
        assert table["args.k"].tolist() == list(range(10))
        assert table["args.none"].tolist() == [None] * 10
        whole = run.events(columns=["args.v", "start"], limit=5)
        assert whole["args.v"].tolist() == [1, 2**60 + 1, None, 4, 5]
        assert str(whole.to_pandas()["args.v"].dtype) == "Int64"
        assert whole.to_arrow()["args.v"].to_pylist() == whole["args.v"].tolist()
        assert run.events(name="op 1", where="arg:k>2")["start"].tolist() == [30_000, 50_000, 70_000, 90_000]
        assert run.events(where="arg:k>2", limit=2).columns == run.events(limit=1).columns
        batches = list(run.event_batches(columns=["args.k"]))
        assert [len(batch) for batch in batches] == [3, 3, 3, 1]
        with pytest.raises(UsageError, match="columns"):
            run.events(columns=["flops"])
