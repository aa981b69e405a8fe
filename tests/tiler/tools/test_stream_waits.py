"""Waits of streams in gaps: against plain Python, and figures of real runs."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import DeviceTrace
from tests.example import Example
from tests.examples import examples
from tests.reports.traces import answer, rows
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import device_launches, step_work
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

CLASSES = ("host_wait", "kernel_wait", "other_wait", "unknown_wait")
STREAMS = [(0, 7), (0, 8), (1, 7), (1, 8), (1, 9)]

Work = tuple[int, int, int | None]  # start, end, start of the launch


def stream_work(devices: DeviceTrace, stream: tuple[int, int]) -> list[Work]:
    """The work of a stream in the order of its slices."""
    tracks = [work_track for device in finish(devices_of(devices.reader)) for work_track in device.tracks]
    (work_track,) = (track for track in tracks if track.track == devices.track(*stream))
    work = finish(step_work(devices.reader, devices.reader.steps, work_track))
    launches = finish(device_launches(devices.reader, work_track.track))
    launched = dict(zip(launches.ordinal.tolist(), launches.start.tolist(), strict=True))
    slices = sorted(zip(work.ordinal.tolist(), work.start.tolist(), work.stop.tolist(), strict=True))
    return [(start, stop, launched.get(ordinal)) for ordinal, start, stop in slices]


def waits(work: list[Work], short_gap: int, first: int, last: int) -> tuple[dict[str, int], int]:
    """Ticks in [first, last) by class, and the work in it that begins before other work has ended."""
    ticks = dict.fromkeys(CLASSES, 0)
    overlapping = 0
    lasting = [(start, stop) for start, stop, _ in work if stop > start]  # idle time lies between these
    first = max(first, min(start for start, _ in lasting))
    last = min(last, max(stop for _, stop in lasting))
    before = None
    for start, stop, launch in work:
        if before is not None and start > before:
            short = "kernel_wait" if start - before < short_gap else "other_wait"
            kind = "unknown_wait" if launch is None else "host_wait" if launch > before else short
            ticks[kind] += max(0, min(start, last) - max(before, first))
        elif before is not None and start < before:
            overlapping += first <= start < last
        before = stop if before is None else max(before, stop)
    return ticks, overlapping


@given(
    span=st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(sorted),
    middle=st.integers(0, 620_000),
    short_gap=st.sampled_from([0, 40, 30_000]),
)
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_waits_of_any_range_are_as_in_plain_python_and_the_sum_of_its_halves(
    devices: DeviceTrace, span: list[int], middle: int, short_gap: int
) -> None:
    def table(start: int, end: int) -> dict[int, Mapping[str, Any]]:
        gaps = answer(devices.reader, "gaps", each_track=True, short_gap=short_gap, start=start, end=end)
        lanes = {row["track"]: row["idle"] for row in rows(gaps, "lanes")}
        by_track: dict[int, Mapping[str, Any]] = {row["track"]: row for row in rows(gaps, "waits")}
        assert {track: row["idle"] for track, row in by_track.items()} == lanes
        return by_track

    start, end = span
    middle = min(max(middle, start), end)
    whole, *halves = (table(*pair) for pair in ((start, end), (start, middle), (middle, end)))
    for stream in STREAMS:
        track = devices.track(*stream)
        ticks, overlapping = waits(stream_work(devices, stream), short_gap, start, end)
        assert {name: whole[track][name] for name in CLASSES} == ticks
        for name in (*CLASSES, "idle"):
            assert whole[track][name] == sum(half[track][name] for half in halves)
        assert whole[track]["idle"] == sum(ticks.values())
        assert whole[track]["overlapping"] == overlapping


def test_waits_are_of_streams_with_launches_alone(example: Example, devices: DeviceTrace) -> None:
    assert "waits" not in {table.id for table in answer(example.reader, "gaps", each_track=True).tables}
    assert "waits" not in {table.id for table in answer(devices.reader, "gaps").tables}


# -- real runs: exact, in ns -------------------------------------------------------------------------------------------

REAL: dict[str, dict[str, tuple[int, int, int]]] = {
    "nccl_data.json.gz": {"stream 7": (540_091_317, 2_150_343, 0), "stream 40": (583_924_256, 0, 0)},
    "ns_resolution.pt.trace.json.gz": {"stream 7": (1_347_125, 6_227_613, 0)},
    "resnet50_workers4.pt.trace.json.gz": {"stream 7": (175_026_000, 10_642_000, 1_469_000)},
    "df_index_resolver.json.gz": {
        "stream 7": (876_151_000, 21_032_000, 192_512_000),
        "stream 14": (1_145_111_000, 9_343_000, 7_320_000),
    },
    "sampled_rank-0.json.gz": {
        "stream 7": (397_917_000, 3_765_000, 598_335_000),
        "stream 23": (1_214_793_000, 160_000, 34_000),
        "stream 25": (560_120_000, 35_000, 100_413_000),
        "stream 84": (794_901_000, 6_000, 3_142_000),
        "stream 203": (558_073_000, 0, 0),
    },
}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}


def ns(microseconds: object) -> int:
    return int(Decimal(str(microseconds)) * 1000)


def work_by_stream(path: Path) -> dict[str, list[Work]]:
    """The same from the file alone, with launches by their correlation."""
    with gzip.open(path, "rt") as file:
        trace = json.load(file, parse_float=Decimal)
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    runtime = ("cuda_runtime", "cuda_driver", "Runtime", "runtime")
    launches = {
        event["args"]["correlation"]: ns(event["ts"])
        for event in events
        if event.get("cat") in runtime and "correlation" in event.get("args", {})
    }
    streams: dict[str, list[Work]] = defaultdict(list)
    for event in events:
        if event.get("cat") in DEVICE:
            start = ns(event["ts"])
            launch = launches.get(event["args"].get("correlation"))
            streams[f"stream {event['args']['stream']}"].append((start, start + ns(event["dur"]), launch))
    return {stream: sorted(work, key=lambda row: row[:2]) for stream, work in streams.items()}


@pytest.mark.parametrize("name", REAL)
def test_waits_of_real_runs(name: str, tmp_path: Path) -> None:
    path = corpus_path(f"kineto/{name}")
    build_store([path], tmp_path / "store")
    table = rows(answer(QueryReader(open_run_store(tmp_path / "store")), "gaps", each_track=True), "waits")
    waits_by_stream = {row["lane"].rpartition(" › ")[2]: tuple(row[kind] for kind in CLASSES[:3]) for row in table}
    assert waits_by_stream == REAL[name]
    plain = {stream: waits(work, 30_000, 0, 1 << 62)[0] for stream, work in work_by_stream(path).items()}
    assert waits_by_stream == {stream: tuple(ticks[kind] for kind in CLASSES[:3]) for stream, ticks in plain.items()}
