"""All real trace-event files: counts against the manifest, every event against Python's own JSON decoder."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.corpus import corpus_manifest, corpus_path
from tests.tiler.readers.trace_event.trace_event_file import ReadFile, read, read_path, summary_of
from tilescope.tiler.columns import EventCounts, EventFlag, Phase, TrackKind
from tilescope.tiler.columns.pairing import pair
from tilescope.tiler.readers.recognise import open_trace

pytestmark = pytest.mark.slow

STRICT = sorted(
    name for name, entry in corpus_manifest().items() if entry["format"] == "chrome_json" and entry["strict_json"]
)
PARTIAL = ["simple-partial", "simple-partial-trailing-comma", "simple-partial-whitespace"]
COLUMNS = {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}
ROW_PHASES = {
    "X": Phase.COMPLETE,
    "B": Phase.BEGIN,
    "b": Phase.BEGIN,
    "S": Phase.BEGIN,
    "E": Phase.END,
    "e": Phase.END,
    "F": Phase.END,
    "s": Phase.FLOW_START,
    "t": Phase.FLOW_STEP,
    "f": Phase.FLOW_END,
} | dict.fromkeys("iIPRnTp", Phase.INSTANT)

if not STRICT:
    pytest.skip("no corpus; set TILESCOPE_CORPUS", allow_module_level=True)


def content(path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return archive.read(archive.namelist()[0])
    return path.read_bytes()


def events_of(data: bytes) -> list[dict[str, Any]]:
    loaded = json.loads(data, parse_float=Decimal)
    events = loaded["traceEvents"] if isinstance(loaded, dict) else loaded
    assert isinstance(events, list)
    return events


def picoseconds(microseconds: object) -> int:
    return int((Decimal(str(microseconds)) * 1_000_000).quantize(Decimal(1), ROUND_HALF_UP))


def category_of(event: Mapping[str, Any]) -> str:
    """As docs/formats.md has it: tasks of Ascend devices have a type in place of a category."""
    task_type = (event.get("args") or {}).get("Task Type", "")
    return event.get("cat") or (task_type if isinstance(task_type, str) else "")


def expected_counts(phases: dict[str, int]) -> EventCounts:
    """The formulas of docs/formats.md."""
    by = Counter(phases)
    slices = by["X"] + by["B"]
    instants = sum(by[phase] for phase in "iIPRnTp")
    async_slices = by["b"] + by["S"]
    flow_ends = by["s"] + by["t"] + by["f"]
    total = by.total() - by["M"]
    other = total - slices - instants - async_slices - flow_ends - by["C"] - by["E"] - by["e"] - by["F"]
    return EventCounts(total, slices, instants, by["C"], async_slices, flow_ends, other)


SAMPLES = {
    "chrome/chrome-trace-issue-5429.json.gz": (
        "2 events Profile and ProfileChunk have samples of V8's CPU profiler, which are not shown yet"
    ),
    "chrome/devtools_116.json": (
        "17 events Profile and ProfileChunk have samples of V8's CPU profiler, which are not shown yet"
    ),
    "chrome/edge/multi-thread-with-samples.json": "8 samples of a profiler: not shown yet",
    "chrome/edge/simple-with-samples.json": "7 samples of a profiler: not shown yet",
    "chrome/perf_sampling_trace_with_trace_events.json.gz": "10,441 samples of a profiler: not shown yet",
}


@pytest.mark.parametrize("name", STRICT)
def test_counts_are_those_of_the_manifest(name: str) -> None:
    entry = corpus_manifest()[name]
    summary = summary_of(content(corpus_path(name)))
    assert summary.counts == expected_counts(entry["phases"])
    assert summary.counts.total == entry["events"] - entry["phases"].get("M", 0)
    assert sum(summary.ignored.values()) == summary.counts.other
    empty = [] if summary.counts.total else ["the trace is empty: there is no event in it"]
    assert summary.warnings == empty + ([SAMPLES[name]] if name in SAMPLES else [])


@pytest.mark.parametrize("name", [name for name in STRICT if corpus_manifest()[name]["bytes"] < 20_000_000])
def test_every_event_is_read_exactly(name: str) -> None:
    data = content(corpus_path(name))
    result = read(data)
    rows = iter(
        row for row in result.rows if row.kind is not TrackKind.COUNTER and not is_bound_flow(row.phase, row.kind)
    )
    for number, event in enumerate(events_of(data)):
        phase = ROW_PHASES.get(event["ph"])
        if phase is None:
            continue
        row = next(rows)
        assert row.phase is phase
        assert row.time_ps == picoseconds(event["ts"])
        assert row.duration_ps == (picoseconds(event.get("dur") or 0) if phase is Phase.COMPLETE else 0)
        assert bool(row.flags & EventFlag.NO_DURATION) == (phase is Phase.COMPLETE and "dur" not in event)
        assert row.name == (event.get("name") or (None if phase is Phase.END else "[no name]"))
        assert row.category == (None if row.name is None else category_of(event))
        if row.kind in (TrackKind.SLICE, TrackKind.FLOW):
            assert row.detail == f"tid {event['tid']}" or row.track.split(" · ")[0] == f"Thread {event['tid']}"
        if number < 2000 or number % 50 == 0:  # decoding all would take most of the time
            check_args(row.decoded_args, event)
    assert next(rows, None) is None


def is_bound_flow(phase: Phase, kind: TrackKind) -> bool:
    """Rows made from a slice's bind_id stand on its track; those of flow events on a carrier."""
    return phase >= Phase.FLOW_START and kind is not TrackKind.FLOW


def check_args(decoded: list[tuple[str, object]], event: dict[str, Any]) -> None:
    expected = list((event.get("args") or {}).items())
    expected += [(key, value) for key, value in event.items() if key not in COLUMNS]
    expected += [(key, event[key]) for key in members_of_no_track(event) if key in event]
    assert json.dumps(decoded, default=float) == json.dumps(expected, default=float)


def members_of_no_track(event: dict[str, Any]) -> list[str]:
    """Those that events of one track may have in different ways."""
    phase, scope = event["ph"], event.get("s")
    if phase in "iIPR":
        ids = {"g": ["pid", "tid"], "p": ["tid"]}.get(scope or "", [])
        return ids if phase in "iI" else ["ph", *ids]
    if phase in "bneSTpF":
        return ["tid"] if phase in "bne" else ["ph", "tid"]
    return []


def test_inside_of_an_archive() -> None:
    name = "chrome/simple_trace_zip.zip"
    reader = open_trace(corpus_path(name))
    assert sum(len(chunk) for chunk in reader.chunks()) == 32
    assert reader.summary().counts == expected_counts(corpus_manifest()[name]["phases"])
    reader.close()


def test_fuchsia_counters() -> None:
    data = content(corpus_path("chrome/fuchsia_trace.json.gz"))
    result = read(data)
    expected: dict[tuple[str, str], list[float]] = defaultdict(list)
    for event in events_of(data):
        if event["ph"] == "C":
            for series, value in event["args"].items():
                expected[event["name"], series].append(float(value))
    read_values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in result.rows:
        if row.kind is TrackKind.COUNTER:
            assert row.name is not None
            assert row.value is not None
            read_values[row.name, row.track.removeprefix(f"{row.name} · ")].append(row.value)
    assert read_values == expected


def test_no_slices_overlap_in_exact_arithmetic() -> None:
    result = read_path(corpus_path("kineto/ns_resolution.pt.trace.json.gz"))
    by_track: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in result.rows:
        if row.kind is TrackKind.SLICE:
            by_track[row.process, row.track, row.detail].append((row.time_ps, row.time_ps + row.duration_ps))
    assert sum(map(len, by_track.values())) == 45_420
    for slices in by_track.values():
        slices.sort(key=lambda one: (one[0], -one[1]))
        open_ends: list[int] = []
        for start, end in slices:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)


def test_times_with_a_base_count_from_the_epoch() -> None:
    summary = read_path(corpus_path("kineto/mi250_minitoy.json.gz")).summary
    assert summary.base_time_ns == 1_735_632_360_000_000_000


def test_kineto_tracks_are_named() -> None:
    result = read_path(corpus_path("kineto/ns_resolution.pt.trace.json.gz"))
    processes = {process.name: process.detail for process in result.summary.processes}
    assert processes["penv#native-main#platform-runtime#python#py_version_3_10"] == "pid 1102 · CPU"
    assert processes["Spans"] == ""  # its pid is its name
    assert len(processes) == 4  # seven GPUs without events are not shown
    tracks = {track.name for track in result.summary.tracks}
    assert {"pt_autograd_0", "stream 7"} <= tracks


def test_string_and_number_tids_are_one_thread() -> None:
    result = read_path(corpus_path("kineto/resnet50_workers4.pt.trace.json.gz"))
    kinds = Counter(track.kind for track in result.summary.tracks if track.detail == "tid 5786")
    assert kinds == {TrackKind.SLICE: 1, TrackKind.INSTANT: 1, TrackKind.FLOW: 1}


@pytest.mark.parametrize("name", PARTIAL)
def test_arrays_without_their_end(name: str) -> None:
    result = read_path(corpus_path(f"chrome/edge/{name}.json"))
    assert result.names == ["alpha", "beta", "gamma", "epsilon", "beta", "alpha"]
    assert result.summary.warnings == ["the closing ] is missing: the trace was cut short, and 6 whole events kept"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("event-reordering-name-match", [("alpha", 0, 10), ("beta", 1, 2), ("gamma", 1, 2)]),
        ("simple", [("alpha", 0, 14), ("beta", 1, 13), ("gamma", 2, 7), ("epsilon", 7, 7)]),
        ("too-many-end-events", [("alpha", 0, 5), ("beta", 1, 5)]),
    ],
)
def test_pairs_of_the_edge_cases(name: str, expected: list[tuple[str, int, int]]) -> None:
    assert (
        sorted(paired(read_path(corpus_path(f"chrome/edge/{name}.json"))), key=lambda one: (one[1], -one[2]))
        == expected
    )


def paired(result: ReadFile) -> list[tuple[str, int, int]]:
    """(name, start, end) in microseconds of a trace with one thread."""
    names = result.summary.names
    slices = pair(
        time=np.array([row.time_ps for row in result.rows], np.int64),
        duration=np.array([row.duration_ps for row in result.rows], np.int64),
        phase=np.array([row.phase for row in result.rows], np.uint8),
        name=np.array([-1 if row.name is None else names.index(row.name) for row in result.rows], np.int32),
        key=None,
        trace_end=max(row.time_ps + row.duration_ps for row in result.rows),
    )
    ends = slices.start + slices.duration
    return [
        (names[name], int(start) // 10**6, int(end) // 10**6)
        for name, start, end in zip(slices.name, slices.start, ends, strict=True)
    ]
