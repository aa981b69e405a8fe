"""Damaged copies, and folders of many trainings: what was damaged, and nothing else."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.ascend_run import AscendShape, Training, truth, write_base_folder, write_hostile
from bench.ascend_run.__main__ import main
from bench.ascend_run.hostile import VARIANTS, healthy_files

CAPTURE = "node-0_4100_20260101000000123_ascend_pt/ASCEND_PROFILER_OUTPUT"
SHAPE = AscendShape(ranks=2, stages=1, steps=2, layers=1, slow_peer=0, slow_reader=1)


@pytest.fixture(scope="module")
def healthy() -> dict[str, bytes]:
    return healthy_files(Training(SHAPE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder, Training(SHAPE))
    return folder


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_one_file_is_damaged(folder: Path, healthy: dict[str, bytes], variant: Any) -> None:
    top = folder / variant.name
    files = {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}
    assert [name for name, content in files.items() if healthy[name] != content] == [variant.file]
    if variant.line is not None:
        before, after = healthy[variant.file].split(b"\n"), files[variant.file].split(b"\n")
        assert [line + 1 for line in range(len(before)) if before[line] != after[line]] == [variant.line]


def read(folder: Path, variant: str, file: str) -> bytes:
    return (folder / variant / file).read_bytes()


def test_damages_are_what_their_names_say(folder: Path) -> None:
    steps = "profiler/step_trace_raw_0_detail_time.csv"
    for name, expected in (("row_too_short", -4), ("row_too_long", 3)):
        header, _, row, *_ = csv.reader(io.StringIO(read(folder, name, steps).decode()))
        assert len(row) - len(header) == expected
    kernels = f"{CAPTURE}/kernel_details.csv"
    for name, file in (("quote_without_end", "profiler/framework_raw_0.csv"), ("quote_without_end_kernels", kernels)):
        content = read(folder, name, file)
        assert content.count(b'"') % 2
    for name, file in (
        ("cut_json", "profiler/pipeline_profiling_0.json"),
        ("cut_timeline", "profiler/ascend_timeline_display_0.json"),
        ("cut_trace_view", f"{CAPTURE}/trace_view.json"),
        ("array_not_closed", f"{CAPTURE}/trace_view.json"),
        ("cut_communication", f"{CAPTURE}/communication.json"),
    ):
        with pytest.raises(json.JSONDecodeError):
            json.loads(read(folder, name, file))
    with pytest.raises(RecursionError):
        json.loads(read(folder, "deep_json", "profiler/flops_summary_0.json"))
    with pytest.raises(UnicodeDecodeError):
        read(folder, "not_utf8", "profiler/aicore_intermediate_0_type.csv").decode()
    rows = csv.DictReader(
        io.StringIO(read(folder, "cycle_of_operations", "profiler/minddata_pipeline_raw_0.csv").decode())
    )
    children = {int(row["op_id"]): json.loads(row["children_id"] or "[]") for row in rows}
    reached = [0]
    while reached[-1] not in reached[:-1]:
        reached.append(children[reached[-1]][-1])
    assert reached[-1] == 0
    assert len(read(folder, "many_columns", kernels).split(b"\n")[0].split(b",")) == 10_033
    assert str(2**63).encode() in read(folder, "beyond_64_bits", steps)
    infos = sorted((folder / "rank_twice").rglob("profiler_info_*.json"))
    assert [json.loads(path.read_text())["rank_id"] for path in infos] == [0, 0]


def test_a_step_trace_of_another_run_fits_itself_alone(folder: Path, healthy: dict[str, bytes]) -> None:
    steps = "profiler/step_trace_raw_0_detail_time.csv"
    own, other = (
        list(csv.DictReader(io.StringIO(content.decode())))
        for content in (healthy[steps], read(folder, "other_step_trace", steps))
    )
    for row, moved in zip(own, other, strict=True):
        assert {name: int(moved[name]) - int(row[name]) for name in row if name.endswith("_point")} == {
            name: 360_000_000_000 for name in row if name.endswith("_point")
        }
        assert {name: moved[name] for name in row if not name.endswith("_point")} == {
            name: row[name] for name in row if not name.endswith("_point")
        }


def test_a_base_folder_has_twenty_files_of_each_rank(tmp_path: Path) -> None:
    assert write_base_folder(tmp_path, trainings=3, ranks=2) == 120
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 120
    assert sorted(path.name for path in tmp_path.iterdir()) == ["training-000", "training-001", "training-002"]
    stamps = sorted({path.stat().st_mtime_ns for path in files})
    assert [later - stamps[0] for later in stamps] == [0, 60_000_000_000, 120_000_000_000]
    assert all(path.stat().st_size for path in files)


@pytest.mark.parametrize("kind", ["profiler", "ascend_pt", "ascend_ms", "hostile"])
def test_the_program_writes_the_truth_beside_the_files(tmp_path: Path, kind: str) -> None:
    options = ["--ranks", "2", "--stages", "1", "--steps", "2", "--layers", "1", "--slow-peer", "0"]
    assert main([str(tmp_path), "--kind", kind, *options, "--slow-reader", "1"]) == 0
    assert json.loads((tmp_path / "truth.json").read_text()) == json.loads(json.dumps(truth(Training(SHAPE))))
    assert len(list(tmp_path.iterdir())) >= 2


def test_ten_million_events_are_mostly_kernels() -> None:
    """Rows and events of a rank with the options of ten million events, of fewer layers."""
    shape = AscendShape(ranks=2, steps=2, layers=200, reduce_every=100, pause_every=8, launches=0)
    training = Training(shape)
    rank = truth(training)["ranks"][0]
    kernels = sum(kind["count"] for kind in rank["kinds"])
    lanes = sum(part["intervals"] for part in rank["parts"].values())
    assert 1.2 < (kernels + lanes) / kernels < 1.35
    assert rank["operators"] is None
