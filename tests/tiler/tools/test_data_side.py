"""Input pipeline of Ascend runs: stages, queues and the pipeline of mindspore.dataset, and its reasons without them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench.ascend_run import AscendShape, Training, truth, write_ascend, write_profiler
from tests.corpus import corpus_path
from tests.table_answers import column, table_answer, texts
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of


def input_pipeline(store: Path, **values: Any) -> Answer:
    return table_answer("input_pipeline", store, **values)


def test_stages_and_advice_of_a_real_run(tmp_path: Path) -> None:
    build_store(sorted(corpus_path("ascend/run_2").iterdir()), tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert column(answer, "data_stages", "verdict") == ["warning", "normal", "normal"]
    assert column(answer, "data_stages", "in_doubt") == [1, 0, None]
    assert column(answer, "data_stages", "empty") == [1, 0, 0]
    assert column(answer, "data_stages", "steps") == [1, 3, 3]
    assert column(answer, "data_stages", "share")[0] == 1.0
    tick_ps = 1000
    assert column(answer, "data_stages", "time") == [0, 4 * 10**9 // tick_ps, 2 * 10**6 // tick_ps]
    assert column(answer, "data_stages", "mean")[2] == 667  # ns: 0.000666… ms
    assert column(answer, "data_operations", "operation")[-1] == "ImageFolderOp_3"
    assert column(answer, "data_operations", "verdict") == [None, None, None, "bottleneck"]
    assert (answer.fact("data_stage").value, answer.fact("full_host").value) == ("processing", 0)
    assert "the host queue is empty in 1 of 1 step (100 %), more than 30 %: ImageFolderOp_3 first" in texts(answer)
    assert "ImageFolderOp_3 is the bottleneck of the pipeline: raise num_parallel_workers." in texts(answer)
    assert "step 5 of one is not step 5 of another" in texts(answer)


QUEUES = {
    # Sizes of the host queue, of 8, and of the data queue: what is said of them.
    "training waits, processing is slow": (
        [0, 0, 5], [0, 0, 3], "warning", "Processing of data is slow: the host queue is empty in 2 of 3 steps (67 %)",
    ),
    "just not often": ([0, *[5] * 3], [1] * 4, "info", "Data are there when training asks for them"),
    "sending is slow": (
        [8, 8, 7, 5], [0, 0, 1, 2], "warning",
        "Sending data to the device is in doubt: the data queue is empty in 2 of 4 steps (50 %), and training waits "
        "there, while the host queue is empty in 0 of 4 steps (0 %), no more than 30 %, and full in 2.",
    ),
    "nobody waits": ([8, 5, 4], [1, 2, 3], "info", "Data are there when training asks for them"),
}  # fmt: skip


@pytest.mark.parametrize("case", QUEUES)
def test_what_two_queues_say(case: str, tmp_path: Path) -> None:
    host, data, severity, text = QUEUES[case]
    (tmp_path / "device_queue_profiling_0.txt").write_text(
        "".join(f"1 8 {step} {size} {step}\n" for step, size in enumerate(host, 1))
    )
    (tmp_path / "minddata_aicpu_0.txt").write_text(
        "".join(f"GetNext_dequeue_wait {10 * step} {10 * step + 1} {size}\n" for step, size in enumerate(data))
    )
    build_store(sorted(tmp_path.glob("*.txt")), tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert answer.headline is not None  # nothing else waits: the run marks no steps
    assert answer.headline.text.startswith(text)
    assert answer.headline.severity == severity
    figures = [answer.fact(name).value for name in ("empty_host", "full_host", "empty_data")]
    assert figures == [host.count(0), host.count(8), data.count(0)]


ADVICE = {
    "TFReader": "raise num_parallel_workers.",
    "GeneratorOp": "raise num_parallel_workers, or read from a MindRecordDataset in its place.",
    "MapOp": "raise num_parallel_workers, and tune what it maps if that is a Python function.",
    "BatchOp": "change prefetch_size.",
    "Zip": "raise num_parallel_workers where it has them.",
}


@pytest.mark.parametrize("kind", ADVICE)
def test_what_to_do_about_each_kind_of_operation(kind: str, tmp_path: Path) -> None:
    """A reader has nothing behind it, and fills its queue too slowly; any other takes too slowly from a full one."""
    header = "op_id,op_type,num_workers,output_queue_size,output_queue_length,children_id\n"
    is_reader = kind in ("TFReader", "GeneratorOp")
    rows = (
        f'0,Shuffle,1,[10],64,"[1]"\n1,{kind},1,[10],64,\n'
        if is_reader
        else f'0,Take,1,[1],64,"[1]"\n1,{kind},1,[1],64,"[2]"\n2,TFReader,1,[60],64,\n'
    )
    (tmp_path / "minddata_pipeline_raw_0.csv").write_text(header + rows)
    build_store([tmp_path / "minddata_pipeline_raw_0.csv"], tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert f"{kind}_1 is the bottleneck of the pipeline: {ADVICE[kind]}" in texts(answer)


def test_two_readers_are_the_bottlenecks_of_a_pipeline_alone(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/profiler/minddata_pipeline_raw_0.csv")], tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert column(answer, "data_operations", "usage") == [None, 0.3125, 0.3125, 0.3125]
    assert answer.table("data_operations").column("usage").total == "max"  # queues are no parts of a whole
    assert column(answer, "data_operations", "takes_from") == ["1", "2, 3", None, None]
    assert column(answer, "data_queues", "source") == [1, 2, 3]
    assert column(answer, "data_queues", "target") == [0, 1, 1]
    (curves,) = (series for series in answer.series if series.id == "data_samples")
    assert [list(values_of(y)) for y in curves.ys] == [[10, 20, 30]] * 3
    assert "TFReader_3, TFReader_2 are the bottlenecks" in texts(answer)
    assert answer.fact("data_stage").value is None


@pytest.fixture(scope="module")
def training() -> Training:
    return Training(AscendShape(ranks=2, stages=1))


def test_queues_of_a_synthetic_rank(training: Training, tmp_path: Path) -> None:
    build_store(write_profiler(tmp_path / "profiler", training), tmp_path / "store")
    expected = truth(training)
    for rank in (0, 1):
        answer = input_pipeline(tmp_path / "store", rank=rank)
        assert answer.fact("data_rank").value == str(rank)
        curves = {series.id: series for series in answer.series}
        assert list(values_of(curves["data_queue"].ys[0])) == expected["queues"]["data"]
        assert list(values_of(curves["host_queue"].ys[0])) == expected["queues"]["host"]
        assert list(values_of(curves["host_queue"].lines[0])) == [expected["queues"]["host_length"]] * 5
        assert "Map_2 is the bottleneck of the pipeline: raise num_parallel_workers, and tune what it maps" in texts(
            answer
        )
        assert column(answer, "data_stages", "rank") == ["0"] * 3 + ["1"] * 3
    assert "No data preparation of rank 7 was recorded" in texts(input_pipeline(tmp_path / "store", rank=7))


def test_waits_are_those_of_the_files(training: Training, tmp_path: Path) -> None:
    files = write_profiler(tmp_path / "profiler", training)
    build_store(files, tmp_path / "store")
    (file,) = (file for file in files if file.name == "minddata_aicpu_1.txt")
    cells = [line.split() for line in file.read_text().splitlines()]
    waited_ps = sum(int(end) - int(start) for _, start, end, _ in cells) * 10**6
    with closing(open_run_store(tmp_path / "store")) as store:
        tick_ps = QueryReader(store).tick_ps
    assert input_pipeline(tmp_path / "store", rank=1).fact("data_wait").value == waited_ps // tick_ps


def test_a_run_without_data_preparation_says_why(training: Training, tmp_path: Path) -> None:
    files = write_profiler(tmp_path / "profiler", training)
    data = ("minddata_", "pipeline_", "device_queue", "dataset_iterator")
    build_store([file for file in files if not file.name.startswith(data)], tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert "did not come through mindspore.dataset, or Profiler was called with data_process=False" in texts(answer)
    assert not {"data_stages", "data_operations"} & {table.id for table in answer.tables}


def test_operators_that_fetch_data_in_the_second_generation(training: Training, tmp_path: Path) -> None:
    write_ascend(tmp_path / "run", training, "ms")
    (table, *_) = sorted(tmp_path.rglob("data_preprocess.csv"))
    lines = [line.split(",") for line in table.read_text().splitlines()]
    header, rows = lines[0], [line for line in lines[1:] if line]
    build_store([table], tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    names = column(answer, "data_nodes", "name")
    assert sorted(names) == sorted({row[header.index("Node")] for row in rows})
    tenths = dict.fromkeys(names, 0)
    for row in rows:
        tenths[row[header.index("Node")]] += round(1000 * float(row[header.index("Total_time(us)")]))
    ticks = dict(zip(names, column(answer, "data_nodes", "total"), strict=True))
    with closing(open_run_store(tmp_path / "store")) as store:
        tick_ps = QueryReader(store).tick_ps
    assert ticks == {name: length * 1000 // tick_ps for name, length in tenths.items()}
    assert "mindspore.dataset" not in texts(answer)


def test_a_second_file_of_a_rank_is_left_out_and_named(tmp_path: Path) -> None:
    for folder, size in (("a", 0), ("b", 7)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "device_queue_profiling_0.txt").write_text(f"1 8 1 {size} 1\n")
    build_store(sorted(tmp_path.rglob("*.txt")), tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    assert column(answer, "data_stages", "empty")[0] == 1
    assert "1 file is left out, as another of the same rank comes first: device_queue_profiling_0.txt" in texts(answer)


def test_captures_of_a_rank_stand_apart(tmp_path: Path) -> None:
    pipeline = "op_id,op_type,num_workers,output_queue_size,output_queue_length,children_id\n0,{},1,[1],8,\n"
    captures = [f"host_{process}_20260101000000123_ascend_ms" for process in (7, 8)]
    for capture in captures:
        (tmp_path / capture).mkdir()
        (tmp_path / capture / "minddata_pipeline_raw_0.csv").write_text(pipeline.format(f"Map{capture[5]}"))
        fetched = f"Node,Compute_time(us),Memcpy_time(us),Total_time(us)\nop,1,1,{capture[5]}\n"
        (tmp_path / capture / "data_preprocess.csv").write_text(fetched)
    build_store(sorted(tmp_path.rglob("*.csv")), tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    ranks = [f"0 ({capture} · device 0)" for capture in captures]
    assert list(dict.fromkeys(column(answer, "data_stages", "rank"))) == ranks
    assert answer.fact("data_rank").value == ranks[0]
    assert column(answer, "data_operations", "operation") == ["Map7_0"]
    assert column(answer, "data_nodes", "total") == [7000, 8000]
    assert "left out" not in texts(answer)


def test_other_tables_alone_have_no_answer(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/profiler/flops_0.txt")], tmp_path / "store")
    with pytest.raises(NotAvailable):
        input_pipeline(tmp_path / "store")


def test_ranges_of_the_data_loader_are_the_input_of_torch_npu(tmp_path: Path) -> None:
    """The first step begins behind its own range, which lies before everything else that is recorded."""
    write_ascend(tmp_path / "run", Training(AscendShape(ranks=1, stages=1)), "pt")
    (trace,) = tmp_path.rglob("trace_view.json")
    loads = [event for event in json.loads(trace.read_text()) if event["name"].startswith("enumerate(DataLoader)")]
    build_store([trace], tmp_path / "store")
    answer = input_pipeline(tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        us = 10**6 // QueryReader(store).tick_ps
    assert column(answer, "host_steps", "input") == [0, *(round(us * event["dur"]) for event in loads[1:])]
    assert "the next batch is not there in time" in texts(answer)
