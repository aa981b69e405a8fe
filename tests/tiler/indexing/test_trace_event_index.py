"""Trace-event JSON, indexed: pairs, arguments and remarks come out of the store as they are in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.store.run_store import RunStore, open_run_store


def index(tmp_path: Path, trace: Path) -> RunStore:
    build_store([trace], tmp_path / "store")
    return open_run_store(tmp_path / "store")


def index_events(tmp_path: Path, events: list[dict[str, Any]]) -> RunStore:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps(events))
    return index(tmp_path, trace)


def test_a_pair_has_the_arguments_of_both_ends(tmp_path: Path) -> None:
    thread = {"pid": 1, "tid": 2, "name": "a", "cat": "c"}
    store = index_events(
        tmp_path, [thread | {"ph": "B", "ts": 1, "args": {"x": 1}}, thread | {"ph": "E", "ts": 4, "args": {"y": 2}}]
    )
    event = next(event for track in (0, 1) if (event := event_details(store, track, 0)) is not None)
    assert (event["name"], event["duration"]) == ("a", "3000")
    assert [(one["name"], one["value"]) for one in event["args"]] == [("x", 1), ("y", 2)]
    store.close()


def test_async_slices_may_overlap(tmp_path: Path) -> None:
    events = [
        {"ph": ph, "ts": ts, "id": key, "cat": "c", "name": "n", "pid": 1}
        for ph, ts, key in [("b", 1, 1), ("b", 2, 2), ("e", 3, 1), ("e", 4, 2)]
    ]
    store = index_events(tmp_path, events)
    assert store.manifest()["warnings"] == []
    assert store.manifest()["events"]["async_slices"] == "2"
    store.close()


def test_remarks_on_pairs(tmp_path: Path) -> None:
    events = [
        {"ph": ph, "ts": ts, "name": name, "pid": 1, "tid": 2}
        for ph, ts, name in [("E", 0, "x"), ("B", 1, "a"), ("E", 2, "b"), ("B", 3, "c")]
    ]
    store = index_events(tmp_path, events)
    assert store.manifest()["ignored"] == {"end_without_begin": "1"}
    assert len(store.manifest()["warnings"]) == 2
    store.close()


@pytest.mark.parametrize("name", ["kineto/ns_resolution.pt.trace.json.gz", "chrome/x_event_trace.json"])
def test_no_slice_of_a_real_trace_overlaps(name: str, tmp_path: Path) -> None:
    store = index(tmp_path, corpus_path(name))
    assert store.manifest()["warnings"] == []
    store.close()
