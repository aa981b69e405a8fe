"""Captures of Ascend devices: which folders are one run, and what is left aside."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.corpus import corpus_path
from tilescope.tiler.errors import TraceError, UsageError
from tilescope.tiler.readers import DiscoveredRun, discover, find_run, open_trace
from tilescope.tiler.readers.layouts import ascend
from tilescope.tiler.readers.layouts.ascend import ascend_runs, is_joined_name
from tilescope.tiler.readers.layouts.ascend_names import DevicePlace, device_place
from tilescope.tiler.readers.layouts.ascend_ranks import NO_RANK
from tilescope.tiler.readers.logdir import separated_runs

EVENTS = [{"ph": "X", "pid": 3, "tid": 1, "name": "a", "ts": 1, "dur": 1}]
FIRST = "PROF_000001_20230818142704322_AAAA"
SECOND = "PROF_000001_20230818142704567_BBBB"


def put(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(EVENTS) if path.suffix == ".json" else "a,b\n")


def described(root: Path, runs: Iterable[DiscoveredRun]) -> dict[str, list[str]]:
    return {run.path.relative_to(root).as_posix(): [file.name for file in run.files] for run in runs}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{FIRST}/device_0/timeline/msprof_0_2_1.json", (FIRST, "0")),
        (f"x/{FIRST}/device_12/timeline/other.json.gz", (FIRST, "12")),
        (f"{FIRST}/mindstudio_profiler_output/msprof_20240102030405.json", (FIRST, "")),
        (f"n_7_20240102030405678_ascend_pt/{FIRST}/device_1/timeline/x.json", ("n_7_20240102030405678_ascend_pt", "1")),
        ("logs.zip/msprof_0_2_1.json", ("", "0")),
        ("profiler/ascend_timeline_display_3.json", ("profiler", "3")),
        ("profiler/trace.json", ("", "")),
        (f"{FIRST}/mindstudio_profiler_output/op_summary_3_2_1.csv", (FIRST, "3")),
        (f"{FIRST}/mindstudio_profiler_output/op_summary_20240102030405.csv", (FIRST, "")),
    ],
)
def test_place_of_a_file(path: str, place: tuple[str, str]) -> None:
    assert device_place(Path(path)) == DevicePlace(*place)


def test_all_of_a_capture_is_a_run_and_devices_seconds_apart_are_one(tmp_path: Path) -> None:
    for folder, device in ((FIRST, 0), (SECOND, 1)):
        timeline = tmp_path / folder / f"device_{device}" / "timeline"
        put(timeline / f"msprof_{device}_2_1.json", timeline / f"msprof_{device}_2_10.json")
        put(tmp_path / folder / f"device_{device}" / "summary" / "op_summary.csv")
    put(tmp_path / "else.json")
    name = "PROF_2023081814270*"
    traces = ["msprof_0_2_1.json", "msprof_0_2_10.json", "msprof_1_2_1.json", "msprof_1_2_10.json"]
    files = [*traces, "op_summary.csv", "op_summary.csv"]
    assert described(tmp_path, discover(tmp_path)) == {name: files, "else.json": ["else.json"]}
    run = find_run(tmp_path / name)
    assert [file.name for file in run.files] == files
    assert run.hosts == ("device 0", "device 0", "device 1", "device 1", "device 0", "device 1")
    assert [file.relative_to(tmp_path).parts[0] for file in run.files[-2:]] == [FIRST, SECOND]
    assert run.side_files == ()
    assert run.is_unconfirmed
    assert len(run.notes) == 1
    assert "2 captures seconds apart are one run" in run.notes[0]
    assert len(discover(tmp_path, separate=True)) == 7
    with pytest.raises(UsageError, match="--separate takes apart"):
        discover(tmp_path / name, separate=True)


def test_a_capture_or_a_folder_in_it_is_a_run_by_itself(tmp_path: Path) -> None:
    timeline = tmp_path / FIRST / "device_0" / "timeline"
    put(timeline / "msprof_0_2_1.json", timeline / "msprof_0_2_2.json", tmp_path / FIRST / "host" / "secret.csv")
    for path, files in ((tmp_path / FIRST, 3), (timeline, 2)):
        run = find_run(path)
        assert (run.path, run.name) == (path, path.name)
        assert len(run.files) == files
        assert not run.is_unconfirmed
    assert find_run(timeline).side_files == ()  # nothing above what was asked for


@pytest.mark.parametrize(
    "second",
    ["PROF_000001_20230818142805000_BBBB", "PROF_000001_20239918142704567_BBBB"],  # a minute later; no such month
)
def test_captures_of_other_times_are_runs_of_their_own(tmp_path: Path, second: str) -> None:
    for folder, device in ((FIRST, 0), (second, 1)):
        put(tmp_path / folder / f"device_{device}" / "timeline" / f"msprof_{device}_2_1.json")
    assert set(described(tmp_path, discover(tmp_path))) == {FIRST, second}


def test_captures_of_one_device_are_runs_of_their_own(tmp_path: Path) -> None:
    for folder in (FIRST, SECOND):
        put(tmp_path / folder / "device_0" / "timeline" / "msprof_0_2_1.json")
    assert set(described(tmp_path, discover(tmp_path))) == {FIRST, SECOND}


def test_what_msprof_left_in_the_folder_of_a_framework_is_the_same_capture(tmp_path: Path) -> None:
    folder = tmp_path / "node_7_20240102030405678_ascend_pt"
    put(folder / FIRST / "mindstudio_profiler_output" / "msprof_20240102030405.json")
    assert described(tmp_path, discover(tmp_path)) == {folder.name: ["msprof_20240102030405.json"]}
    put(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json", folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv")
    put(folder / FIRST / "mindstudio_profiler_output" / "op_summary_20240102030405.csv")
    run = find_run(tmp_path)
    tables = ["kernel_details.csv", "op_summary_20240102030405.csv"]
    assert [file.name for file in run.files] == [*tables, "trace_view.json"]
    assert run.notes == ("msprof_20240102030405.json is left out: trace_view.json of the same capture has all",)
    other = tmp_path / "node_8_20240102030406000_ascend_pt"
    put(other / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
    assert described(tmp_path, discover(tmp_path)) == {
        "ascend_2024010203040*": [*tables, "trace_view.json", "trace_view.json"]
    }


def test_tables_of_one_name_in_two_folders_of_a_capture_count_once(tmp_path: Path) -> None:
    folder = tmp_path / "node_7_20240102030405678_ascend_pt"
    output, exported = folder / "ASCEND_PROFILER_OUTPUT", folder / FIRST / "mindstudio_profiler_output"
    put(output / "trace_view.json", exported / "communication.json", exported / "msprof_20240102030405.json")
    run = find_run(tmp_path)
    assert [file.name for file in run.files] == ["communication.json", "trace_view.json"], "no timeline has it"
    put(output / "communication.json", output / "op_statistic.csv", folder / "communication.json")
    put(exported / "op_statistic.csv")
    run = find_run(tmp_path)
    assert [file.relative_to(folder).as_posix() for file in run.files] == [
        *(f"{output.name}/{name}" for name in ("communication.json", "op_statistic.csv", "trace_view.json"))
    ]
    assert run.notes == (
        "msprof_20240102030405.json is left out: trace_view.json of the same capture has all",
        f"{exported.name}/communication.json, {folder.name}/communication.json and {exported.name}/op_statistic.csv "
        "are left out: the same capture has another",
    )


def test_a_trace_view_of_msprof_alone_is_shown(tmp_path: Path) -> None:
    put(tmp_path / "n_7_20240102030405678_ascend_pt" / FIRST / "trace_view.json")
    assert [file.name for file in find_run(tmp_path).files] == ["trace_view.json"]


def test_an_archive_has_the_same_traces_of_a_capture(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "node_7_20240102030405678_ascend_pt"
    other = tmp_path / "logs" / "node_8_20240102030406000_ascend_pt"
    put(folder / FIRST / "device_0" / "timeline" / "msprof_0_2_1.json")
    for rank, place in enumerate((folder, other)):
        put(place / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
        texts = {"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": EVENTS}
        (place / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").write_text(json.dumps(texts))
    archive = tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        for file in sorted((tmp_path / "logs").rglob("*.json")):
            writer.write(file, file.relative_to(tmp_path))
    run, in_archive = find_run(tmp_path / "logs"), find_run(archive)
    assert [file.relative_to(tmp_path) for file in run.files] == [
        file.relative_to(archive) for file in in_archive.files
    ]
    assert any("trace_view.json of the same capture has all" in note for note in in_archive.notes)


def test_tables_are_looked_for_in_few_folders_and_not_behind_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / FIRST / "msprof_0_2_1.json", tmp_path / FIRST / "a.xlsx", tmp_path / "outside" / "b.xlsx")
    (tmp_path / FIRST / "loop").symlink_to(tmp_path / FIRST)
    (tmp_path / FIRST / "out").symlink_to(tmp_path / "outside")
    (tmp_path / FIRST / "b.xlsx").symlink_to(tmp_path / "outside" / "b.xlsx")
    assert [file.name for file in find_run(tmp_path).side_files] == ["a.xlsx"]
    monkeypatch.setattr(ascend, "_MOST_LISTED", 3)
    put(*(tmp_path / FIRST / f"{number}.xlsx" for number in range(20)))
    assert len(find_run(tmp_path).side_files) < 3


def test_runs_in_the_same_ten_seconds_have_names_of_their_own(tmp_path: Path) -> None:
    later = ("PROF_000001_20230818142708000_CCCC", "PROF_000001_20230818142709000_DDDD")
    for number, folder in enumerate((FIRST, SECOND, *later)):
        device = number % 2
        put(tmp_path / folder / f"device_{device}" / "timeline" / f"msprof_{device}_2_1.json")
    runs = described(tmp_path, discover(tmp_path))
    assert set(runs) == {"PROF_2023081814270*", "PROF_000001_20230818142708000_CCCC*"}
    for name in runs:
        assert len(find_run(tmp_path / name).files) == 2


def test_a_capture_of_another_time_is_a_run_of_its_own(tmp_path: Path) -> None:
    for folder, device in ((FIRST, 0), (SECOND, 1)):
        put(tmp_path / folder / f"device_{device}" / "timeline" / f"msprof_{device}_2_1.json")
    (run,) = separated_runs(find_run(tmp_path), [1])
    assert (run.path, run.name) == (tmp_path / SECOND, SECOND)
    assert run.files == find_run(run.path).files


def test_captures_are_listed_by_the_times_in_their_names(tmp_path: Path) -> None:
    names = [f"n_{hour}_202401020{hour}0405678_ascend_pt" for hour in (5, 3, 4)]
    for name in names:
        put(tmp_path / name / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
    put(tmp_path / "PROF_000001_20240102033005000_AAAA" / "device_0" / "timeline" / "msprof_0_2_1.json")
    runs = [run.name for run in discover(tmp_path)]
    assert runs == [names[0], names[2], "PROF_000001_20240102033005000_AAAA", names[1]]


def test_many_captures_are_found_in_time() -> None:
    start = time.process_time()
    files = [Path(f"/logs/n_{k}_20240102030405678_ascend_pt/OUT/trace_view.json") for k in range(20_000)]
    (run,) = ascend_runs(files, lambda _: NO_RANK)
    assert len(run.captures) == len(files)
    assert time.process_time() - start < 10


def test_names_that_captures_have_together() -> None:
    assert is_joined_name("PROF_2023081814270*")
    assert is_joined_name("ascend_2024010203040*")
    assert not is_joined_name("PROF_x*")


def test_a_real_capture_of_two_devices() -> None:
    run = find_run(corpus_path("ascend/two_ranks"))
    assert len(run.files) == 8
    assert set(run.hosts) == {"device 0", "device 1"}


def test_real_tables_are_read() -> None:
    run = find_run(corpus_path("ascend/profiler/ascend_timeline_display_0.json").parent)
    assert len(run.files) == 20
    assert {"ascend_timeline_display_0.json", "flops_1.txt"} <= {file.name for file in run.files}


def test_what_is_not_read_is_named_with_what_to_run(tmp_path: Path) -> None:
    framework = tmp_path / "n_7_20240102030405678_ascend_ms"
    put(framework / "ASCEND_PROFILER_OUTPUT" / "trace_view.json", framework / FIRST / "device_0" / "data" / "x.bin")
    put(framework / "ASCEND_PROFILER_OUTPUT" / "analysis.db", framework / "profiler_info_0.json")
    put(tmp_path / SECOND / "device_1" / "data" / "x.bin")
    run = find_run(tmp_path)
    assert [file.name for file in run.side_files] == ["analysis.db"]
    assert len(run.notes) == 3
    assert run.notes[0].startswith("analysis.db is a database, not read: record, or analyse, with an export of text")
    assert run.notes[1].startswith(f"{framework.name}/{FIRST}/device_0/data is not read: raw data of the")
    assert run.notes[1].endswith("or msprof --export=on --output=FOLDER, makes files that are read")
    assert run.notes[2].startswith(f"{SECOND} is left out: it has raw data alone: profiler.analyse() of its framework")
    with pytest.raises(TraceError, match="msprof --export=on"):
        find_run(tmp_path / SECOND)


def test_checkpoints_and_summaries_beside_a_profile_are_named(tmp_path: Path) -> None:
    profiler = tmp_path / "summary" / "profiler"
    put(profiler / "n_7_20240102030405678_ascend_ms" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
    put(profiler / "n_7_20240102030405678_ascend_ms" / "FRAMEWORK" / "x.bin")
    put(tmp_path / "summary" / "lenet-1_32.ckpt", tmp_path / "summary" / "events.out.events.summary.1.host_MS")
    put(tmp_path / "other" / "a.json", tmp_path / "other" / "b.ckpt")
    notes = {run.name: run.notes for run in discover(tmp_path)}
    raw, summaries = notes["summary/profiler/n_7_20240102030405678_ascend_ms"]
    assert raw.startswith("n_7_20240102030405678_ascend_ms/FRAMEWORK is not read: raw data of the profiler")
    assert summaries.startswith(
        "events.out.events.summary.1.host_MS and lenet-1_32.ckpt beside the profile are not read: checkpoints and"
    )
    assert notes["other/a.json"] == ()


def test_trainings_in_an_archive_are_the_runs_that_they_are_on_disk(tmp_path: Path) -> None:
    """Captures days apart are no ranks of one job, also in an archive."""
    base = tmp_path / "base"
    shape = AscendShape(ranks=2, stages=1, steps=1, layers=1)
    write_profiler(base / "lenet" / "profiler", Training(shape))
    write_ascend(base / "gpt", Training(shape), "pt")
    write_ascend(base / "llama", Training(shape), "ms")
    archive = tmp_path / "base.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for path in sorted(base.rglob("*")):
            zipped.write(path, path.relative_to(base))

    def contents(root: Path) -> dict[str, list[tuple[str, str]]]:
        return {
            run.path.relative_to(root).as_posix(): [
                (file.relative_to(root).as_posix(), host) for file, host in zip(run.files, run.hosts, strict=True)
            ]
            for run in discover(root)
        }

    in_archive = contents(archive)
    assert in_archive == contents(base)
    assert sorted(in_archive) == ["gpt/ascend_2026010100000*", "lenet/profiler", "llama/ascend_2026010100000*"]
    (run,) = discover(archive / "gpt" / "ascend_2026010100000*")
    assert len(run.files) == len(in_archive["gpt/ascend_2026010100000*"])
    with zipfile.ZipFile(archive, "a") as zipped:
        capture = run.files[0].relative_to(archive).parent
        zipped.writestr((capture / "empty.json").as_posix(), b"")
    assert contents(archive) == in_archive
    runs = discover(archive)
    assert len({run.id for run in runs}) == len(runs) == 3
    assert any("empty.json is left out: it is empty" in run.notes for run in runs)


def test_a_file_that_is_named_alone_says_which_folder_has_the_rest(tmp_path: Path) -> None:
    shape = AscendShape(ranks=1, stages=1, steps=1, layers=1)
    write_profiler(tmp_path / "lenet" / "profiler", Training(shape))
    (capture,) = write_ascend(tmp_path / "gpt", Training(shape), "pt")
    (run,) = discover(tmp_path / "lenet" / "profiler" / "step_trace_raw_0_detail_time.csv")
    assert len(run.files) == 1
    assert run.notes[0].endswith("with files beside it: open their folder, profiler, to have all in one run")
    (run,) = discover(capture / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv")
    assert run.notes[0].endswith(f"with files beside it: open their folder, {capture.name}, to have all in one run")
    alone = tmp_path / "op_statistic.csv"
    alone.write_bytes((capture / "ASCEND_PROFILER_OUTPUT" / "op_statistic.csv").read_bytes())
    assert discover(alone)[0].notes == ()


def test_raw_data_that_is_named_says_what_makes_files_of_it(tmp_path: Path) -> None:
    put(tmp_path / FIRST / "device_0" / "data" / "x.bin")
    (tmp_path / FIRST / "device_0" / "data" / "x.bin").write_bytes(bytes(range(200)))
    with pytest.raises(TraceError, match=rf"{FIRST} is left out: it has raw data alone: profiler.analyse"):
        discover(tmp_path / FIRST)
    (run,) = discover(tmp_path / FIRST / "device_0" / "data" / "x.bin")
    with pytest.raises(TraceError, match="is raw data of a profiler of Ascend devices"):
        open_trace(run.path)
