"""An exported file, read again, has the very events, arguments and flows of the store that it was made of."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilescope
from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.json_traces import busy_events, write_trace
from tilescope.client.sync import Run
from tilescope.tiler.details import Arguments
from tilescope.tiler.errors import UsageError
from tilescope.tiler.export import Cursor, ExportQuestion, made_events, next_piece, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.arguments import argument_decoder
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.flow_ends import flow_ends
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import Store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.tools import Tracks

pytestmark = pytest.mark.slow

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


def args_of(run: Run, among: Container[tuple[Any, ...]] | None = None) -> dict[tuple[Any, ...], str]:
    """Of events that are alone with their name and time: the ones that are among these, or of the first 300."""
    events = list(run.events())
    alone = Counter((event["name"], event["start"]) for event in events)
    keys = [(event["name"], run.origin_ns * 1000 + event["start"] * run.tick_ps) for event in events]
    return {
        key: json.dumps(details.args)
        for k, (key, event) in enumerate(zip(keys, events, strict=True))
        if (k < 300 if among is None else key in among)
        and alone[event["name"], event["start"]] == 1
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
    before = args_of(run)
    after = args_of(again, before)
    assert len(before) > 2
    for event, args in before.items():
        assert json.loads(after[event]) == json.loads(args)


def test_a_span_has_what_overlaps_it_whole(original: Path, tmp_path: Path) -> None:
    run = tilescope.connect(original).run()
    start, end = run.end // 4, run.end // 2
    some = [track.id for track in run.tracks() if track.kind == "slice"][:20]
    again = read_again(exported(original, start=start, end=end, tracks=Tracks.from_numbers(some)), tmp_path)
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


# Short times, so that slices overlap, touch and begin together, and flows lie at their borders.
TIME = st.integers(0, 12)
SLICE = st.tuples(st.integers(1, 3), TIME, st.integers(0, 8))
FLOW = st.tuples(*[st.tuples(st.integers(1, 3), TIME)] * 2, st.booleans())
SPAN = st.tuples(TIME, st.integers(1, 12))


def traced(slices: list[tuple[int, int, int]], flows: list[tuple[Any, Any, bool]]) -> Iterator[dict[str, Any]]:
    for number, (tid, start, duration) in enumerate(slices):
        told = {"name": f"slice {number}", "args": {"number": number, "of": [tid, {"at": start}]}}
        yield told | {"ph": "X", "pid": 1, "tid": tid, "ts": start, "dur": duration}
    for number, ((from_tid, leaves), (to_tid, arrives), encloses) in enumerate(flows):
        flow = {"name": "go", "cat": "f", "id": number, "pid": 1}
        yield flow | {"ph": "s", "tid": from_tid, "ts": leaves}
        yield flow | {"ph": "f", "tid": to_tid, "ts": arrives} | ({"bp": "e"} if encloses else {})


def slices_of(run: Run, span: range | None = None, tracks: list[int] | None = None) -> dict[str, tuple[Any, ...]]:
    """By name: time in ns, arguments."""
    found = {}
    for event in run.events() if span is None else run.events(span.start, span.stop, tracks=tracks):
        start = run.origin_ns + event["start"] * run.tick_ps // 1000
        args = run.event(event["track"], event["ordinal"]).args
        found[event["name"]] = start, event["duration"] * run.tick_ps // 1000, json.dumps(args)
    return found


def flows_of(store: Path, there: Callable[[int, int], bool]) -> Counter[tuple[Any, ...]]:
    """Name and time of both ends of the flows between tracks and at ticks that are `there`."""
    opened = open_run_store(store)
    reader = QueryReader(opened)
    found: Counter[tuple[Any, ...]] = Counter()
    origin_ps, tick_ps = int(opened.manifest()["origin_ns"]) * 1000, int(opened.manifest()["tick_ps"])
    for track, told in enumerate(reader.tree.tracks):
        for ends in flow_ends(opened, track) if told.kind == "slice" else ():
            for k in np.flatnonzero(ends.incoming == 0).tolist():
                tick, partner, arrives = int(ends.tick[k]), int(ends.partner_track[k]), int(ends.partner_tick[k])
                events = [
                    event_details(opened, track, int(ends.ordinal[k])),
                    event_details(opened, partner, int(ends.partner_ordinal[k])),
                ]
                names = [event["name"] for event in events if event is not None]
                if there(track, tick) and there(partner, arrives):
                    found[(*names, origin_ps + tick * tick_ps, origin_ps + arrives * tick_ps)] += 1
    opened.close()
    return found


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(SLICE, min_size=1, max_size=14), st.lists(FLOW, max_size=10), SPAN, st.booleans())
def test_any_part_of_any_trace_has_the_same_events_arguments_and_flows(
    slices: list[tuple[int, int, int]], flows: list[Any], span: tuple[int, int], of_some: bool
) -> None:
    with TemporaryDirectory() as folder:
        store = Path(folder, "store")
        build_store([write_trace(Path(folder, "trace.json"), list(traced(slices, flows)))], store)
        run = tilescope.connect(store).run()
        us = 10**6 // run.tick_ps
        ticks = range(span[0] * us, (span[0] + span[1]) * us)
        tracks = [track.id for track in run.tracks() if track.kind == "slice"]
        some = tracks[1:] if of_some and len(tracks) > 1 else tracks
        if not ticks or ticks.start > run.end:
            with pytest.raises(UsageError, match="the span is outside of the run"):
                exported(store, start=ticks.start, end=ticks.stop, tracks=Tracks.from_numbers(some))
            return
        data = exported(store, start=ticks.start, end=ticks.stop, tracks=Tracks.from_numbers(some))
        expected = slices_of(run, ticks, some)
        starts = {name: start for name, (start, *_) in expected.items()}
        wanted = flows_of(store, lambda track, tick: track in some and tick in ticks)
        wanted = Counter({flow: n for flow, n in wanted.items() if flow[0] in starts and flow[1] in starts})
        marks = [event["ph"] for event in json.loads(data)["traceEvents"] if event["ph"] in "sf"]
        assert sorted(marks) == sorted("sf" * wanted.total())
        if not expected:
            return
        again = read_again(data, Path(folder))
        assert slices_of(again) == expected
        assert {what for what, count in again.manifest["flows"].items() if count != "0"} <= {"edges"}
        assert flows_of(Path(folder, "again.store"), lambda *_: True) == wanted


def test_the_decoder_of_arguments_is_looked_up_once_for_each_track(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_synthetic_trace(tmp_path / "trace.pb", format="xspace", events=400, tracks=5, seed=1)
    build_store([tmp_path / "trace.pb"], tmp_path / "store")
    looked_up: list[int] = []

    def noted(store: Store, file: int) -> Callable[[bytes], Arguments]:
        looked_up.append(file)
        return argument_decoder(store, file)

    monkeypatch.setattr(made_events, "argument_decoder", noted)
    events = json.loads(exported(tmp_path / "store"))["traceEvents"]
    tracks = {(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}
    assert 1 < len(looked_up) <= len(tracks) < len(events)


def test_what_travels_with_a_piece_is_small(tmp_path: Path) -> None:
    """Also where slices overlap only in part, with flows; they stay on the thread that they had."""
    rounds = 1500
    events = []
    for k in range(rounds):
        at = {"pid": 1, "tid": 1, "ts": 10 * k}
        events += [
            {"ph": "X", "name": "under", "dur": 6} | at,
            {"ph": "X", "name": "over", "dur": 8} | at | {"ts": 10 * k + 3},
        ]
        flow = {"name": "go", "cat": "f", "id": k, "pid": 1, "tid": 1}
        events += [flow | {"ph": "s", "ts": 10 * k + 9}, flow | {"ph": "f", "bp": "e", "ts": 10 * (rounds - k) - 6}]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    opened = open_run_store(tmp_path / "store")
    piece, cursor = finish(next_piece(QueryReader(opened), ExportQuestion(), None, 100_000))
    while cursor is not None:
        assert len(pickle.dumps(cursor)) < 1000
        last, cursor = finish(next_piece(QueryReader(opened), ExportQuestion(), cursor, 100_000))
        piece += last
    opened.close()
    written = json.loads(piece)["traceEvents"]
    assert Counter(event["ph"] for event in written) == Counter(X=2 * rounds, s=rounds, f=rounds)
    assert {event["tid"] for event in written} == {1}


def test_what_is_not_there_is_refused(original: Path) -> None:
    with pytest.raises(UsageError, match="track 99999 does not exist"):
        exported(original, tracks=Tracks.from_numbers([99999]))
