"""Synthetic trace-event JSON, read again by the json module."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

KINDS = {"X": "slices", "i": "instants", "C": "counter_samples", "b": "async_slices", "s": "flow_ends"}
KINDS["f"] = "flow_ends"


def load(path: Path) -> list[dict[str, Any]]:
    """The events, with exact times."""
    events: list[dict[str, Any]] = json.loads(path.read_text(), parse_float=Decimal)["traceEvents"]
    return events


def recount(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The totals of each track, from nothing but the file."""
    process_names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    tracks = {
        (e["pid"], e["tid"]): {
            "process": process_names[e["pid"]],
            "name": e["args"]["name"],
            "events": 0,
            **dict.fromkeys(KINDS.values(), 0),
            "busy_ps": 0,
        }
        for e in events
        if e["ph"] == "M" and e["name"] == "thread_name"
    }
    begun: dict[tuple[int, int], Decimal] = {}
    for event in events:
        if event["ph"] == "M":
            continue
        track = tracks[event["pid"], event["tid"]]
        track["events"] += 1
        if event["ph"] != "e":
            track[KINDS[event["ph"]]] += 1
        if event["ph"] == "X":
            track["busy_ps"] += int(event["dur"] * 1_000_000)
        elif event["ph"] == "b":
            begun[event["pid"], event["id"]] = event["ts"]
        elif event["ph"] == "e":
            track["busy_ps"] += int((event["ts"] - begun.pop((event["pid"], event["id"]))) * 1_000_000)
    assert not begun
    return list(tracks.values())


@pytest.mark.parametrize("events", [0, 1, 3, 50, 2_000, 20_000])
@pytest.mark.parametrize("tracks", [1, 2, 3, 7, 23])
@pytest.mark.parametrize("realistic", [False, True])
def test_the_file_holds_what_the_totals_say(tmp_path: Path, events: int, tracks: int, realistic: bool) -> None:
    result = write_synthetic_trace(
        tmp_path / "a.json", format="chrome", events=events, tracks=tracks, seed=3, realistic=realistic
    )
    totals = json.loads(result.totals_path.read_text())
    assert recount(load(result.path)) == totals["tracks"]
    assert result.events == totals["events"]["total"] == events
    assert len(totals["tracks"]) == tracks


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("synth") / "a.json"
    write_synthetic_trace(path, format="chrome", events=60_000, tracks=12, seed=1)
    return load(path)


@pytest.fixture(scope="module")
def realistic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("synth") / "a.json"
    write_synthetic_trace(path, format="chrome", events=60_000, tracks=24, seed=1, realistic=True)
    return path


def test_a_realistic_trace_is_as_pytorch_writes_it(realistic: Path) -> None:
    events = load(realistic)
    assert 245 < realistic.stat().st_size / len(events) < 275
    kinds = Counter((e["ph"], e.get("cat")) for e in events)
    assert {("X", "cpu_op"), ("X", "cuda_runtime"), ("X", "kernel"), ("X", "gpu_memcpy"), ("X", "gpu_memset")} < set(
        kinds
    )
    assert kinds["i", "cpu_instant_event"] > 5_000
    assert kinds["s", "ac2g"] == kinds["f", "ac2g"] > 5_000
    assert {(type(e["pid"]), type(e["tid"])) for e in events} == {(int, int), (int, str), (str, str)}
    # The events of a track lie all over the file.
    turns = sum(a["tid"] != b["tid"] for a, b in itertools.pairwise(events))
    assert turns > len(events) / 50
    for name in ("Total Allocated", "Total Reserved"):
        assert all(e["args"][name] >= 0 for e in events if e["ph"] == "i")


def test_kernels_run_after_their_launches(realistic: Path) -> None:
    events = load(realistic)
    launched = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") == "cuda_runtime"}
    run = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")}
    assert launched.keys() == run.keys()
    assert sum(run[key] > launched[key] for key in run) > 0.95 * len(run)


def test_all_kinds_occur(trace: list[dict[str, Any]]) -> None:
    assert {event["ph"] for event in trace} == {*KINDS, "e", "M"}


def test_flows_have_two_ends_and_go_forward(trace: list[dict[str, Any]]) -> None:
    times = {phase: {e["id"]: e["ts"] for e in trace if e["ph"] == phase} for phase in "sf"}
    assert times["s"].keys() == times["f"].keys()
    assert len(times["s"]) == sum(event["ph"] == "s" for event in trace) > 10
    assert all(times["f"][key] > start for key, start in times["s"].items())


def test_flow_ends_lie_at_the_start_of_a_slice(trace: list[dict[str, Any]], realistic: Path) -> None:
    for events in (trace, load(realistic)):
        starts = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
        assert all((e["pid"], e["tid"], e["ts"]) in starts for e in events if e["ph"] in "sf")


def test_slices_nest_exactly(trace: list[dict[str, Any]]) -> None:
    threads = defaultdict(list)
    for event in trace:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    depths: Counter[int] = Counter()
    for slices in threads.values():
        open_ends: list[Decimal] = []
        for start, end in slices:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)
            depths[len(open_ends)] += 1
    assert max(depths) == 12


def test_metadata_comes_last(trace: list[dict[str, Any]]) -> None:
    phases = [event["ph"] for event in trace]
    assert "M" not in phases[: phases.index("M")]
    assert set(phases[phases.index("M") :]) == {"M"}
