"""Sums of tracks and parts of real Ascend files, counted from the files by hand, to the last digit."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.table_answers import rows_of, table_answer
from tilescope.tiler.indexing import build_store


def ms(nanoseconds: int) -> float:
    return round(nanoseconds / 10**6, 4)


def test_the_last_row_of_a_mean_step(tmp_path: Path) -> None:
    """MindInsight's row of stream 540: a gap of 118.1667 ms behind the interval, 49.281 ms, and one of 37.7294 ms."""
    build_store([corpus_path("ascend/run_1/step_trace_raw_1_detail_time.csv")], tmp_path / "run.store")
    answer = table_answer("step_trace", tmp_path / "run.store")
    rows = rows_of(answer, "parts", "row", "part", "start", "duration")
    assert len({row for row, *_ in rows}) == 13, "the step, its tail, and eleven streams"
    (_, _, _, interval), *_, (row, part, start, duration) = rows
    assert (row, part) == ("stream_540", "stream_540_parallel_0")
    assert [ms(ticks) for ticks in (interval, start, duration)] == [0.2038, 118.3705, 49.281]
    assert round(ms(start) - ms(interval), 4) == 118.1667
    whole = answer.fact("step").value
    assert isinstance(whole, int)
    assert [ms(start + duration), ms(whole - start - duration)] == [167.6515, 37.7294]


@pytest.mark.parametrize(
    ("name", "pid", "tid", "process", "count", "picoseconds"),
    [
        ("timeline_display_1.json", 1, 541, "Device 1", 476, 527_727_810_000),
        ("timeline_display_1.json", 10000, 540, "Communication", 322, 15_871_844_140_000),
        ("msprof_0_2_10.json", None, "Step Trace(Model ID:2)", "Ascend Hardware", 4, 42_923_990_001),
        ("msprof_1_0_6.json", None, "Step Trace(Model ID:0)", "Ascend Hardware", 4, 41_976_469_999),
    ],
)
def test_sums_of_tracks(
    tmp_path: Path, name: str, pid: int | None, tid: int | str, process: str, count: int, picoseconds: int
) -> None:
    """Sums of all digits of the file: each duration cut to nanoseconds or rounded gives a little less or more."""
    path = corpus_path(f"ascend/{name}")
    if pid is not None:
        events = json.loads(path.read_bytes(), parse_float=Decimal)
        own = [Decimal(event["dur"]) for event in events if (event["pid"], event.get("tid")) == (pid, tid)]
        assert (len(own), round(sum(own) * 10**6)) == (count, picoseconds)
    build_store([path], tmp_path / "run.store")
    stats = table_answer("stats", tmp_path / "run.store", by="track", limit=1000)
    track = tid if pid is None else f"Stream {tid}"
    (row,) = [
        (runs, busy)
        for own_name, group, runs, busy in rows_of(stats, "names", "name", "process", "count", "busy")
        if (own_name, group) == (track, process)
    ]
    tick_ps = 1000 if pid is not None else 1
    assert row == (count, picoseconds // tick_ps)


def test_the_summary_of_a_real_timeline(tmp_path: Path) -> None:
    """MindSpore's 1771382.85 us of 2,817 runs on 11 streams are those of the operators that are drawn."""
    summary = json.loads(corpus_path("ascend/run_1/timeline_summary_1.json").read_text())
    build_store([corpus_path("ascend/timeline_display_1.json")], tmp_path / "run.store")
    stats = table_answer("stats", tmp_path / "run.store", by="track", limit=1000)
    tracks = rows_of(stats, "names", "process", "count", "busy")
    own = [(count, busy) for process, count, busy in tracks if process == "Device 1"]
    assert (len(own), sum(count for count, _ in own)) == (summary["num_of_streams"], summary["op_exe_times"])
    assert (len(own), sum(count for count, _ in own)) == (11, 2817)
    assert sum(busy for _, busy in own) == 1_771_382_850 == round(summary["total_time"] * 1000)
