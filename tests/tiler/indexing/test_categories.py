"""Each event of a run has its own category: blocks, files, begins and ends, whatever is called alike."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter, defaultdict
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, Reading, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool, values_of

REAL = [
    "kineto/nccl_data.json.gz",
    "kineto/ns_resolution.pt.trace.json.gz",
    "kineto/h100_gpt_stack.pt.trace.json.gz",
    "kineto/h100_two_ranks/worker0.1795750840553542999.pt.trace.json.gz",
]

Event = dict[str, Any]

categories = st.sampled_from([None, "", "cpu_op", "kernel", "Kernel", "a,b"])
events = st.lists(st.tuples(st.sampled_from("XXiPnbBC"), st.sampled_from("abc"), categories, categories), max_size=30)


def written(ph: str, name: str, cat: str | None, ts: int, **more: object) -> Event:
    return {"ph": ph, "name": name, "pid": 1, "tid": 1, "ts": ts, **more} | ({} if cat is None else {"cat": cat})


def trace(of: list[tuple[str, str, str | None, str | None]]) -> tuple[list[Event], Counter[tuple[str, str, int]]]:
    """Events one after the other, and what each is: name, category, start in µs."""
    texts: list[Event] = []
    expected: Counter[tuple[str, str, int]] = Counter()
    for k, (ph, name, cat, other) in enumerate(of):
        ts, its_own = 10 * k, cat or ""
        match ph:
            case "X":
                texts.append(written(ph, name, cat, ts, dur=5))
            case "B":
                texts += [written("B", name, cat, ts), written("E", name, other, ts + 5)]
                its_own = cat or other or ""
            case "b":
                texts += [written(each, name, cat, ts + 5 * (each == "e"), id=k) for each in "be"]
            case "C":
                texts.append(written(ph, name, cat, ts, args={"value": 1}))
                continue
            case _:
                texts.append(written(ph, name, cat, ts, id=k))
        expected[name, its_own, ts] += 1
    return texts, expected


def indexed(folder: Path, files: list[list[Event]]) -> Counter[tuple[str, str, int]]:
    """What the store has: name, category, start in µs since the epoch."""
    paths = []
    for number, each in enumerate(files):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps(each))
    build_store(paths, folder / "store")
    found: Counter[tuple[str, str, int]] = Counter()
    with closing(open_run_store(folder / "store")) as store:
        reader = QueryReader(store)
        tick_ps, origin = (int(store.manifest()[key]) for key in ("tick_ps", "origin_ns"))
        for track in reader.tree.leaves(None):
            if reader.tree.tracks[track].kind == "counter":
                continue
            plan = reader.plan(track, EVERYTHING)
            for some in Reading(reader).events(plan, plan.leaf_runs):
                for name, start in zip(some.name.tolist(), some.start.tolist(), strict=True):
                    at = (start * tick_ps + origin * 1000) // 1_000_000
                    found[reader.names[name].text, reader.names[name].category, at] += 1
    return found


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(events, min_size=1, max_size=3))
def test_random_events_of_several_files(files: list[list[tuple[str, str, str | None, str | None]]]) -> None:
    parts = [trace(of) for of in files]
    if not any(expected for _, expected in parts):
        return
    with tempfile.TemporaryDirectory() as folder:
        found = indexed(Path(folder), [texts for texts, _ in parts])
    assert found == sum((expected for _, expected in parts), Counter())


def test_blocks_that_are_read_side_by_side(tmp_path: Path) -> None:
    """Of a file of many blocks: names that are new in one have other categories in the next."""
    categories = ("cpu_op", "kernel", None, "")
    events: list[tuple[str, str, str | None, str | None]] = [
        ("X", "abc"[k % 3], categories[k // 7000 % 4], None) for k in range(60_000)
    ]
    texts, expected = trace(events)
    assert len(json.dumps(texts)) > 4 << 20
    assert indexed(tmp_path, [texts]) == expected


def test_ends_of_another_category_are_told(tmp_path: Path) -> None:
    texts, _ = trace([("B", "a", "x", "y"), ("B", "a", "x", None), ("B", "a", None, "y"), ("B", "b", "x", "x")])
    (tmp_path / "trace.json").write_text(json.dumps(texts))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        assert store.manifest()["warnings"] == [
            "1 slice ends under another category than it began with: it has that of its begin"
        ]


@pytest.mark.parametrize("name", REAL)
def test_real_traces(name: str, tmp_path: Path) -> None:
    """Counts and times by category, against Python's own reader of JSON."""
    path = corpus_path(name)
    count: Counter[str] = Counter()
    time: defaultdict[str, Decimal] = defaultdict(Decimal)
    for event in json.loads(gzip.decompress(path.read_bytes()), parse_float=Decimal)["traceEvents"]:
        assert event["ph"] in "XiMsftC"
        if event["ph"] in "Xi":
            count[event.get("cat", "")] += 1
            time[event.get("cat", "")] += Decimal(event.get("dur", 0))
    build_store([path], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        tick_us = Decimal(store.manifest()["tick_ps"]) / 1_000_000
        question = from_values(tool("stats").question, {"by": "category"})
        (table,) = finish(ask(tool("stats"), Scope(reader), question)).tables
        columns = {column.id: values_of(column) for column in table.columns}
        assert dict(zip(columns["category"], columns["count"], strict=True)) == count
        assert {
            of: Decimal(str(busy)) * tick_us for of, busy in zip(columns["category"], columns["busy"], strict=True)
        } == time
