"""Tables of Ascend profilers and the timelines beside them are one run; tables of other programs are none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.logdir import discover, find_run

STEPS = "step_num,start_point,end_point,total,fp_point,bp_point\n1,10,20,10,11,15\n"
EVENTS = json.dumps([{"name": "op", "ph": "X", "ts": 1, "dur": 2, "pid": 0, "tid": 1}])


def write(folder: Path, **contents: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(content)
    return folder


def profiler(folder: Path) -> Path:
    return write(
        folder,
        step_trace_raw_0_detail_time_csv=STEPS,
        ascend_timeline_display_0_json=EVENTS,
        min_cycle_counter_0_txt="10",
        flops_summary_0_json='{"FLOPs": 1.5}',
        unknown_0_csv="a,b\n1,2\n",
    )


def test_a_folder_of_tables_and_a_timeline_is_one_run(tmp_path: Path) -> None:
    folder = profiler(tmp_path / "train" / "profiler")
    for place in (tmp_path, tmp_path / "train", folder):
        (run,) = discover(place)
        assert run.path == folder
        assert [file.name for file in run.files] == sorted(path.name for path in folder.iterdir())


def test_each_training_below_a_base_folder_is_a_run(tmp_path: Path) -> None:
    for name in ("a", "b"):
        profiler(tmp_path / name / "profiler")
    assert sorted(run.name for run in discover(tmp_path)) == ["a/profiler", "b/profiler"]


def test_an_archive_of_it_is_the_same_run(tmp_path: Path) -> None:
    folder = profiler(tmp_path / "profiler")
    archive = tmp_path / "base.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in folder.iterdir():
            packed.write(path, f"train/profiler/{path.name}")
    (run,) = discover(archive)
    assert sorted(file.name for file in run.files) == sorted(path.name for path in folder.iterdir())


def test_other_traces_stay_runs_of_their_own(tmp_path: Path) -> None:
    folder = profiler(tmp_path / "all")
    write(folder, other_json=EVENTS)
    assert sorted((run.path.name, len(run.files)) for run in discover(folder)) == [("ascend*", 4), ("other.json", 1)]
    (run,) = discover(folder / "ascend*")
    assert len(run.files) == 4
    assert [len(run.files) for run in discover(folder, separate=True)] == [1] * 5


def test_a_table_of_another_program_is_no_run_unless_it_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "logs", metrics_csv="epoch,loss\n1,0.5\n", notes_txt="a, b\n")
    assert discover(folder) == []
    assert find_run(folder / "metrics.csv").files == (folder / "metrics.csv",)
    with pytest.raises(TraceError):
        discover(folder / "gone.csv")


def test_files_that_are_neither_are_named(tmp_path: Path) -> None:
    folder = write(profiler(tmp_path / "profiler"), minddata_unknown_0_json='{"a": 1}', readme_txt="hello")
    (run,) = discover(folder)
    assert run.notes == ("not read, as no table and no timeline: minddata_unknown_0.json, readme.txt",)


def test_missing_ranks_are_said(tmp_path: Path) -> None:
    for rank in (0, 1, 3):
        write(tmp_path, **{f"step_trace_raw_{rank}_detail_time_csv": STEPS})
    (run,) = discover(tmp_path)
    assert run.notes == ("3 of at least 4 ranks: 2 is missing",)
    assert run.hosts == ("device 0", "device 1", "device 3")


def test_all_folders_of_the_corpus() -> None:
    corpus = corpus_path("ascend")
    runs = discover(corpus)
    files = {file for run in runs for file in run.files}
    assert files == {path for path in corpus.rglob("*") if path.is_file()}
    assert len(files) == 83
    folders = {run.path.name: len(run.files) for run in runs if len(run.files) > 1}
    assert folders == {
        "run_1": 13, "run_2": 19, "profiler": 20, "cluster_propose": 16, "msprof_analyze": 3, "PROF_2023081814270*": 8,
    }  # fmt: skip


def test_files_of_no_device_are_no_host_of_their_own(tmp_path: Path) -> None:
    folder = profiler(tmp_path / "profiler")
    (folder / "step_trace_point_info.json").write_text('{"fp_start": "a", "bp_end": "b"}')
    run = find_run(folder)
    assert len(run.hosts) == len(run.files)
    assert set(run.hosts) == {"device 0"}
