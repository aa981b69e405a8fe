"""Groups of all-reduces: whom a core waits for, by the lists of instructions and the devices of programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, shape
from tests.tiler.readers import wire_writer
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings.waiting_groups import waiting_groups
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times import StepPart, group_lists, group_numbers, run_step_times
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.windows import everywhere

TIMES = (20, 50, 110, 170)  # ns, of the all-reduce on each core
FLAT = "channel_id=1, replica_groups={}, use_global_device_ids=true"


def program(*devices: Sequence[int]) -> bytes:
    """A program that runs on these devices: of each partition those of its replicas."""
    assignment = pb.DeviceAssignment(replica_count=len(devices[0]), computation_count=len(devices))
    for of_partition in devices:
        assignment.computation_devices.add(replica_device_ids=of_partition)
    main = computation(1, "main", instruction(1, "add", "add", shape("f32", 8)))
    return hlo_proto("jit_step", main, device_assignment=assignment.SerializeToString())


def reader_of(
    folder: Path, listed: str, assigned: bytes | None, numbers: Sequence[int | None], ids: Sequence[int] = (3,) * 4
) -> QueryReader:
    """Four cores with a step each. `numbers`: of their devices, where the file says them; `ids`: of the all-reduces."""
    expression = f"%all-reduce.1 = f32[8] all-reduce(%x), {listed}, to_apply=%add"
    reduce = Instruction("all-reduce.1", {"program_id": 7, "symbol_id": 1, "hlo_category": "all-reduce"}, expression)
    planes = [
        plane(
            f"/device:TPU:{core}",
            [reduce, Instruction("5")],
            {"Steps": [Run(1, 0, 200_000)], "XLA Ops": [Run(0, 0, TIMES[core] * 1000, reduce=ids[core])]},
            {} if number is None else {"core_details": wire_writer.number(5, core) + wire_writer.number(6, number)},
        )
        for core, number in enumerate(numbers)
    ]
    parts = planes if assigned is None else [*planes, hlo_plane({"jit_step(7)": assigned})]
    build_store([write_trace(folder / "run.xplane.pb", parts)], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


@pytest.mark.parametrize(
    ("listed", "assigned", "numbers", "groups"),
    [
        ("replica_groups={{0,1},{2,3}}", None, [0, 1, 2, 3], [0, 0, 1, 1]),
        ("replica_groups={{0,1},{2,3}}", None, [3, 0, 2, 1], [1, 0, 1, 0]),
        ("replica_groups=[2,2]<=[2,2]T(1,0)", None, [0, 1, 2, 3], [0, 1, 0, 1]),
        ("replica_groups={{0,1,2,3}}", None, [0, 1, 2, 3], [0, 0, 0, 0]),
        # Nothing says which cores are which devices.
        ("replica_groups={{0,1},{2,3}}", None, [None] * 4, [0, 0, 0, 0]),
        # Programs say which partition, or replica, a device runs.
        (FLAT.format("{{0,1},{2,3}}"), program([0], [2], [1], [3]), [0, 1, 2, 3], [0, 1, 0, 1]),
        ("replica_groups={{0},{1}}", program([0, 1], [2, 3]), [0, 1, 2, 3], [0, 1, 2, 3]),
        ("channel_id=1, replica_groups={{0},{1}}", program([0, 1], [2, 3]), [0, 1, 2, 3], [0, 1, 0, 1]),
        (FLAT.format("{{0,1},{2,3}}"), program([0, 1], [2, 3]), [0, 1, 2, 3], [0, 1, 0, 1]),
    ],
)
def test_a_core_waits_for_its_group(
    tmp_path: Path, listed: str, assigned: bytes | None, numbers: list[int | None], groups: list[int]
) -> None:
    reader = reader_of(tmp_path, listed, assigned, numbers)
    waiting = finish(waiting_groups(reader, finish(devices_of(reader)))).tolist()
    assert [waiting.index(number) for number in waiting] == [groups.index(group) for group in groups]
    least = {group: min(time for time, own in zip(TIMES, groups, strict=True) if own == group) for group in groups}
    waits = [time - least[group] for time, group in zip(TIMES, groups, strict=True)]
    times = finish(run_step_times(reader, reader.steps, reader.tree.leaves(None), everywhere(EVERYTHING)))
    assert [core_times.parts[StepPart.ALL_REDUCE_SYNC].tolist() for core_times in times] == [
        [wait * 1000] for wait in waits
    ]
    # A row for each group, among the all-reduces of the pod.
    pod = tool("pod")
    table = finish(ask(pod, Scope(reader), from_values(pod.question, {"collectives": True}))).table("collectives")
    rows = zip(*(values_of(table.column(name)) for name in ("cores", "compute", "waits")), strict=True)
    assert sorted(rows) == sorted(
        (
            groups.count(group),
            shortest * 1000 // reader.tick_ps,
            sum(wait for wait, own in zip(waits, groups, strict=True) if own == group) * 1000 // reader.tick_ps,
        )
        for group, shortest in least.items()
    )


def split_and_notes(reader: QueryReader) -> tuple[bool, list[str]]:
    """True if waiting is told from computing, and the notes of the answer."""
    times = finish(run_step_times(reader, reader.steps, reader.tree.leaves(None), everywhere(EVERYTHING)))
    assert [core_times.sum_of(core_times.parts).tolist() for core_times in times] == [[200_000]] * len(times)
    is_split = any(core_times.parts[StepPart.ALL_REDUCE_SYNC].any() for core_times in times)
    assert is_split == (not any(core_times.parts[StepPart.ALL_REDUCE_UNSPLIT].any() for core_times in times))
    pod = tool("pod")
    answer = finish(ask(pod, Scope(reader), from_values(pod.question, {"collectives": True})))
    waits = values_of(answer.table("collectives").column("waits"))
    assert all(wait is not None for wait in waits) == is_split
    return is_split, [note.text for note in answer.notes if "separable" in note.text]


UNREAD_NOTE = (
    "Waiting in all-reduces of step 5 is not separable from computing: "
    "which cores reduce together is not understood, or there are too many groups."
)


@pytest.mark.parametrize("numbers", [[0, 1, 2, 3], [None] * 4])
def test_waiting_is_not_told_where_groups_are_not_understood(tmp_path: Path, numbers: list[int | None]) -> None:
    reader = reader_of(tmp_path, "replica_groups=mesh['x'=2,'y'=2] {'x':(1)2}", None, numbers)
    assert not finish(waiting_groups(reader, finish(devices_of(reader)))).any()
    assert split_and_notes(reader) == (False, [UNREAD_NOTE])


@pytest.mark.parametrize("limit", ["_MOST_KINDS", "_MOST_IDS"])
def test_waiting_is_not_told_where_groups_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    reader = reader_of(tmp_path, "replica_groups={{0,1},{2,3}}", None, [0, 1, 2, 3])
    monkeypatch.setattr(group_lists, limit, 0)
    assert split_and_notes(reader) == (False, [UNREAD_NOTE])


def test_a_question_about_one_core_leaves_the_groups_of_others(tmp_path: Path) -> None:
    """Also where no core of it has all-reduces that are asked about later."""
    reader = reader_of(tmp_path, "replica_groups={{0,1},{2,3}}", None, [0, 1, 2, 3], ids=(3, 4, 5, 6))
    cores = tpu_cores(reader)
    assert [finish(group_numbers(reader, {core: np.array([3 + place])})) for place, core in enumerate(cores)] == [
        [group] for group in (0, 0, 1, 1)
    ]
