"""Runs of which a part was recorded: what may wait for a device that is not there is unclear."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.hlo_protos import computation, hlo_proto, instruction, shape
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.tpu_run import Pod, run, write_hosts
from tests.tiler.json_traces import write_trace
from tests.tiler.tools.test_steps import Asked
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.facts.findings.participants import are_all_recorded
from tilescope.tiler.query import finish
from tilescope.tiler.tools.answer import values_of

FOUR_CORES = Pod(hosts=1, chips=4, reduce=3_700, batch=(900,), written=(50,))


def all_reduce_of(groups: list[list[int]]) -> bytes:
    """A program whose devices communicate in these groups."""
    devices = pb.CollectiveDeviceList(replica_groups=[pb.ReplicaGroup(replica_ids=group) for group in groups])
    listed = devices.SerializeToString()
    reduce = instruction(1, "all-reduce.3", "all-reduce", shape("f32", 8), collective_device_list=listed)
    return hlo_proto("jit_step", computation(1, "main", reduce))


COLLECTIVE = [Cause.COLLECTIVE]
UNCLEAR = [Cause.UNCLEAR, Cause.COLLECTIVE, Cause.STRAGGLER]

JOBS = {
    "4 of 4": ({"jit_step(7)": all_reduce_of([[0, 1, 2, 3]])}, COLLECTIVE),
    "4 of 16": ({"jit_step(7)": all_reduce_of([list(range(16))])}, UNCLEAR),
    "4 of 16 in pairs": ({"jit_step(7)": all_reduce_of([[k, k + 8] for k in range(8)])}, UNCLEAR),
    "4 of 4, and a program of one": ({"a(1)": all_reduce_of([[0]]), "b(2)": all_reduce_of([[0, 1, 2, 3]])}, COLLECTIVE),
    "4 of 16, and a damaged program": ({"a(1)": b"\x0a\xff", "b(2)": all_reduce_of([list(range(16))])}, UNCLEAR),
    "4, and a damaged program": ({"a(1)": b"\x0a\xff"}, COLLECTIVE),
    "4 without programs": ({}, COLLECTIVE),
}


@pytest.mark.parametrize("name", JOBS)
def test_communication_of_a_part_of_the_cores_is_unclear(tmp_path: Path, name: str) -> None:
    programs, causes = JOBS[name]
    with reading(write_hosts(run(FOUR_CORES), tmp_path, programs=programs), tmp_path) as reader:
        assert len(finish(devices_of(reader))) == 4
        rows = findings(reader).rows
    assert [row.cause for row in rows] == causes, text(rows)
    assert len({row.loss for row in rows}) == 1


@pytest.mark.parametrize(
    ("listed", "cause"), [("[1,4]<=[4]", "collective"), ("[8,2]<=[16]", "unclear"), ("{}", "collective")]
)
def test_without_programs_the_operations_say_who_takes_part(tmp_path: Path, listed: str, cause: str) -> None:
    expressions = {
        "all-reduce.3": f"%all-reduce.3 = f32[8]{{0}} all-reduce(%x), replica_groups={listed}, to_apply=%add"
    }
    opened = Asked(tmp_path, write_hosts(run(FOUR_CORES), tmp_path, expressions=expressions))
    table = opened.ask("overview").table("findings")
    assert next(iter(values_of(table.columns[0]))) == cause
    opened.store.close()


def test_a_core_that_is_late_is_named_though_a_part_was_recorded(tmp_path: Path) -> None:
    pod = Pod(hosts=1, chips=4, batch=(900,), written=(50,), factors={(0, 2): 1.4})
    programs = {"jit_step(7)": all_reduce_of([list(range(16))])}
    with reading(write_hosts(run(pod), tmp_path, programs=programs), tmp_path) as reader:
        rows = findings(reader).rows
    assert (rows[0].cause, rows[0].where) == (Cause.STRAGGLER, "/device:TPU:2"), text(rows)


@pytest.mark.parametrize(
    ("name", "is_whole"),
    [("pod", True), ("xplane/tpu_v6e_4core.xplane.pb", False), ("xplane/gpu_mi300x8_conv.xplane.pb", True)],
)
def test_real_runs_of_whole_jobs_and_of_parts(tmp_path: Path, name: str, is_whole: bool) -> None:
    """The four cores are those of one host of two."""
    path = corpus_path(name)
    files = sorted(path.rglob("*.xplane.pb")) if path.is_dir() else [path]
    with reading(files, tmp_path) as reader:
        assert finish(are_all_recorded(reader, finish(devices_of(reader)))) is is_whole


@pytest.mark.parametrize(
    ("info", "is_whole"),
    [
        ({"world_size": 1}, True),
        ({"world_size": 2}, False),
        ({"world_size": "many"}, True),
        ({}, True),
        ([4], True),
        (None, True),
    ],
)
def test_ranks_of_a_job(tmp_path: Path, info: object, is_whole: bool) -> None:
    kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 40, "tid": 7, "ts": 10, "dur": 5}
    labels = {"ph": "M", "pid": 40, "name": "process_labels", "args": {"labels": "GPU 0"}}
    file = write_trace(tmp_path / "trace.json", [labels, kernel])
    whole = {"schemaVersion": 1, "distributedInfo": info, "traceEvents": [labels, kernel]}
    file.write_text(json.dumps(whole))
    with reading([file], tmp_path) as reader:
        devices = finish(devices_of(reader))
        assert len(devices) == 1
        assert finish(are_all_recorded(reader, devices)) is is_whole
