"""Preparation of data: the queues, pipelines and verdicts of real files, of synthetic ones, and by a plain rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, truth, write_profiler
from tests.corpus import corpus_path
from tilescope.tiler.facts.ascend.data_preparation import (
    DataOperation,
    DataPreparation,
    DataStage,
    bottlenecks,
    data_preparations,
)
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store


@contextmanager
def prepared(folder: Path, files: Sequence[Path]) -> Iterator[list[DataPreparation]]:
    """Contents of a store of these files, by rank."""
    build_store(list(files), folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        yield finish(data_preparations(QueryReader(store)))


def test_queues_and_verdict_of_a_real_run(tmp_path: Path) -> None:
    with prepared(tmp_path, sorted(corpus_path("ascend/run_2").iterdir())) as (rank,):
        assert (rank.place.name, rank.stage_in_doubt) == ("1", DataStage.PROCESSING)
        data, host = rank.data_queue, rank.host_queue
        assert data is not None
        assert host is not None
        assert (list(data.sizes), data.empty, len(data.sizes)) == ([3, 2, 1], 0, 3)
        assert list(data.times["wait"]) == [10**6, 0, 10**6]  # ps: 0.001, 0 and 0.001 ms
        assert Fraction(sum(data.times["wait"]), 3 * 10**9) == Fraction(2, 3000)  # the mean, 0.000666… ms
        assert (list(host.sizes), host.empty, host.full, host.capacity) == ([0], 1, 0, 64)
        assert dict(host.times) == {"batch": [4 * 10**9], "push": [4 * 10**9], "get": [0]}
        assert 100 * host.empty // len(host.sizes) == 100
        assert rank.pipeline is not None
        assert [operation.name for operation in rank.pipeline.bottlenecks] == ["ImageFolderOp_3"]
        assert rank.pipeline.operations[0].usage == Fraction(1, 64)  # the file has 0.015625


PIPELINES = {"minddata_pipeline_raw_0.csv": [0, 1, 2, 3], "pipeline_profiling_1.json": [0, 1, 2, 3, 4]}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_of_real_runs(name: str, tmp_path: Path) -> None:
    with prepared(tmp_path, [corpus_path(f"ascend/profiler/{name}")]) as (rank,):
        assert rank.pipeline is not None
        operations = {operation.number: operation for operation in rank.pipeline.operations}
        assert list(operations) == PIPELINES[name]
        for number in (1, 2, 3):
            operation = operations[number]
            assert (list(operation.sizes), operation.average) == ([10, 20, 30], Fraction(20))
            assert (operation.length, operation.usage) == (64, Fraction(3125, 10000))
        assert (operations[0].usage, operations[0].children, operations[1].parents) == (None, (1,), (0,))
        assert rank.pipeline.sampling_ms == 10
        assert rank.pipeline.damaged == 0


def test_children_and_readers_in_doubt(tmp_path: Path) -> None:
    with prepared(tmp_path, [corpus_path("ascend/profiler/minddata_pipeline_raw_0.csv")]) as (rank,):
        assert rank.pipeline is not None
        assert [operation.children for operation in rank.pipeline.operations] == [(1,), (2, 3), (), ()]
        assert [operation.name for operation in rank.pipeline.bottlenecks] == ["TFReader_3", "TFReader_2"]


@pytest.mark.parametrize("left_out", ["", "minddata_pipeline_raw", "device_queue_profiling"])
def test_a_synthetic_training_says_what_made_it(left_out: str, tmp_path: Path) -> None:
    """The same from the table of the pipeline and from its JSON, and from either file of the host's queue."""
    training = Training(AscendShape(ranks=2, stages=1))
    expected = truth(training)
    files = write_profiler(tmp_path / "profiler", training)
    wanted = ("minddata_", "pipeline_", "device_queue", "dataset_iterator")
    files = [file for file in files if file.name.startswith(wanted) and not (left_out and left_out in file.name)]
    with prepared(tmp_path, files) as ranks:
        assert [rank.place.number for rank in ranks] == [0, 1]
        for rank in ranks:
            assert rank.data_queue is not None
            assert rank.host_queue is not None
            assert rank.pipeline is not None
            assert list(rank.data_queue.sizes) == expected["queues"]["data"]
            assert list(rank.host_queue.sizes) == expected["queues"]["host"]
            assert rank.host_queue.capacity == expected["queues"]["host_length"]
            assert rank.stage_in_doubt is DataStage.SENDING  # one of five steps found both queues empty: not 30 %
            assert rank.steps_in_doubt == {DataStage.PROCESSING: 1, DataStage.SENDING: 1}
            pipeline = expected["pipeline"]
            assert [operation.number for operation in rank.pipeline.bottlenecks] == [pipeline["bottleneck"]]
            for operation, made in zip(rank.pipeline.operations, pipeline["operations"], strict=True):
                assert (operation.kind, operation.workers) == (made["kind"], made["workers"])
                assert (operation.children, list(operation.sizes)) == (tuple(made["children"]), made["sizes"] or [])


SIXTEENTHS = st.lists(st.one_of(st.none(), st.integers(0, 16)), min_size=1, max_size=8)


@given(fills=SIXTEENTHS, data=st.data())
def test_bottlenecks_by_the_plain_rule(fills: list[int | None], data: st.DataObject) -> None:
    """Trees, numbered from the root: each operation but the first is the child of one before it."""
    parents = [data.draw(st.integers(0, number - 1)) if number else None for number in range(len(fills))]
    operations = [
        DataOperation(
            number=number,
            kind="Map",
            workers=1,
            children=tuple(child for child, parent in enumerate(parents) if parent == number),
            parents=() if parents[number] is None else (parents[number],),  # type: ignore[arg-type]
            sizes=[] if fill is None else [fill],
            length=16,
        )
        for number, fill in enumerate(fills)
    ]
    usage = [None if fill is None else fill / 16 for fill in fills]  # exact in doubles
    rises = {
        number: max(usage[child] - behind for child in operation.children if usage[child] is not None)  # type: ignore[operator]
        for number, operation in enumerate(operations)
        if (behind := usage[number]) is not None and any(usage[child] is not None for child in operation.children)
    }
    leaves = [number for number, operation in enumerate(operations) if not operation.children]
    low = [number for number in leaves if usage[number] is not None and usage[number] < 0.6]  # type: ignore[operator]
    recorded = [value for value in usage if value is not None]
    if not recorded:
        expected = []
    elif rises and max(rises.values()) > 0.1:
        expected = [min(number for number, rise in rises.items() if rise == max(rises.values()))]
    elif low:
        expected = low[::-1]
    else:
        expected = [0] if min(recorded) >= 0.8 else []
    assert [operation.number for operation in bottlenecks(operations)] == expected


HOSTILE = {
    "a cycle": [{"op_id": 0, "op_type": "A", "num_workers": 1, "children": [1], "metrics": None},
                {"op_id": 1, "op_type": "B", "num_workers": 1, "children": [0], "metrics": None}],
    "a number twice": [{"op_id": 0, "op_type": "A", "children": None}, {"op_id": 0, "op_type": "B", "children": None}],
    "sizes that are none": [
        {"op_id": 0, "op_type": "A", "metrics": {"output_queue": {"size": [1, -1, "x"], "length": 0}}},
        {"op_id": 1, "op_type": "A", "metrics": {"output_queue": {"size": [1, 2], "length": 0}}},
    ],
    "no kinds": [{"op_id": 0, "children": None}],
    "a child that is absent": [{"op_id": 0, "op_type": "A", "children": [7], "metrics": None}],
}  # fmt: skip
DAMAGED = {"no kinds": 1, "a number twice": 1, "sizes that are none": 1}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_damaged_pipeline_is_counted(case: str, tmp_path: Path) -> None:
    path = tmp_path / "pipeline_profiling_0.json"
    path.write_text(json.dumps({"sampling_interval": 10, "op_info": HOSTILE[case]}))
    with prepared(tmp_path, [path]) as (rank,):
        assert rank.pipeline is not None
        assert rank.pipeline.damaged == DAMAGED.get(case, 0)
        assert list(rank.pipeline.bottlenecks) == []
        numbers = {operation.number for operation in rank.pipeline.operations}
        assert all(set(operation.children) <= numbers for operation in rank.pipeline.operations)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 1 << 64), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["output_queue", "size", "length"]), inner)
    ),
    max_leaves=8,
)
MEMBERS = st.sampled_from(["op_id", "op_type", "num_workers", "children", "metrics"])


@given(rows=st.lists(st.dictionaries(MEMBERS, VALUES), min_size=1, max_size=4))
def test_any_json_makes_a_pipeline(rows: list[dict[str, Any]]) -> None:
    """As many operations as rows have numbers that no other has; all else is counted."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pipeline_profiling_0.json")
        path.write_text(json.dumps({"sampling_interval": 10, "op_info": rows}))
        with prepared(Path(folder), [path]) as ranks:
            numbers = {row["op_id"] for row in rows if type(row.get("op_id")) is int and 0 <= row["op_id"] < 1 << 63}
            pipelines = [rank.pipeline for rank in ranks if rank.pipeline is not None]
            made = [operation.number for pipeline in pipelines for operation in pipeline.operations]
            assert numbers <= set(made)
            assert all(pipeline.damaged + len(pipeline.operations) >= len(rows) for pipeline in pipelines)


def test_rows_of_queues_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    (tmp_path / "minddata_aicpu_0.txt").write_text(
        "GetNext_dequeue_wait 5 9 1\nGetNext_dequeue_wait 9 5 1\nGetNext_dequeue_wait x 5 1\nOther 1 2 3\n"
        "GetNext_dequeue_wait 1.5 99999999999999999999 1\nGetNext_dequeue_wait 1 2 -1\nGetNext_dequeue_wait 1\n"
    )
    (tmp_path / "device_queue_profiling_0.txt").write_text("1 8 2 8 1\n1 8 1 0 1\n0 9 1 1 1\n2 0 0 0 0\n0 0 1 nan 1\n")
    with prepared(tmp_path, sorted(tmp_path.glob("*.txt"))) as (rank,):
        assert rank.data_queue is not None
        assert rank.host_queue is not None
        assert (list(rank.data_queue.times["wait"]), rank.data_queue.damaged) == ([4 * 10**6], 5)
        assert (list(rank.host_queue.steps), list(rank.host_queue.sizes)) == ([1, 2], [0, 8])
        assert (rank.host_queue.full, rank.host_queue.damaged) == (1, 3)


def test_a_file_without_operations_is_no_preparation(tmp_path: Path) -> None:
    path = tmp_path / "pipeline_profiling_0.json"
    path.write_text(json.dumps({"sampling_interval": 10, "op_info": []}))
    with prepared(tmp_path, [path]) as ranks:
        assert ranks == []
