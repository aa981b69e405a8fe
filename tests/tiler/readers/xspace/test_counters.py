"""Lines of counters: which events become samples, of which tracks, and what is said of the rest."""

from __future__ import annotations

import json
import math
from pathlib import Path

from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.xspace_rows import ReadSpace, read
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import verify_store

VALUE, LOAD, TEXT, FLOW_TYPE, FLOW_ID, STEP = range(1, 7)
STATS = b"".join(
    w.stat_metadata(key, name) for key, name in enumerate(("counter_value", "load", "text", "_pt", "_p", "step_num"), 1)
)
NAMES = b"".join(w.event_metadata(key, f"metric {key}") for key in range(1, 100))


def stat(key: int, value: bytes) -> bytes:
    return w.message(4, w.number(1, key), value)


def event(name: int, offset_ps: int, *stats: bytes, duration_ps: int = 0) -> bytes:
    return w.message(4, w.number(1, name), w.number(2, offset_ps), w.number(3, duration_ps), *stats)


def line(*events: bytes, name: str = "_counters_", number: int = 7) -> bytes:
    return w.message(3, w.number(1, number), w.data(2, name), w.number(3, 1000), *events)


def trace_of(tmp_path: Path, *lines: bytes) -> Path:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(w.message(1, w.data(2, "/device:TPU:0"), NAMES, STATS, *lines))
    return path


def tracks_of(space: ReadSpace) -> list[tuple[str, str]]:
    """Names and kinds, in the order of the screen."""
    return [(t.name, t.kind.value) for t in sorted(space.summary.tracks, key=lambda track: track.sort_index)]


def test_each_series_is_a_track(tmp_path: Path) -> None:
    events = [
        event(2, 0, stat(VALUE, w.double(2, 0.5)), stat(TEXT, w.data(5, "a"))),
        event(1, 5, stat(VALUE, w.number(3, (1 << 64) - 1)), stat(LOAD, w.number(4, -(1 << 63)))),
        event(1, 9, stat(LOAD, w.number(4, 7)), stat(LOAD, w.number(4, 8))),
    ]
    space = read(trace_of(tmp_path, line(*events), line(event(3, 2), name="XLA Ops", number=1)))
    assert tracks_of(space) == [
        ("XLA Ops", "slice"),
        ("metric 1 · counter_value", "counter"),
        ("metric 1 · load", "counter"),
        ("metric 2", "counter"),
    ]
    found = [(space.summary.tracks[s.track].name, s.start_ps - 1_000_000, s.value, s.args) for s in space.samples]
    assert found == [
        ("metric 2", 0, 0.5, [("counter_value", 0.5), ("text", "a")]),
        ("metric 1 · counter_value", 5, 2.0**64, [("counter_value", (1 << 64) - 1), ("load", -(1 << 63))]),
        ("metric 1 · load", 5, -(2.0**63), []),
        ("metric 1 · load", 9, 8.0, [("load", 7), ("load", 8)]),
    ]
    counts = space.summary.counts
    assert (counts.total, counts.slices, counts.counter_samples) == (4, 1, 3)
    assert (space.summary.ignored, space.summary.warnings) == ({}, [])


def test_what_is_no_sample_stays_a_slice(tmp_path: Path) -> None:
    number = stat(VALUE, w.number(4, 1))
    stays = [
        event(1, 0),
        event(1, 1, stat(VALUE, w.data(5, "12"))),
        event(1, 2, stat(VALUE, w.double(2, math.nan)), stat(LOAD, w.double(2, -math.inf))),
        event(1, 3, number, stat(FLOW_TYPE, w.number(3, 1)), stat(FLOW_ID, w.number(3, 2))),
        event(1, 4, number, stat(STEP, w.number(4, 3))),
        w.message(4, w.number(1, 1), w.number(5, 10), number),
    ]
    space = read(trace_of(tmp_path, line(*stays, event(1, 9, number, duration_ps=4)), line(number=8)))
    assert tracks_of(space) == [("_counters_ 7", "slice"), ("_counters_ 8", "slice"), ("metric 1", "counter")]
    assert [e.start_ps - 1_000_000 for e in space.events] == [0, 1, 2, 3, 4, 0]
    assert [s.start_ps - 1_000_000 for s in space.samples] == [9]
    counts = space.summary.counts
    assert (counts.total, counts.slices, counts.counter_samples) == (7, 6, 1)
    assert space.summary.ignored == {"counter_value_not_finite": 2, "counter_duration": 1}


def test_a_damaged_stat_does_not_lose_its_event(tmp_path: Path) -> None:
    damaged, number = w.message(4, b"\x08\x01\xff"), stat(VALUE, w.number(4, 1))
    path = tmp_path / "host.xplane.pb"
    names = NAMES + w.stat_metadata(VALUE, "value")
    path.write_bytes(w.message(1, names, line(event(1, 0, damaged), event(1, 5, damaged, number))))
    space = read(path)
    assert [(e.start_ps - 1_000_000, e.args[0][0]) for e in space.events] == [(0, "[damaged]")]
    assert [(s.start_ps - 1_000_000, s.args[0][0]) for s in space.samples] == [(5, "[damaged]")]


def test_series_beyond_the_limit_stay_slices_and_are_said(tmp_path: Path) -> None:
    events = [event(k, k, stat(VALUE, w.number(4, k))) for k in range(1, 80)]
    both = event(1, 90, stat(VALUE, w.number(4, 1)), stat(LOAD, w.number(4, 2)))
    space = read(trace_of(tmp_path, line(*events, both)))
    assert sum(track.kind == TrackKind.COUNTER for track in space.summary.tracks) == 64
    counts = space.summary.counts
    assert (counts.total, counts.slices, counts.counter_samples) == (80, 15, 65)
    assert space.summary.warnings == [
        "a line has more than 64 counters: the first 64 are tracks; events of others that are shown as slices: 15; "
        "numbers of others that are only among the arguments: 1"
    ]


def test_namesakes_are_numbered(tmp_path: Path) -> None:
    one = event(1, 0, stat(VALUE, w.number(4, 1)))
    space = read(trace_of(tmp_path, line(one, number=9), line(one, number=4)))
    assert [(t.name, t.detail) for t in space.summary.tracks] == [("metric 1 #2", "line 9"), ("metric 1 #1", "line 4")]


def test_a_store_of_counters_is_exact(tmp_path: Path) -> None:
    """A thousand samples of two series, beside slices of the same line and of another."""
    values = [(k * 7919) % 1000 for k in range(2000)]
    events = [event(1 + k % 2, 1000 * k, stat(VALUE, w.number(4, values[k]))) for k in range(2000)]
    slices = [event(3, 1000 * k, duration_ps=500) for k in range(100)]
    path = trace_of(tmp_path, line(*events, slices[5]), line(*slices, name="XLA Ops", number=1))
    build_store([path], tmp_path / "store")
    assert verify_store(tmp_path / "store").samples == 2000
    run = open_run_store(tmp_path / "store")
    try:
        manifest, tree = run.manifest(), json.loads(decompress(need(run, TRACKS)))
        tracks = {track["name"]: track for track in tree["tracks"]}
        assert manifest["events"]["total"] == "2101"
        assert (manifest["events"]["slices"], manifest["events"]["counter_samples"]) == ("101", "2000")
        for name, own in (("metric 1", values[0::2]), ("metric 2", values[1::2])):
            track = tracks[name]
            assert (track["kind"], track["events"]) == ("counter", "1000")
            assert (track["min"], track["max"]) == (min(own), max(own))
            event_ = event_details(run, track["id"], 500)
            assert event_ is not None
            assert event_["value"] == own[500]
            assert event_["args"] == [{"name": "counter_value", "value": own[500]}]
    finally:
        run.close()
