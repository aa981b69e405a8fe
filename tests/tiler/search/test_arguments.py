"""Searches by arguments, against all arguments one event after the other."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, ArgumentReader, QueryReader, finish
from tilescope.tiler.search import hits as hits_module
from tilescope.tiler.search.arguments import _compared, holds
from tilescope.tiler.search.hits import page_of_hits
from tilescope.tiler.search.language import Argument, Query, parse
from tilescope.tiler.search.selection import select
from tilescope.tiler.search.totals import totals
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.windows import everywhere

Place = tuple[int, int]


def all_events(store: RunStore, reader: QueryReader) -> Iterator[tuple[Place, list[tuple[str, object]]]]:
    for track in reader.tree.leaves(None):
        ordinals = range(reader.tree.tracks[track].events)
        for ordinal, arguments in zip(ordinals, ArgumentReader(store).decoded(track, ordinals), strict=True):
            yield (track, ordinal), arguments


def found_by(reader: QueryReader, query: Query) -> list[Place]:
    selection = finish(select(reader, query, reader.tree.leaves(None)))
    hits = finish(page_of_hits(reader, selection, everywhere(EVERYTHING), 10**6)).hits
    sums = finish(totals(reader, selection, everywhere(EVERYTHING)))
    assert int(sums.count.sum()) == len(hits)
    assert int(sums.busy.sum()) == int(hits.duration.sum())
    return sorted(zip(hits.track.tolist(), hits.ordinal.tolist(), strict=True))


def assert_found(store: RunStore, queries: list[str]) -> None:
    reader = QueryReader(store)
    events = list(all_events(store, reader))
    some = 0
    for text in queries:
        query = parse(text)
        wanted = [
            place
            for place, arguments in events
            if all(
                any(name == argument.key and holds(argument, value) for name, value in arguments)
                for argument in query.arguments
            )
        ]
        assert found_by(reader, query) == wanted, text
        some += 0 < len(wanted) < len(events)
    assert some > len(queries) // 3


def queries_of(store: RunStore) -> list[str]:
    """A query for a value of each argument, and bounds for numbers."""
    queries: dict[str, None] = {}
    for k, (_, arguments) in enumerate(all_events(store, QueryReader(store))):
        for name, value in arguments if k % 97 == 0 else ():
            if isinstance(value, int | float | str) and len(str(value)) < 80 and '"' not in f"{name}{value}":
                quoted = str(value).replace("\\", "\\\\")
                queries.setdefault(f'arg:"{name}"="{quoted}"')
                if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                    queries.setdefault(f'arg:"{name}">{value}')
                    queries.setdefault(f'arg:"{name}"<={value}')
    return list(queries)[:: max(1, len(queries) // 25)]


def test_synthetic_xspace(tmp_path: Path) -> None:
    write_synthetic_trace(tmp_path / "t.xplane.pb", format="xspace", events=3000, tracks=8, seed=3)
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert_found(store, [*queries_of(store), "arg:nothing=1"])
    store.close()


def test_json(tmp_path: Path) -> None:
    values: list[object] = [7, 7.5, "7", "a b", 'say "x"\\', "é", True, None, [1], {"a": 1}, 2**70, -3]
    events = [
        {"ph": "X", "name": f"op {k % 3}", "pid": 1, "tid": k % 2, "ts": 10 * k, "dur": 5, "args": {"v": value, "k": k}}
        for k, value in enumerate(values * 20)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": [*events, {**events[0], "args": {}}]}))
    build_store([tmp_path / "t.json"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    queries = ["arg:v=7", 'arg:v="a b"', r'arg:v="say \"x\"\\"', "arg:v=é", "arg:v=true", "arg:v=null", "arg:v>7"]
    queries += ["arg:v<0 arg:k>100", "arg:v>=1180591620717411303424", "arg:k=17", "arg:V=7"]
    assert_found(store, queries)
    store.close()


def test_a_search_among_many_arguments_answers_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hits_module, "_FEWEST_LEAVES", 1)
    write_synthetic_trace(tmp_path / "t.xplane.pb", format="xspace", events=20_000, tracks=4, seed=3)
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    selection = finish(select(reader, parse("arg:flops>0"), reader.tree.leaves(None)))
    for backward in (False, True):
        whole = finish(page_of_hits(reader, selection, everywhere(EVERYTHING), 10**6, backward=backward)).hits
        places, after, parts = [], None, 0
        while parts == 0 or after is not None:
            page = finish(
                page_of_hits(reader, selection, everywhere(EVERYTHING), 7000, after, backward=backward, examined=1000)
            )
            places += [page.hits.place(k) for k in range(len(page.hits))]
            after = page.more
            parts += 1
        assert parts > 5
        assert len(places) > 1000
        assert places == [whole.place(k) for k in range(len(whole))]
    store.close()


@given(
    st.sampled_from([np.int64, np.uint64, np.float64]),
    st.lists(st.integers(-(2**63), 2**64 - 1) | st.integers(-3, 3), min_size=1, max_size=5),
    st.sampled_from(["=", ">", ">=", "<", "<="]),
    st.fractions(-4, 4) | st.integers(-(2**65), 2**65).map(Fraction),
)
def test_numbers_are_compared_exactly(kind: type, values: list[int], comparison: str, wanted: Fraction) -> None:
    if kind is not np.float64:
        info = np.iinfo(kind)
        values = [value for value in values if info.min <= value <= info.max]
    column: np.ndarray[Any, Any] = np.array(values, kind)
    exact = [Fraction(str(value)) for value in column.tolist()]
    compare = {"=": "__eq__", ">": "__gt__", ">=": "__ge__", "<": "__lt__", "<=": "__le__"}[comparison]
    assert _compared(column, comparison, wanted).tolist() == [getattr(value, compare)(wanted) for value in exact]  # type: ignore[arg-type]


def test_texts_that_are_numbers_are_compared_as_such() -> None:
    assert holds(Argument("a", "=", "1e3"), 1000)
    assert holds(Argument("a", ">", "1"), "2")
    assert not holds(Argument("a", ">", "1"), "two")
    assert holds(Argument("a", "=", "True"), "True")
    assert not holds(Argument("a", "=", "1"), True)
