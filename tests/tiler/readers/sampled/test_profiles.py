"""Profiles of samples: functions are there as long as samples have them, by the times of the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.readers.translated_events import Event, read_events
from tilescope.tiler.columns import Phase
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.sampled.stacks import Sample, StackFrame, slices

Spans = list[tuple[str, int, int]]


def spans(events: Sequence[Event]) -> Spans:
    """Names, starts and durations of slices."""
    return [(event.name, event.start_ns, event.duration_ns) for event in events if event.phase is Phase.COMPLETE]


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


STACKS = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=20)


@settings(max_examples=examples(100))
@given(STACKS, st.data())
def test_each_moment_has_the_stack_of_its_sample(stacks: list[list[int]], data: st.DataObject) -> None:
    times = sorted(data.draw(st.lists(st.integers(0, 50), min_size=len(stacks), max_size=len(stacks))))
    end = times[-1] + data.draw(st.integers(0, 5))
    frames = [StackFrame(str(number)) for number in range(4)]
    events = list(slices(map(Sample, times, stacks), end, frames, 1, 1))
    assert sum(int(str(event["args"]["samples"])) for event in events if isinstance(event["args"], dict)) == sum(
        map(len, stacks)
    )
    for moment in range(end):
        now = [
            event
            for event in events
            if int(str(event["ts"])) <= moment < int(str(event["ts"])) + int(str(event["dur"]))
        ]
        current = [stack for time, stack in zip(times, stacks, strict=True) if time <= moment]
        assert sorted(str(event["name"]) for event in now) == sorted(map(str, current[-1] if current else []))


def test_cpu_profile_of_v8(tmp_path: Path) -> None:
    nodes = [
        {"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2, 4]},
        {"id": 2, "callFrame": {"functionName": "main", "url": "a.js", "lineNumber": 0}, "children": [3]},
        {"id": 3, "callFrame": {"functionName": "", "url": "a.js", "lineNumber": 9}},
        {"id": 4, "callFrame": {"functionName": "(idle)"}},
    ]
    value = {
        "nodes": nodes,
        "startTime": 1000,
        "endTime": 1600,
        "samples": [2, 3, 3, 4, 2, 77],
        "timeDeltas": [0, 100, 100, 100, 100, 50],
    }
    events, summary = read_events(write(tmp_path / "a.cpuprofile", value))
    assert summary.format == "cpuprofile"
    assert sorted(spans(events)) == [
        ("(anonymous)", 1_100_000, 200_000),
        ("main", 1_000_000, 300_000),
        ("main", 1_400_000, 200_000),
    ]
    assert {event.name: event.args for event in events} == {
        "(anonymous)": {"file": "a.js", "line": 10, "samples": 2},
        "main": {"file": "a.js", "line": 1, "samples": 1},
    }
    assert summary.ignored == {"samples_without_node_or_time": 1}
    assert [(track.name, summary.processes[track.process].name) for track in summary.tracks] == [("JavaScript", "V8")]


def test_older_cpu_profile_of_v8(tmp_path: Path) -> None:
    head = {"id": 1, "functionName": "(root)", "callUID": 1, "children": [{"id": 2, "functionName": "f", "callUID": 2}]}
    value = {"head": head, "startTime": 0, "endTime": 5, "samples": [2, 1], "timestamps": [1, 3]}
    events, _ = read_events(write(tmp_path / "a.cpuprofile", value))
    assert spans(events) == [("f", 1000, 2000)]


@pytest.mark.parametrize(("unit", "scale"), [("milliseconds", 1_000_000), ("none", 1)])
def test_speedscope(tmp_path: Path, unit: str, scale: int) -> None:
    value = {
        "shared": {"frames": [{"name": "a", "file": "a.py", "line": 3}, {"name": "b"}]},
        "profiles": [
            {
                "type": "sampled",
                "name": "worker",
                "unit": unit,
                "startValue": 2,
                "samples": [[0], [0, 1], [9], [1]],
                "weights": [1, 2, 1, 3],
            },
            {
                "type": "evented",
                "name": "main",
                "unit": unit,
                "events": [
                    {"type": "O", "frame": 0, "at": 0},
                    {"type": "O", "frame": 1, "at": 1},
                    {"type": "C", "frame": 1, "at": 2},
                    {"type": "C", "frame": 0, "at": 5},
                ],
            },
        ],
    }
    events, summary = read_events(write(tmp_path / "a.speedscope.json", value))
    assert sorted(spans(events)) == [
        ("a", 2 * scale, 3 * scale),
        ("b", 3 * scale, 2 * scale),
        ("b", 5 * scale, 3 * scale),
    ]
    begun = [(event.name, event.phase, event.start_ns) for event in events if event.track == "main"]
    assert begun == [
        ("a", Phase.BEGIN, 0),
        ("b", Phase.BEGIN, scale),
        ("b", Phase.END, 2 * scale),
        ("a", Phase.END, 5 * scale),
    ]
    assert summary.ignored == {"samples_without_frames_or_weight": 1}
    is_time = unit != "none"
    assert any("drawn as one nanosecond" in warning for warning in summary.warnings) is not is_time


def test_fractions_are_no_floats(tmp_path: Path) -> None:
    """A float has 53 bits: nanoseconds of an uptime of months do not fit into milliseconds as one."""
    text = (
        '{"shared": {"frames": [{"name": "a"}]}, "profiles": [{"type": "sampled", "unit": "milliseconds", '
        '"startValue": 9007199254.740993, "samples": [[0]], "weights": [0.000001]}]}'
    )
    path = tmp_path / "a.json"
    path.write_text(text)
    events, _ = read_events(path)
    assert spans(events) == [("a", 9007199254740993, 1)]


def test_firefox_processed_and_raw(tmp_path: Path) -> None:
    processed = {
        "meta": {"preprocessedProfileVersion": 48, "startTime": 1000},
        "threads": [
            {
                "name": "GeckoMain",
                "pid": "17",
                "processName": "Parent Process",
                "stringArray": ["main", "parse", "Paint"],
                "samples": {"stack": [0, 1, None], "time": [1, 2, 3.5]},
                "stackTable": {"prefix": [None, 0], "frame": [0, 1]},
                "frameTable": {"func": [0, 1], "line": [None, 12]},
                "funcTable": {"name": [0, 1]},
                "markers": {"name": [2, 2], "startTime": [1, 2], "endTime": [1.5, None]},
            }
        ],
    }
    raw = {
        "meta": {"processType": 0, "startTime": 1000},
        "threads": [
            {
                "name": "GeckoMain",
                "stringTable": ["main", "parse", "Paint"],
                "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1], [1, 2], [None, 3.5]]},
                "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1]]},
                "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0], [1, 12]]},
                "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2}, "data": [[2, 1, 1.5], [2, 2]]},
            }
        ],
    }
    for name, value in (("processed", processed), ("raw", raw)):
        events, summary = read_events(write(tmp_path / f"{name}.json", value))
        assert summary.format == "firefox"
        assert sorted(spans(events)) == [
            ("Paint", 1_001_000_000, 500_000),
            ("main", 1_001_000_000, 2_500_000),
            ("parse", 1_002_000_000, 1_500_000),
        ]
        assert [event.start_ns for event in events if event.phase is Phase.INSTANT] == [1_002_000_000]


PERF = """# captured on: Mon
python 1234/1235 [003] 12345.678901:     250000 cpu-clock:pppH:
\t7f0001 inner+0x12 (/usr/lib/a.so)
\t7f0002 main (/usr/bin/python)

python 1234/1235 [003] 12345.678911:     250000 cpu-clock:pppH:
\t7f0002 main (/usr/bin/python)

python 1234/1235 [001] 12345.679911:     250000 cpu-clock:pppH:
\t7f0002 main (/usr/bin/python)

swapper 0 [001] 12345.679911:     250000 cpu-clock:pppH:
what is this
"""


def test_perf_script(tmp_path: Path) -> None:
    path = tmp_path / "perf.txt"
    path.write_text(PERF)
    events, summary = read_events(path)
    start = 12_345_678_901_000
    assert summary.format == "perf_script"
    assert sorted(spans(events)) == [
        ("inner", start, 10_000),
        ("main", start, 30_000),  # a sample lasts twice the usual distance at most
        ("main", start + 1_010_000, 10_000),
    ]
    assert named_args(events, "inner") == {"file": "/usr/lib/a.so", "samples": 1}
    assert {(event.process, event.track) for event in events} == {("python", "python")}
    assert summary.ignored == {"lines_that_are_no_samples": 1}


def named_args(events: Sequence[Event], name: str) -> dict[str, object]:
    (args,) = [event.args for event in events if event.name == name]
    return args


@pytest.mark.parametrize("name", ["a.folded", "a.txt"])
def test_collapsed_stacks(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("main;parse;read 2\nmain;parse 1\nmain;draw 3\n")
    events, summary = read_events(path)
    assert summary.format == "collapsed"
    assert sorted(spans(events)) == [
        ("draw", 3_000_000, 3_000_000),
        ("main", 0, 6_000_000),
        ("parse", 0, 3_000_000),
        ("read", 0, 2_000_000),
    ]
    assert summary.warnings == [
        "collapsed stacks have no times: each sample is drawn as 1 ms, in the order of the file"
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"nodes": [{"id": 1, "callFrame": {"functionName": "f"}, "parent": 1}], "samples": [1], "timeDeltas": [1]},
        {"nodes": [{"id": 1, "callFrame": {"functionName": 7}}], "samples": ["x", None, 2**70], "timeDeltas": [1e300]},
        {"shared": {"frames": [{"name": None}]}, "profiles": [{"type": "sampled", "samples": 7, "weights": None}, 5]},
        {"shared": {"frames": {}}, "profiles": {}},
        {"meta": {"processType": 0}, "threads": [{"samples": {"schema": {"stack": -1}, "data": [[]]}}, None]},
        {
            "meta": {"preprocessedProfileVersion": 1},
            "threads": [
                {"stackTable": {"prefix": [5, 0], "frame": [1, "x"]}, "samples": {"stack": [99], "time": [None]}}
            ],
        },
    ],
)
def test_wrong_types_are_left_out(tmp_path: Path, value: object) -> None:
    events, _ = read_events(write(tmp_path / "a.json", value))
    assert len(events) <= 1


def test_cut_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"$schema": "x", "shared": {"frames": [{"name": "a"}')
    with pytest.raises(DamagedTrace, match="is no whole JSON"):
        read_events(path)


def test_chains_of_frames_are_cut(tmp_path: Path) -> None:
    """A hundred thousand nodes in each other, of which each has a sample: as many stacks would not fit into memory."""
    count = 100_000
    nodes = [{"id": n, "callFrame": {"functionName": f"f{n % 7}"}, "parent": n - 1} for n in range(1, count + 1)]
    value = {"nodes": nodes, "startTime": 0, "samples": [count, 5], "timeDeltas": [0, 1]}
    events, _ = read_events(write(tmp_path / "a.cpuprofile", value))
    assert 0 < len(events) <= 2 * 1024


def test_numbers_beyond_64_bits_and_halves_of_characters(tmp_path: Path) -> None:
    text = '{"shared": {"frames": [{"name": "a\\ud800", "line": 1' + "0" * 40 + '}]}, "profiles": [{"type": "sampled", '
    path = tmp_path / "a.json"
    path.write_text(text + '"unit": "seconds", "samples": [[0]], "weights": [1]}]}')
    events, _ = read_events(path)
    assert [event.duration_ns for event in events] == [1_000_000_000]


@pytest.mark.parametrize("number", ["1e999999", "1e9999999999999999999", "9" * 4300, "-0.0e-999999"])
def test_numbers_of_any_size(tmp_path: Path, number: str) -> None:
    path = tmp_path / "a.cpuprofile"
    node = '{"id": 1, "callFrame": {"functionName": "f", "lineNumber": %s}}'
    path.write_text(f'{{"nodes": [{node % number}], "startTime": {number}, "samples": [1], "timeDeltas": [{number}]}}')
    events, _ = read_events(path)
    assert len(events) <= 1


def test_runs_of_spaces_are_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    lines = [PERF, *(" 1 a" + " " * 16_000 + "b" for _ in range(20))]
    path.write_text("\n".join(lines))
    events, _ = read_events(path)
    assert events
