"""The XSpace reader: real files, the mapping to processes and tracks, time, chunks."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import corpus_manifest, corpus_path
from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.xspace_reference import read_space
from tests.tiler.readers.xspace.xspace_rows import ReadSpace, read
from tilescope.tiler.columns import Phase
from tilescope.tiler.readers import open_trace
from tilescope.tiler.readers.xspace import XSpaceReader
from tilescope.tiler.readers.xspace.facts import hostname_of

pytestmark = pytest.mark.slow

CORPUS = sorted(name for name, entry in corpus_manifest().items() if entry["format"] == "xspace" and "events" in entry)
PROFILE_START_NS = 1_700_000_000_123_456_789


def read_bytes(tmp_path: Path, *parts: bytes, name: str = "host.xplane.pb") -> ReadSpace:
    path = tmp_path / name
    path.write_bytes(b"".join(parts))
    return read(path)


def plane(name: str, *parts: bytes) -> bytes:
    return w.message(1, w.data(2, name), *parts)


def line(*parts: bytes, timestamp_ns: int = 0) -> bytes:
    return w.message(3, w.number(1, 7), w.data(2, "line"), w.number(3, timestamp_ns), *parts)


def event(offset_ps: int = 0, duration_ps: int = 0, metadata_id: int = 1, *more: bytes) -> bytes:
    return w.message(4, w.number(1, metadata_id), w.number(2, offset_ps), w.number(3, duration_ps), *more)


def environment(start_ns: int) -> bytes:
    return plane(
        "Task Environment",
        w.message(6, w.number(1, 3), w.number(3, start_ns)),
        w.stat_metadata(3, "profile_start_time"),
    )


@pytest.mark.parametrize("name", CORPUS or ["xplane"])
def test_corpus_counts(name: str) -> None:
    expected = corpus_manifest()[name] if CORPUS else {}
    reader = open_trace(corpus_path(name))
    events: dict[int, int] = defaultdict(int)
    durations: dict[int, int] = defaultdict(int)
    for chunk in reader.chunks():
        assert chunk.duration_ps is not None
        slices = chunk.phase == Phase.COMPLETE
        for track in np.unique(chunk.track):
            rows = slices & (chunk.track == track)
            events[int(track)] += int(rows.sum())
            durations[int(track)] += int(chunk.duration_ns[rows].sum()) * 1000 + int(chunk.duration_ps[rows].sum())
    summary = reader.summary()
    reader.close()
    assert summary.counts.total == summary.counts.slices == expected["events"]
    for process, entry in zip(summary.processes, expected["planes"], strict=True):
        assert entry["name"] in (process.name, process.detail.split(" · ")[0])
    for index, entry in enumerate(expected["planes"]):
        tracks = [number for number, track in enumerate(summary.tracks) if track.process == index]
        assert len(tracks) == entry["lines"]
        assert sum(events[track] for track in tracks) == entry["events"]
        assert sum(durations[track] for track in tracks) == entry["duration_ps_sum"]
    assert summary.ignored == {}


@pytest.mark.parametrize(
    "name", ["gpu_mi300x8_conv", "jax_cpu_10steps", pytest.param("gpu_v100x8_bert", marks=pytest.mark.deep)]
)
def test_corpus_is_the_same_as_the_reference(name: str) -> None:
    path = corpus_path(f"xplane/{name}.xplane.pb")
    expected = read_space(path.read_bytes())
    actual = read(path)
    shift_ps = actual.events[0].start_ps - expected.events[0].start_ps
    for one in expected.events:
        one.start_ps += shift_ps
    assert actual.events == expected.events
    assert actual.summary.hostname == expected.hostnames[0]


def test_metadata_after_the_lines_and_names(tmp_path: Path) -> None:
    stat = w.message(4, w.number(1, 5), w.number(7, 6))
    space = read_bytes(
        tmp_path,
        plane(
            "/host:CPU",
            line(event(1_500, 2_500, 1, stat), event(0, 0, 2), event(0, 0, 99), timestamp_ns=10),
            w.event_metadata(1, "%fusion.1 = f32[8]", "fusion.1", w.message(5, w.number(1, 8), w.number(3, 64))),
            w.event_metadata(2, "matmul"),
            w.stat_metadata(5, "source"),
            w.stat_metadata(6, "model.py:3"),
            w.stat_metadata(8, "flops"),
        ),
    )
    assert space.summary.names == ["fusion.1", "matmul", "[no name]"]
    first = space.events[0]
    assert (first.start_ps, first.duration_ps) == (11_500, 2_500)
    assert first.args == [("long_name", "%fusion.1 = f32[8]"), ("source", "model.py:3"), ("flops", 64)]
    assert space.events[1].args == space.events[2].args == []


def test_own_stats_override_those_of_the_metadata(tmp_path: Path) -> None:
    own = w.message(4, w.number(1, 8), w.double(2, 2.5))
    shared = w.message(5, w.number(1, 8), w.number(3, 64))
    metadata = w.event_metadata(1, "a", "", shared, shared.replace(b"\x08\x08", b"\x08\x09"))
    names = w.stat_metadata(8, "flops") + w.stat_metadata(9, "bytes")
    space = read_bytes(tmp_path, plane("p", line(event(0, 0, 1, own)), metadata, names))
    assert space.events[0].args == [("flops", 2.5), ("bytes", 64)]


def test_lines_and_planes_without_events_are_kept(tmp_path: Path) -> None:
    space = read_bytes(tmp_path, plane("/host:metadata"), plane("empty", line()))
    assert [process.name for process in space.summary.processes] == ["/host:metadata", "empty"]
    assert [(track.process, track.name) for track in space.summary.tracks] == [(1, "line")]
    assert space.summary.warnings == ["the trace holds no events"]


def test_environment_is_a_process_with_detail(tmp_path: Path) -> None:
    (process,) = read_bytes(tmp_path, environment(PROFILE_START_NS)).summary.processes
    assert (process.name, process.detail) == ("Task Environment", f"profile_start_time {PROFILE_START_NS}")


def test_relative_times_are_moved_to_the_start_of_the_capture(tmp_path: Path) -> None:
    lines = line(event(1), timestamp_ns=5_000), line(event(2)), line(event(3), timestamp_ns=PROFILE_START_NS + 1)
    space = read_bytes(tmp_path, plane("/host:CPU", *lines), environment(PROFILE_START_NS))
    start_ps = PROFILE_START_NS * 1000
    assert [one.start_ps - start_ps for one in space.events] == [5_000_001, 2, 1_003]


@pytest.mark.parametrize("start_ns", [(1 << 64) - 1, 1 << 63])
def test_a_start_of_the_capture_that_is_no_time_moves_nothing(tmp_path: Path, start_ns: int) -> None:
    space = read_bytes(tmp_path, plane("/host:CPU", line(event(1), timestamp_ns=5_000)), environment(start_ns))
    assert [one.start_ps for one in space.events] == [5_000_001]
    assert space.summary.warnings == [
        f"profile_start_time {start_ns} is no time in nanoseconds: all times stay as they are in the file"
    ]


def test_a_line_that_would_be_moved_out_of_time_stays(tmp_path: Path) -> None:
    lines = line(event(1), timestamp_ns=5_000), line(event(2), timestamp_ns=-(1 << 63))
    space = read_bytes(tmp_path, plane("/host:CPU", *lines), environment((1 << 63) - 1))
    assert [one.start_ps for one in space.events] == [5_000_001, -1_000 + 2]


def test_a_host_name_that_is_no_text_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(plane("p", line(event())) + w.data(4, b"\xff\xfevm"))
    reader = open_trace(path)
    assert sum(map(len, reader.chunks())) == 1
    assert reader.summary().hostname == "\ufffd\ufffdvm"
    reader.close()


def test_errors_and_warnings_of_the_profiler_are_told(tmp_path: Path) -> None:
    space = read_bytes(tmp_path, w.data(2, "no\ndevice"), w.data(3, "dropped 3"), plane("p", line(event())))
    assert space.summary.warnings == ["the profiler reported an error: no device", "the profiler warned: dropped 3"]


def test_host_name(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, plane("p"), name="worker-3.xplane.pb").summary.hostname == "worker-3"
    assert read_bytes(tmp_path, plane("p"), w.data(4, "vm")).summary.hostname == "vm"
    assert hostname_of(Path("a.b.xplane.pb.gz")) == "a.b"


def test_times_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    latest = (1 << 63) - 1
    space = read_bytes(tmp_path, plane("p", line(event(5_000), event(0), timestamp_ns=latest)))
    assert [one.start_ps for one in space.events] == [latest * 1000]
    counts = space.summary.counts
    assert (counts.total, counts.slices, counts.other) == (2, 1, 1)
    assert space.summary.ignored == {"time_out_of_range": 1}


def test_invalid_utf8_in_names_is_replaced_and_names_stay_distinct(tmp_path: Path) -> None:
    metadata = w.event_metadata(1, "a").replace(b"a", b"\xff") + w.event_metadata(2, "a").replace(b"a", b"\xfe")
    space = read_bytes(tmp_path, plane("p", line(event(0, 0, 1), event(0, 0, 2)), metadata))
    assert space.summary.names == ["\ufffd"]


@pytest.mark.parametrize(("rows", "args_bytes"), [(1, 1 << 20), (7, 1 << 20), (1 << 20, 1), (1 << 20, 1_000)])
def test_chunk_limits_change_nothing(monkeypatch: pytest.MonkeyPatch, rows: int, args_bytes: int) -> None:
    path = corpus_path("xplane/jax_cpu_10steps.xplane.pb")
    whole = read(path)
    monkeypatch.setattr("tilescope.tiler.readers.xspace.reader._CHUNK_ROWS", rows)
    monkeypatch.setattr("tilescope.tiler.readers.xspace.reader._CHUNK_ARGS_BYTES", args_bytes)
    monkeypatch.setattr("tilescope.tiler.readers.xspace.reader._STEP_BYTES", 1_000)
    parts = read(path)
    assert parts.events == whole.events
    assert parts.flow_keys == whole.flow_keys
    assert parts.summary == whole.summary
    reader = XSpaceReader.open(path)
    assert max(map(len, reader.chunks())) <= rows + 2
    reader.close()


def test_progress_grows_to_the_end() -> None:
    reader = open_trace(corpus_path("xplane/tpu_v6e_4core.xplane.pb"))
    seen = [reader.bytes_read()] + [reader.bytes_read() for _ in reader.chunks()] + [reader.bytes_read()]
    assert seen == sorted(seen)
    assert seen[-1] == reader.size_bytes
    reader.close()
