"""Rows of tables of kernels and the events of a generated training, as plain Python joins them, and damaged copies."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, write_ascend
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.facts.event_rows import event_rows
from tilescope.tiler.facts.kernel_rows import KernelRows, as_kernel_rows, kernel_tables
from tilescope.tiler.facts.row_events import row_events
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.query.tracks import TrackTree
from tilescope.tiler.readers import side_tables
from tilescope.tiler.readers.ascend import csv_table
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.tables.about_event import about_event

Event = dict[str, Any]

HEADER = "Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"


@pytest.fixture(scope="module", params=["pt", "ms"])
def training(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """Two ranks, whose tables are stored by 50 rows."""
    folder = tmp_path_factory.mktemp(request.param)
    write_ascend(folder, Training(AscendShape(ranks=2, stages=1, steps=3)), request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_table, "MAX_ROWS", 50)
        patch.setattr(side_tables, "MAX_ROWS", 50)
        store = open_run_store(index(folder, tmp_path_factory.mktemp("store") / "store"))
    yield QueryReader(store)
    store.close()


def test_each_row_has_the_event_that_its_cells_tell_of(training: QueryReader) -> None:
    tables = kernel_tables(training)
    assert len(tables) == 2
    for kernels in tables:
        events = finish(row_events(training, kernels))
        texts = {name: finish(kernels.table.column(name)).texts() for name in kernels.table.columns}
        hosts = training.tree.of_host(kernels.table.entry.host)
        assert (events.joined, events.alike, events.named_otherwise, events.unplaced) == (len(kernels.table), 0, 0, 0)
        assert len(set(zip(events.track.tolist(), events.ordinal.tolist(), strict=True))) == len(kernels.table)
        for row, (track, ordinal) in enumerate(zip(events.track.tolist(), events.ordinal.tolist(), strict=True)):
            details = event_details(training.store, track, ordinal)
            assert details is not None
            assert track in hosts
            assert details["name"] == texts[kernels.name][row]
            origin = Decimal(training.manifest.origin_ns)
            assert int(details["start"]) == Decimal(texts[kernels.start][row] or "") * 1000 - origin
            args = {arg["name"]: arg["value"] for arg in details["args"]}
            if (task := texts[kernels.task][row]) is not None:
                assert (args["Task Id"], args["Stream Id"]) == (int(task), int(texts[kernels.stream][row] or ""))
            stream = kernels.streams()[track]
            assert finish(kernels.rows_of(int(details["start"]), details["name"], stream, task)) == [row]


def test_events_without_a_row_are_those_of_parts_of_communication(training: QueryReader) -> None:
    for kernels in kernel_tables(training):
        events = finish(row_events(training, kernels))
        counts = [training.tree.tracks[track].events for track in kernels.streams()]
        assert events.events == sum(count or 0 for count in counts)
        assert events.events_without_row == events.events - events.joined > 0


def test_a_track_is_asked_about_without_all_others(training: QueryReader, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [(kernels, kernels.streams()) for kernels in kernel_tables(training)]
    monkeypatch.setattr(TrackTree, "of_host", None)  # looks through all tracks, for each table
    for kernels, streams in tables:
        assert streams
        for track in training.tree.tracks:
            expected = {track.id: streams[track.id]} if track.id in streams else {}
            assert kernels.streams([track.id]) == expected


def test_the_first_generation_has_no_table_of_events(drawn_run: QueryReader) -> None:
    assert kernel_tables(drawn_run) == []
    assert all(as_kernel_rows(drawn_run, table) is None for table in run_tables(drawn_run))


@pytest.fixture
def drawn_run(tmp_path: Path) -> Iterator[QueryReader]:
    folder = tmp_path / "profiler"
    folder.mkdir()
    (folder / "output_timeline_data_0.txt").write_text("op_name, stream_id, start_time(ms), duration(ms)\na,1,2.5,1\n")
    store = open_run_store(index(folder, tmp_path / "store"))
    yield QueryReader(store)
    store.close()


def test_columns_without_a_name_have_a_title(tmp_path: Path) -> None:
    with opened(tmp_path, [kernel("a", 1, 10)], [[*row("a", "1", "10"), "x"]], f"{HEADER},") as (reader, kernels):
        (track,) = kernels.streams()
        cells = finish(about_event(reader, track, 0)).table("event")
        assert values_of(cells.column("column")) == [*HEADER.split(","), "column 7"]
        assert values_of(cells.column("value"))[-1] == "x"


@contextmanager
def opened(
    folder: Path, events: list[Event], rows: list[list[str]], header: str = HEADER
) -> Iterator[tuple[QueryReader, KernelRows]]:
    """A trace of one device, and a table."""
    names = [("process_name", 0, "Ascend Hardware"), *(("thread_name", tid, f"Stream {tid}") for tid in (1, 2))]
    trace = [{"ph": "M", "name": kind, "pid": 1, "tid": tid, "args": {"name": name}} for kind, tid, name in names]
    origin = {"ph": "X", "name": "host", "pid": 2, "tid": 1, "ts": 0, "dur": 1}
    (folder / "trace_view.json").write_text(json.dumps([*trace, origin, *events]))
    with (folder / "kernel_details.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    build_store([folder / "trace_view.json", folder / "kernel_details.csv"], folder / "store")
    store = open_run_store(folder / "store")
    reader = QueryReader(store)
    (kernels,) = kernel_tables(reader)
    yield reader, kernels
    store.close()


def kernel(name: str, stream: int, start: int) -> Event:
    return {"ph": "X", "name": name, "pid": 1, "tid": stream, "ts": start, "dur": 1, "args": {"Stream Id": stream}}


def row(name: str, stream: str, start: str) -> list[str]:
    return ["N/A", stream, name, "Add", "AI_CORE", start, "1"]


def test_names_are_a_check_and_rows_that_nothing_tells_apart_have_no_event(tmp_path: Path) -> None:
    events = [kernel("a", 1, 10), kernel("b", 2, 10), kernel("c", 1, 20), kernel("d", 1, 30), kernel("e", 2, 40)]
    rows = [
        row("a", "1", "10"),
        row("d", "N/A", "30"),
        row("x", "2", "10"),  # of another name than its event
        row("c", "2", "20"),  # of another stream
        row("e", "2", "40"),
        row("e", "2", "40"),  # the same again
        row("a", "1", "10.0001"),  # within a tick of 1 ns
        row("f", "1", "N/A"),
        row("f", "1", "-5"),
        row("f", "1", "9223372036854775807"),
    ]
    with opened(tmp_path, events, rows) as (reader, kernels):
        events_of_rows = finish(row_events(reader, kernels))
        assert [text is not None for text in events_of_rows.events_of(np.arange(len(rows)))] == [True] * 2 + [False] * 8
        assert (events_of_rows.joined, events_of_rows.alike, events_of_rows.named_otherwise) == (2, 2, 1)
        assert events_of_rows.unplaced == 4
        assert (events_of_rows.events, events_of_rows.events_without_row) == (5, 2)
        assert finish(kernels.rows_of(40_000, "e", 2, None)) == [4, 5]


def test_rows_of_a_capture_lead_to_its_own_events(tmp_path: Path) -> None:
    """Two captures of `msprof`, whose files have the same names and times, and no number of a device."""
    header = "Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)"
    meta = [("process_name", "Ascend Hardware"), ("thread_name", "Stream 1")]
    names = [{"ph": "M", "name": kind, "pid": 1, "tid": 1, "args": {"name": name}} for kind, name in meta]
    captures = [f"PROF_00000{number}_20230818142704322_A{number}" for number in (1, 2)]
    for capture in captures:
        folder = tmp_path / "traces" / capture / "mindstudio_profiler_output"
        folder.mkdir(parents=True)
        (folder / "msprof_20230818142705.json").write_text(json.dumps([*names, kernel("a", 1, 10)]))
        (folder / "op_summary_20230818142705.csv").write_text(f"{header}\n0,1,1,a,Add,AI_CORE,10,1\n")
        memory = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB)\nPTA,10.5,1,1\n"
        (folder / "memory_record_20230818142705.csv").write_text(memory)
    store = open_run_store(index(tmp_path / "traces", tmp_path / "store"))
    reader = QueryReader(store)
    for capture, kernels in zip(captures, kernel_tables(reader), strict=True):
        assert kernels.table.entry.host == capture
        tracks = reader.tree.of_host(capture)
        assert "PTA Total Allocated" in [reader.tree.tracks[track].name for track in tracks]
        assert set(finish(row_events(reader, kernels)).track.tolist()) <= set(tracks)
        for track in reader.tree.tracks:
            if track.name == "Stream 1":
                row_tables = [its_row.table.entry.host for its_row in finish(event_rows(reader, track.id, 0))]
                assert row_tables == reader.tree.hosts_of(track.id)
    assert [group.name for group in reader.tree.groups if group.kind != "process"] == ["2 devices", *captures]
    store.close()


@pytest.mark.parametrize("start", ["N/A", "-5", "12", "99999999999"])
@pytest.mark.parametrize("stream", ["1", "N/A"])
def test_a_table_of_another_time_than_the_run_has_no_events(tmp_path: Path, start: str, stream: str) -> None:
    with opened(tmp_path, [kernel("a", 1, 10)], [row("a", stream, start)]) as (reader, kernels):
        events = finish(row_events(reader, kernels))
        assert (events.joined, events.unplaced, events.events, events.events_without_row) == (0, 1, 1, 1)


@pytest.mark.parametrize("stream", ["-1", "-5", "abc", "1.0", "N/A", "", "1"])
def test_a_cell_that_is_no_number_of_a_stream_says_none(tmp_path: Path, stream: str) -> None:
    with opened(tmp_path, [kernel("a", 1, 10)], [row("a", stream, "10")]) as (reader, kernels):
        assert finish(row_events(reader, kernels)).joined == 1
        assert finish(kernels.rows_of(10_000, "a", 1, None)) == [0]


NAMES = st.sampled_from("ab")
STREAMS = st.sampled_from([1, 2])
STARTS = st.integers(0, 3)


@example(events=[], rows=[("a", None, 2), ("a", None, 2)])  # behind the end of the run
@given(
    events=st.lists(st.tuples(NAMES, STREAMS, STARTS), max_size=12),
    rows=st.lists(st.tuples(NAMES, st.one_of(st.none(), STREAMS), STARTS), min_size=1, max_size=12),
)
def test_the_join_is_that_of_plain_python(
    events: list[tuple[str, int, int]], rows: list[tuple[str, int | None, int]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        opened(
            Path(folder),
            [kernel(*event) for event in events],
            [row(name, "N/A" if stream is None else str(stream), str(start)) for name, stream, start in rows],
        ) as (reader, kernels),
    ):
        result = finish(row_events(reader, kernels))
        fits = [
            [event for event in events if event[::2] == (name, start) and stream in (None, event[1])]
            for name, stream, start in rows
        ]
        for number, its_row in enumerate(rows):
            is_alike = rows.count(its_row) > 1
            details = event_details(reader.store, int(result.track[number]), int(result.ordinal[number]))
            assert (result.track[number] >= 0) == (bool(fits[number]) and not is_alike)
            if result.track[number] >= 0 and details is not None:
                stream = kernels.streams()[int(result.track[number])]
                assert (details["name"], stream, int(details["start"]) // 1000) in fits[number]
        inside = [its_row for its_row in rows if its_row[2] * 1000 <= reader.end]
        assert result.alike == sum(rows.count(its_row) > 1 for its_row in inside)
        assert result.unplaced == len(rows) - len(inside)
        assert result.events == len(events)
        assert result.events_without_row == sum(not any(event in fit for fit in fits) for event in events)
        for name, stream, start in events:
            of_event = finish(kernels.rows_of(start * 1000, name, stream, None))
            assert of_event == [number for number, fit in enumerate(fits) if (name, stream, start) in fit]
