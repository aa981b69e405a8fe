"""Step traces, timelines as text and as JSON lie on one clock, which begins where the timeline of the device does."""

from __future__ import annotations

import csv
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilescope
from tests.tiler.readers.ascend.conftest import index
from tilescope import Run
from tilescope.tiler.indexing.reading.same_run import SliceSpans

COUNTER = 43806841592  # of min_cycle_counter_1.txt

Slice = tuple[str, int, int]  # name, start and duration in ns


def slices(run: Run, process: str) -> dict[str, list[Slice]]:
    """Slices by track, in ns since the file's own 0."""
    assert run.tick_ps == 1000
    tracks = {track.id: track for track in run.tracks() if track.path[-1] == process and track.kind != "rollup"}
    events = run.events(tracks=list(tracks), limit=200_000)
    by_track: dict[str, list[Slice]] = {}
    rows = zip(*(events[name].tolist() for name in ("track", "name", "start", "duration")), strict=True)
    for track, name, start, duration in rows:
        by_track.setdefault(tracks[track].name, []).append((name, start, duration))
    return by_track


def steps_of(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "run_1" / "step_trace_raw_1_detail_time.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["step_num"] not in ("-", "0")]


def text_rows(corpus: Path) -> list[tuple[str, str, int, int]]:
    """Operator, stream, start and duration in ns, of the timeline as text."""
    lines = (corpus / "run_1" / "output_timeline_data_1.txt").read_text().splitlines()[1:]
    rows = [line.rsplit(",", 3) for line in lines]
    return [(name, stream, *(int(Decimal(ms) * 10**6) for ms in times)) for name, stream, *times in rows]  # type: ignore[misc]


def test_the_timeline_as_text_is_one_where_there_is_no_other(run_1: Run, corpus: Path) -> None:
    by_track = slices(run_1, "Device 1")
    rows = text_rows(corpus)
    assert len(rows) == sum(map(len, by_track.values())) == 2817
    assert min(start for _, _, start, _ in rows) == 10 * COUNTER == 438_068_415_920
    expected: dict[str, Counter[Slice]] = {}
    for name, stream, start, duration in rows:
        expected.setdefault(f"Stream {stream}", Counter())[name, start - 10 * COUNTER, duration] += 1
    assert {track: Counter(of_track) for track, of_track in by_track.items()} == expected


def test_steps_and_their_parts_begin_at_the_counter(run_1: Run, corpus: Path) -> None:
    by_track = slices(run_1, "Step trace")
    rows = steps_of(corpus)
    point = {key: [10 * (int(row[key]) - COUNTER) for row in rows] for key in ("start_point", "end_point")}
    assert by_track["Steps"] == [
        (f"Iteration {row['step_num']}", start, end - start)
        for row, start, end in zip(rows, point["start_point"], point["end_point"], strict=True)
    ]
    assert by_track["Steps"][0] == ("Iteration 1", 89_550, 284_360_730 - 89_550)
    parts = Counter[str]()
    for name, _, duration in by_track["Parts of steps"]:
        parts[name] += duration
    assert sum(parts.values()) == sum(duration for _, _, duration in by_track["Steps"])
    assert parts["Forward and backward"] == 10 * sum(int(row["bp_point"]) - int(row["fp_point"]) for row in rows)
    assert parts["Tail"] == 10 * sum(int(row["end_point"]) - int(row["bp_point"]) for row in rows)
    assert run_1.manifest["steps"] is not None


def test_communication_of_the_timeline_is_where_the_step_trace_says(drawn_run_1: Run) -> None:
    drawn, traced = slices(drawn_run_1, "Communication"), slices(drawn_run_1, "Step trace")
    reductions = {
        (start, duration)
        for name, track in traced.items()
        if name.startswith("stream_")
        for _, start, duration in track
    }
    communication = [(start, duration) for track in drawn.values() for _, start, duration in track]
    assert len(communication) == 3542
    near = {
        (start + off, duration + more) for start, duration in reductions for off in (-1, 0, 1) for more in (-1, 0, 1)
    }
    assert sum(pair in near for pair in communication) == 3542
    assert len(slices(drawn_run_1, "Device 1")) == 11
    warnings = [warning for warning in drawn_run_1.manifest["warnings"] if "output_timeline_data_1.txt" in warning]
    assert len(warnings) == 1
    assert "its rows are a table, and not drawn: the timeline of the same device is drawn" in warnings[0]


def write_steps(path: Path, starts: list[int]) -> None:
    head = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail"
    rows = [f"{k + 1},{s},{s + 90},90,{s + 10},{s + 60},10,50,30" for k, s in enumerate(starts)]
    path.write_text("\n".join([head, *rows, "-,0,0,90,0,0,10,50,30", ""]))


def test_devices_without_a_counter_begin_at_0_each(tmp_path: Path) -> None:
    for rank in range(2):
        write_steps(tmp_path / f"step_trace_raw_{rank}_detail_time.csv", [10**6 * (rank + 1), 10**6 * (rank + 1) + 100])
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        run = client.run()
        events = run.events(limit=100)
        assert sorted(events["start"].tolist()) == sorted([0, 0, 100, 600, 1000, 1000, 1100, 1600] * 2)
        assert sum("2 devices count by clocks of their own" in warning for warning in run.manifest["warnings"]) == 1
        assert {track.path[-2] for track in run.tracks() if track.kind == "slice"} >= {"device 0", "device 1"}


@pytest.mark.parametrize("counter", ["100000.0", "100000"])
def test_a_counter_shifts_the_steps_of_its_device_alone(tmp_path: Path, counter: str) -> None:
    write_steps(tmp_path / "step_trace_raw_0_detail_time.csv", [100_007])
    write_steps(tmp_path / "step_trace_raw_1_detail_time.csv", [5_000])
    (tmp_path / "min_cycle_counter_0.txt").write_text(counter)
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        events = client.run().events(limit=100)
        assert sorted(events["start"].tolist()) == [0, 0, 70, 70, 100, 170, 600, 670]


def test_steps_that_no_clock_joins_with_the_timeline_are_not_drawn(tmp_path: Path) -> None:
    write_steps(tmp_path / "step_trace_raw_0_detail_time.csv", [100_007])
    timeline: list[dict[str, Any]] = [{"name": "op", "ph": "X", "ts": 1, "dur": 2, "pid": 0, "tid": 1}]
    (tmp_path / "ascend_timeline_display_0.json").write_text(json.dumps(timeline))
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        run = client.run()
        assert len(run.events(limit=10)["start"]) == 1
        assert any("no file says where its clock begins" in warning for warning in run.manifest["warnings"])


def test_steps_of_another_time_than_the_timeline_are_said_and_not_drawn(tmp_path: Path) -> None:
    write_steps(tmp_path / "step_trace_raw_0_detail_time.csv", [100_007])
    timeline: list[dict[str, Any]] = [{"name": "op", "ph": "X", "ts": 10**6, "dur": 2, "pid": 0, "tid": 1}]
    (tmp_path / "ascend_timeline_display_0.json").write_text(json.dumps(timeline))
    for counter, is_said in (("100000", True), ("100007", True), ("7", False)):
        (tmp_path / "min_cycle_counter_0.txt").write_text(counter)
        timeline[0]["ts"] = 10**6 if is_said else 1000
        (tmp_path / "ascend_timeline_display_0.json").write_text(json.dumps(timeline))
        with tilescope.connect(index(tmp_path, tmp_path / f"store{counter}")) as client:
            run = client.run()
            warnings = run.manifest["warnings"]
            assert any("no time in common with ascend_timeline_display_0.json" in w for w in warnings) is is_said
            assert len(run.events(limit=10)["start"]) == (1 if is_said else 5)


def drawn_copy(corpus: Path, folder: Path, **changed: str) -> Path:
    """The files of `run_1` with its timeline, some with another content."""
    folder.mkdir()
    for file in (*(corpus / "run_1").iterdir(), corpus / "timeline_display_1.json"):
        (folder / file.name).symlink_to(file)
    for name, content in changed.items():
        path = folder / name.replace("_txt", ".txt").replace("_csv", ".csv")
        path.unlink()
        path.write_text(content)
    return folder


def test_a_step_trace_whose_communication_does_not_fit_is_a_table_alone(corpus: Path, tmp_path: Path) -> None:
    """A counter that is 1 us off moves all of it; one reduction that is off is said, and the rest joined."""
    folder = drawn_copy(corpus, tmp_path / "profiler", min_cycle_counter_1_txt=str(COUNTER - 100))
    with tilescope.connect(index(folder, tmp_path / "store")) as client:
        run = client.run()
        assert slices(run, "Step trace") == {}
        assert sum("of another run, or the counter is" in line for line in run.manifest["warnings"]) == 1
        assert "step_trace_raw_1_detail_time.csv" in run.ask("tables").table("tables")["name"].tolist()
    steps = (corpus / "run_1" / "step_trace_raw_1_detail_time.csv").read_text()
    lines = steps.splitlines()
    place = lines[0].split(",").index("stream_540_parallel_0_start_point")
    cells = lines[5].split(",")
    cells[place] = str(int(cells[place]) - 1)
    lines[5] = ",".join(cells)
    folder = drawn_copy(corpus, tmp_path / "off", step_trace_raw_1_detail_time_csv="\n".join([*lines, ""]))
    with tilescope.connect(index(folder, tmp_path / "off-store")) as client:
        run = client.run()
        warnings = [line for line in run.manifest["warnings"] if "communication events" in line]
        assert len(slices(run, "Step trace")["Steps"]) == len(steps_of(corpus))
        assert warnings == [
            "step_trace_raw_1_detail_time.csv: "
            "1 of 3,542 communication events of timeline_display_1.json are not where it says"
        ]


def test_a_timeline_as_text_that_differs_from_that_of_json_is_said(corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "run_1" / "output_timeline_data_1.txt").read_text()
    for number, (old, new, count) in enumerate(
        (("438068.41869,0.00215", "438068.41870,0.00215", 1), (",0.00266", ",0.00266", 0))
    ):
        assert old in text
        changed = text.replace(old, new)
        folder = drawn_copy(corpus, tmp_path / f"{number}", output_timeline_data_1_txt=changed)
        with tilescope.connect(index(folder, tmp_path / f"store{number}")) as client:
            warnings = [line for line in client.run().manifest["warnings"] if "output_timeline_data_1.txt" in line]
        expected = f"{count} of 2,817 rows are not where timeline_display_1.json has them, at the counter of the device"
        assert sum(expected in line for line in warnings) == (1 if count else 0)
        assert len(warnings) == 1 + bool(count)


PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=12)


@given(PAIRS, PAIRS)
def test_slices_are_near_as_plain_python_has_them(these: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    sides = [
        SliceSpans(*(np.array([pair[k] for pair in sorted(side)], np.int64) for k in (0, 1)))
        for side in (these, others)
    ]
    expected = [any(abs(a - c) <= 1 and abs(b - d) <= 1 for c, d in others) for a, b in sorted(these)]
    assert sides[0].near(sides[1]).tolist() == expected


def test_the_timeline_as_text_is_that_of_the_json(drawn_run_1: Run, corpus: Path) -> None:
    """Its rows, of which the JSON's are the same: start to 1 ns and duration, by stream, at the counter."""
    drawn = sorted(
        (start, duration) for track in slices(drawn_run_1, "Device 1").values() for _, start, duration in track
    )
    rows = sorted((start - 10 * COUNTER, duration) for _, _, start, duration in text_rows(corpus))
    assert len(drawn) == len(rows) == 2817
    assert all(abs(a - c) <= 1 and abs(b - d) <= 1 for (a, b), (c, d) in zip(drawn, rows, strict=True))
