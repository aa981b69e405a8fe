"""An exported file, read again, has the very events, arguments and flows of the store that it was made of."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tilescope
from tests.corpus import corpus_path
from tests.tiler.json_traces import busy_events, write_trace
from tilescope.client.sync import Run
from tilescope.tiler.errors import UsageError
from tilescope.tiler.export import Cursor, ExportQuestion, next_piece, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Tracks

ODD = [
    {"ph": "X", "name": "outer", "pid": 1, "tid": 1, "ts": 1, "dur": 10.000001},
    {"ph": "X", "name": "longer", "pid": 1, "tid": 1, "ts": 5.5, "dur": 20, "args": {"a": 1, "b": [1 << 60, None]}},
    {"ph": "i", "s": "p", "name": "now", "pid": 1, "tid": 1, "ts": 3, "args": {"why": 'a "quote"\n'}},
    {"ph": "C", "name": "memory", "pid": 1, "ts": 2, "args": {"used": 1.5, "free": 7}},
    {"ph": "C", "name": "memory", "pid": 1, "ts": 9, "args": {"used": -3, "free": 1e300}},
    {"ph": "b", "cat": "io", "id": 7, "name": "read", "pid": 2, "tid": 4, "ts": 1, "args": {"n": 5}},
    {"ph": "e", "cat": "io", "id": 7, "name": "read", "pid": 2, "tid": 4, "ts": 30},
    {"ph": "s", "cat": "f", "id": 1, "name": "go", "pid": 1, "tid": 1, "ts": 6},
    {"ph": "f", "cat": "f", "id": 1, "name": "go", "pid": 2, "tid": 9, "ts": 40, "bp": "e"},
    {"ph": "X", "name": "täter ✓", "cat": "kernel", "pid": 2, "tid": 9, "ts": 40, "dur": 0},
]


def events_of(run: Run) -> Counter[tuple[Any, ...]]:
    """Kind, process, name or counter, category, and times in picoseconds since the epoch."""
    tracks = {track.id: track for track in run.tracks()}
    origin_ps = run.origin_ns * 1000
    found: Counter[tuple[Any, ...]] = Counter()
    for event in run.events():
        track = tracks[event["track"]]
        what = track.name if track.kind == "counter" else event["name"]
        # A begin and an end of an async slice are told apart by a category; where there was none, one is written.
        category = "async" if track.kind == "async" and not event["category"] else event["category"]
        start = origin_ps + event["start"] * run.tick_ps
        value = event["value"] if track.kind == "counter" else None
        found[track.kind, track.path[-1], what, category, start, event["duration"] * run.tick_ps, value] += 1
    return found


def args_of(run: Run, most: int) -> dict[tuple[Any, ...], str]:
    """Of events that are alone with their name and time."""
    events = list(run.events())
    alone = Counter((event["name"], event["start"]) for event in events)
    return {
        (event["name"], run.origin_ns * 1000 + event["start"] * run.tick_ps): json.dumps(details.args)
        for event in events[:most]
        if alone[event["name"], event["start"]] == 1
        and (details := run.event(event["track"], event["ordinal"])).kind == "slice"
    }


@pytest.fixture(params=["odd", "busy", "kineto/nccl_data.json.gz", "xplane/tpu_v6e_4core.xplane.pb"])
def original(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = {"odd": ODD, "busy": busy_events(3)}.get(request.param)
    trace = corpus_path(request.param) if made is None else write_trace(tmp_path / "trace.json", made)
    build_store([trace], tmp_path / "store")
    return tmp_path / "store"


def exported(store: Path, **asked: Any) -> bytes:
    opened = open_run_store(store)
    try:
        return b"".join(pieces(QueryReader(opened), ExportQuestion(**asked)))
    finally:
        opened.close()


def read_again(data: bytes, folder: Path) -> Run:
    trace = folder / "again.json"
    trace.write_bytes(data)
    return tilescope.connect(tilescope.index(trace, folder / "again.store", force=True)).run()


def test_everything_is_there_again(original: Path, tmp_path: Path) -> None:
    data = exported(original)
    json.loads(data)
    run, again = tilescope.connect(original).run(), read_again(data, tmp_path)
    assert events_of(again) == events_of(run)
    assert again.manifest["ignored"] == {}
    assert again.manifest["flows"]["edges"] == run.manifest["flows"]["edges"]
    before, after = args_of(run, 300), args_of(again, 10**6)
    assert len(before) > 2
    for event, args in before.items():
        told = [[one for one in json.loads(text) if one[0] != "cat"] for text in (after[event], args)]
        assert told[0] == told[1]


def test_a_span_has_what_overlaps_it_whole(original: Path, tmp_path: Path) -> None:
    run = tilescope.connect(original).run()
    start, end = run.end // 4, run.end // 2
    some = [track.id for track in run.tracks() if track.kind == "slice"][:20]
    again = read_again(exported(original, start=start, end=end, tracks=Tracks.of(some)), tmp_path)
    ticks = 0
    for event in run.events(start, end, tracks=some):
        ticks += event["duration"]
    assert again.manifest["events"]["slices"] == str(len(run.events(start, end, tracks=some)))
    assert sum(event["duration"] * again.tick_ps for event in again.events()) == ticks * run.tick_ps


def test_small_pieces_are_the_same_file(original: Path) -> None:
    whole = exported(original)
    opened = open_run_store(original)
    cursor: Cursor | None = None
    parts = []
    while True:
        piece, cursor = finish(next_piece(QueryReader(opened), ExportQuestion(), cursor, 1))
        parts.append(piece)
        if cursor is None:
            break
        cursor = pickle.loads(pickle.dumps(cursor))
    opened.close()
    assert len(parts) > 3
    assert b"".join(parts) == whole


def test_what_is_not_there_is_refused(original: Path) -> None:
    with pytest.raises(UsageError, match="track 99999 does not exist"):
        exported(original, tracks=Tracks.of([99999]))
