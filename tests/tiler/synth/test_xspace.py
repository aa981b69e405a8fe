"""Synthetic XSpaces, read again by an independent parser."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.tiler.synth.wire import Line, Plane, fields, planes
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow


def lines(data: bytes) -> list[tuple[Plane, Line]]:
    return [(plane, line) for plane in planes(data) for line in plane.lines]


def deepest(line: Line) -> int:
    """The nesting depth; asserts that slices do not overlap partly."""
    open_ends: list[int] = []
    depth = 0
    for event in line.events:
        start, end = event["offset_ps"], event["offset_ps"] + event["duration_ps"]
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1]
        open_ends.append(end)
        depth = max(depth, len(open_ends))
    return depth


FEW = {(0, 1), (3, 2), (50, 7)}

# A realistic trace has tens of thousands of names, however few its events are: a second for each.
TOTALS = [
    pytest.param(events, tracks, realistic, marks=pytest.mark.deep if realistic and (events, tracks) not in FEW else ())
    for realistic in (False, True)
    for tracks in (1, 2, 3, 7, 23)
    for events in (0, 1, 3, 50, 2_000, 20_000)
]


@pytest.mark.parametrize(("events", "tracks", "realistic"), TOTALS)
def test_the_file_holds_what_the_totals_say(tmp_path: Path, events: int, tracks: int, realistic: bool) -> None:
    result = write_synthetic_trace(
        tmp_path / "a.xplane.pb", format="xspace", events=events, tracks=tracks, seed=3, realistic=realistic
    )
    totals = json.loads(result.totals_path.read_text())
    found = lines(result.path.read_bytes())
    assert result.events == totals["events"]["total"] == events
    assert [(t["process"], t["name"]) for t in totals["tracks"]] == [(plane.name, line.name) for plane, line in found]
    assert [t["events"] for t in totals["tracks"]] == [len(line.events) for _, line in found]
    assert [t["busy_ps"] for t in totals["tracks"]] == [sum(e["duration_ps"] for e in line.events) for _, line in found]
    assert len(totals["tracks"]) == tracks


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> list[Plane]:
    path = tmp_path_factory.mktemp("synth") / "a.xplane.pb"
    write_synthetic_trace(path, format="xspace", events=60_000, tracks=12, seed=1)
    return planes(path.read_bytes())


@pytest.fixture(scope="module")
def realistic(tmp_path_factory: pytest.TempPathFactory) -> list[Plane]:
    path = tmp_path_factory.mktemp("synth") / "a.xplane.pb"
    write_synthetic_trace(path, format="xspace", events=110_000, tracks=27, seed=1, realistic=True)
    return planes(path.read_bytes())


def test_a_realistic_trace_has_40000_names_and_times_of_two_clocks(realistic: list[Plane]) -> None:
    names = set()
    for plane in realistic:
        ids = {name: key for key, name in plane.stat_names.items()}
        for line in plane.lines:
            if line.name == "XLA Ops":
                names |= {plane.event_names[event["metadata_id"]] for event in line.events}
                assert deepest(line) == 3
                assert not any(event["offset_ps"] % 1000 or event["duration_ps"] % 1000 for event in line.events)
                late = [event["stats"][ids["device_offset_ps"]] - event["offset_ps"] for event in line.events]
                assert min(late) == late[0] < late[-1] == max(late)
                more = [event["stats"][ids["device_duration_ps"]] - event["duration_ps"] for event in line.events]
                assert 0 <= min(more) < max(more) < 1000
    assert len(names) == 40_000
    assert sum(map(len, names)) / len(names) > 200
    assert all(len(plane.event_names) < 11_000 for plane in realistic)


def test_a_realistic_trace_is_as_a_profiler_leaves_it(realistic: list[Plane]) -> None:
    """Without what viewers add: where there are groups already, xprof derives no lines of scopes and sources."""
    device = realistic[0]
    assert {line.name: line.id for line in device.lines} == {
        "XLA Ops": 3,
        "Steps": 1,
        "XLA Modules": 2,
        "Async XLA Ops": 4,
        "_counters_": 8,
    }
    host = next(plane for plane in realistic if plane.name == "/host:CPU")
    assert len({line.id for line in host.lines}) == len(host.lines) > 1
    for plane in realistic:
        assert "group_id" not in plane.stat_names.values()
        used = {key for line in plane.lines for event in line.events for key in event["stats"]}
        assert used <= plane.stat_names.keys()
    said = [{device.stat_names[key]: value for key, value in of.items()} for of in device.event_stats.values()]
    operations = [of for of in said if of.get("hlo_category") == b"loop fusion"]
    assert len(operations) > 5_000
    for of in operations:
        assert of["tf_op"].endswith(b":")
        assert of["source_stack"].startswith(of["source"])
        read, written = (dict(fields(access)) for _, access in fields(of["memory_access_breakdown"]))
        assert (read[1], written[1]) == (1, 2)
        assert read[3] + written[3] == of["raw_bytes_accessed"] == of["bytes_accessed"]


def test_every_event_has_a_name_and_every_stat_too(trace: list[Plane]) -> None:
    for plane in trace:
        for line in plane.lines:
            assert {event["metadata_id"] for event in line.events} <= plane.event_names.keys()
            assert {key for event in line.events for key in event["stats"]} <= plane.stat_names.keys()


def test_starts_are_in_order(trace: list[Plane]) -> None:
    for plane in trace:
        for line in plane.lines:
            starts = [event["offset_ps"] for event in line.events]
            assert starts == sorted(starts)


def test_slices_nest(trace: list[Plane]) -> None:
    depths = {
        (plane.name, line.name): deepest(line)
        for plane in trace
        for line in plane.lines
        if line.name not in ("Async XLA Ops", "_counters_")
    }
    assert depths["/device:TPU:0", "Steps"] == 1
    assert depths["/device:TPU:0", "XLA Ops"] in (2, 3)
    assert depths["/host:CPU", "python"] == 12


def test_asynchronous_operations_overlap(trace: list[Plane]) -> None:
    line = next(line for line in trace[0].lines if line.name == "Async XLA Ops")
    with pytest.raises(AssertionError):
        deepest(line)


def test_flows_have_two_ends(trace: list[Plane]) -> None:
    ends: dict[str, Counter[tuple[int, int]]] = {"p": Counter(), "c": Counter()}
    for plane in trace:
        ids = {name: key for key, name in plane.stat_names.items()}
        for line in plane.lines:
            for event in line.events:
                for side, counter in ends.items():
                    if ids[f"_{side}"] in event["stats"]:
                        counter[event["stats"][ids[f"_{side}t"]], event["stats"][ids[f"_{side}"]]] += 1
    assert ends["p"] == ends["c"]
    assert len(ends["p"]) > 10
    assert set(ends["p"].values()) == {1}


def test_counters_have_values(trace: list[Plane]) -> None:
    line = next(line for line in trace[0].lines if line.name == "_counters_")
    key = next(key for key, name in trace[0].stat_names.items() if name == "counter_value")
    values = [event["stats"][key] for event in line.events]
    assert len(set(values)) > 100
    assert all(0.0 <= value <= 100.0 for value in values)


def test_there_are_slices_without_length(trace: list[Plane]) -> None:
    operations = next(line for line in trace[0].lines if line.name == "XLA Ops")
    assert 0 < sum(event["duration_ps"] == 0 for event in operations.events) < len(operations.events) / 20


def test_the_size_is_that_of_real_captures(tmp_path: Path) -> None:
    result = write_synthetic_trace(tmp_path / "a.xplane.pb", format="xspace", events=200_000, tracks=12, seed=1)
    assert 30 < result.size_bytes / result.events < 42
