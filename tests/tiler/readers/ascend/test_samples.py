"""Time stamps of the clock of a timeline as counters: values and times as plain Python reads them, exactly."""

from __future__ import annotations

import csv
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import tilescope
from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.tiler.readers.ascend.conftest import index
from tilescope import Run
from tilescope.tiler.columns import Phase
from tilescope.tiler.readers import open_trace
from tilescope.tiler.readers.ascend import counter_rows

HEADER = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Device Type"

Sample = tuple[str, str, int, float]  # host, counter, time in ns and value


def counters(run: Run) -> Counter[Sample]:
    """Samples of all counters of a run, in ns of its files."""
    tracks = {track.id: track for track in run.tracks() if track.kind == "counter"}
    origin = int(run.manifest["origin_ns"])
    samples: Counter[Sample] = Counter()
    if not tracks:
        return samples
    rows = run.events(tracks=list(tracks), limit=200_000)
    for track, start, value in zip(*(rows[name].tolist() for name in ("track", "start", "value")), strict=True):
        samples[tracks[track].path[-2], tracks[track].name, origin + start, value] += 1
    return samples


def test_memory_is_what_the_files_say(tmp_path: Path) -> None:
    """Samples of each rank by component: MB become bytes, and what is empty is no sample."""
    folders = write_ascend(tmp_path, Training(AscendShape(ranks=2, stages=1, steps=2)), "pt")
    expected: Counter[Sample] = Counter()
    for rank, folder in enumerate(folders):
        for name in ("memory_record.csv", "npu_module_mem.csv"):
            with (folder / "ASCEND_PROFILER_OUTPUT" / name).open(newline="") as file:
                for row in csv.DictReader(file):
                    time_ns = int(Decimal(row["Timestamp(us)"].strip()) * 1000)
                    for column in ("Total Allocated(MB)", "Total Reserved(MB)", "Total Active(MB)"):
                        if row.get(column):
                            counter = f"{row['Component']} {column.removesuffix('(MB)')}"
                            expected[f"rank {rank}", counter, time_ns, float(Fraction(row[column]) * 2**20)] += 1
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        run = client.run()
        assert counters(run) == expected
        processes = list(dict.fromkeys(track.path[-1] for track in run.tracks() if track.path[-2:-1] == ("rank 0",)))
        assert processes[-2:] == ["Memory", "Memory of modules"]  # below the timeline
    assert len(expected) > 100


def samples(path: Path) -> tuple[list[tuple[str, int, int, float]], dict[str, int]]:
    """Counter, time in ns and ps, and value of each sample of a file; what was ignored."""
    reader = open_trace(path)
    try:
        rows: list[tuple[int, int, int, float]] = []
        for chunk in reader.chunks():
            if len(chunk):
                assert chunk.value is not None
                assert chunk.time_ps is not None
                assert set(chunk.phase.tolist()) == {Phase.COUNTER}
                columns = (chunk.track, chunk.time_ns, chunk.time_ps, chunk.value)
                rows += zip(*(column.tolist() for column in columns), strict=True)
        names = [track.name for track in reader.summary().tracks]
        return [(names[track], *rest) for track, *rest in rows], dict(reader.summary().ignored)  # type: ignore[misc]
    finally:
        reader.close()


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ("0.1", float(Fraction(1, 10) * 2**20)),
        ("9007199254740993", float(Fraction(9007199254740993) * 2**20)),
        ("123456.789012345678", float(Fraction("123456.789012345678") * 2**20)),
        ("-3", -3.0 * 2**20),
    ],
)
def test_sizes_are_the_nearest_doubles(tmp_path: Path, size: str, value: float) -> None:
    path = tmp_path / "memory_record.csv"
    path.write_text(f"{HEADER}\nPTA,176722560012345.6785\t,{size},,,NPU:0\n")
    assert samples(path) == ([("PTA Total Allocated", 176722560012345678, 500, value)], {})


@pytest.mark.parametrize("unit", ["(MB)", " (MB)", "  (MB)"])
def test_blanks_before_a_unit_change_nothing(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "memory_record.csv"
    path.write_text(f"Component,Timestamp (us),Total Allocated{unit},Device Type\nPTA,1767225600123456,2,NPU:0\n")
    assert samples(path) == ([("PTA Total Allocated", 1767225600123456000, 0, 2.0 * 2**20)], {})


@pytest.mark.parametrize("name", ["memory_record.csv", "minddata_aicpu_0.txt"])
def test_what_was_known_early_stays_as_it_was(name: str, tmp_path: Path) -> None:
    """A snapshot has as many tracks as it had when it was taken: its rows are of these."""
    rows = {
        "memory_record.csv": [HEADER, *(f"A{row // 40_000},{row},1,1,1,NPU:0" for row in range(80_000))],
        "minddata_aicpu_0.txt": [f"GetNext_wait {row} {row} 3" for row in range(80_000)],
    }
    path = tmp_path / name
    path.write_text("\n".join([*rows[name], ""]))
    reader = open_trace(path)
    chunks = reader.chunks()
    next(chunks)
    early = reader.summary_so_far()
    tracks, count = list(early.tracks), early.counts.total
    for _ in chunks:
        pass
    assert (early.tracks, early.counts.total) == (tracks, count)
    assert len(reader.summary().tracks) > len(tracks)
    reader.close()


def test_hostile_cells_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_rows, "MOST_TRACKS", 3)
    rows = [
        "A,1,1,x,N/A,NPU:0",
        "A,,5,5,5,NPU:0",
        "A,-1,5,5,5,NPU:0",
        "A,99999999999999999999,5,5,5,NPU:0",
        "B,2,2,2,,NPU:0",
    ]
    rows += ["C,3,7,8,9,NPU:0", "A,4,1e400,NaN,3.5,NPU:0", ",5,1,,,NPU:0"]
    path = tmp_path / "memory_record.csv"
    path.write_text("\n".join([HEADER, *rows, ""]))
    drawn, ignored = samples(path)
    assert sorted(drawn) == [
        (f"{component} Total Allocated", time_us * 1000, 0, size * 2**20)
        for component, time_us, size in (("A", 1, 1), ("B", 2, 2), ("C", 3, 7))
    ]
    assert ignored == {"rows_without_times": 3, "cells_without_numbers": 3, "samples_of_more_counters": 5}


@pytest.mark.parametrize("says_rank", [True, False])
def test_memory_of_another_time_is_a_table_alone(tmp_path: Path, says_rank: bool) -> None:
    (folder,) = write_ascend(tmp_path, Training(AscendShape(ranks=1, stages=1, steps=2)), "pt")
    for path in () if says_rank else [*folder.glob("profiler_*.json")]:
        path.unlink()
    path = folder / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    path.write_text(f"{HEADER}\nPTA,1000.5,1,1,1,NPU:0\nPTA,1001,1,1,1,NPU:0\n")
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        run = client.run()
        assert not any(counter.startswith("PTA") for _, counter, _, _ in counters(run))
        assert sum("memory_record.csv: its rows are a table" in line for line in run.manifest["warnings"]) == 1
        assert "memory_record.csv" in run.ask("tables").table("tables")["name"].tolist()


def test_data_queues_are_drawn_where_they_count_by_the_clock_of_their_device(tmp_path: Path) -> None:
    """Microseconds of the counter; files whose stamps are of no clock of the timeline are named once."""
    write_profiler(tmp_path / "profiler", Training(AscendShape(ranks=2, stages=1, steps=3)))
    expected: Counter[tuple[str, int, float]] = Counter()
    for rank in range(2):
        origin = Decimal((tmp_path / "profiler" / f"min_cycle_counter_{rank}.txt").read_text()) * 10
        for line in (tmp_path / "profiler" / f"minddata_aicpu_{rank}.txt").read_text().splitlines():
            name, start, _, size = line.split()
            expected[f"{name} queue size", int(int(start) * 1000 - origin), float(size)] += 1
    with tilescope.connect(index(tmp_path / "profiler", tmp_path / "store")) as client:
        run = client.run()
        drawn: Counter[tuple[str, int, float]] = Counter()
        for (_, counter, time_ns, value), count in counters(run).items():
            drawn[counter, time_ns, value] += count
        assert drawn == expected
        stamps = [line for line in run.manifest["warnings"] if "are of no clock of the timeline" in line]
        assert len(stamps) == 1
        assert "dataset_iterator_profiling, device_queue_profiling, minddata_cpu_utilization" in stamps[0]
    for rank in range(2):
        (tmp_path / "profiler" / f"minddata_aicpu_{rank}.txt").write_text("GetNext_dequeue_wait 100 101 3\n")
    with tilescope.connect(index(tmp_path / "profiler", tmp_path / "other")) as client:
        run = client.run()
        assert not counters(run)
        assert sum("of another clock, or run" in line for line in run.manifest["warnings"]) == 2
