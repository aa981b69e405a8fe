"""Numbers of devices that programs say, in each way in which XLA has written them; damaged ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.hlo_protos import computation, hlo_proto, instruction, shape
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo import HloDamage
from tilescope.tiler.facts.hlo.program_devices import program_devices

# How the lists of devices of instructions are written; each takes groups of equal length.
FORMS = ("replica_groups", "collective_device_list", "iota in a list", "iota_collective_device_list")


def fields_of(form: str, groups: list[list[int]]) -> dict[str, Any]:
    """Fields of an instruction that communicates in these groups."""
    if form == "replica_groups":
        return {form: [pb.ReplicaGroup(replica_ids=group).SerializeToString() for group in groups]}
    grid = pb.IotaReplicaGroupList(num_replica_groups=len(groups), num_devices_per_group=len(groups[0]))
    if form == "iota_collective_device_list":
        return {form: grid.SerializeToString()}
    if form == "iota in a list":
        devices = pb.CollectiveDeviceList(iota_replica_group_list=grid)
    else:
        devices = pb.CollectiveDeviceList(replica_groups=[pb.ReplicaGroup(replica_ids=group) for group in groups])
    return {"collective_device_list": devices.SerializeToString()}


def program(*instructions: dict[str, Any], device_assignment: bytes = b"") -> bytes:
    """A program whose instructions have these fields: every second one lies in a computation of its own."""
    value = shape("f32", 8)
    rows = [
        instruction(number, f"all-reduce.{number}", "all-reduce", value, **fields)
        for number, fields in enumerate(instructions, 1)
    ]
    computations = computation(1, "inner", *rows[1::2]), computation(2, "main", *rows[::2])
    if not device_assignment:
        return hlo_proto("step", *computations)
    return hlo_proto("step", *computations, device_assignment=device_assignment)


def count(raw: bytes) -> int:
    return program_devices(np.frombuffer(raw, np.uint8))


@given(
    lists=st.lists(st.tuples(st.sampled_from(FORMS), st.integers(1, 4), st.integers(1, 6), st.randoms()), max_size=5),
    pairs=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=3),
)
@settings(max_examples=examples(200), deadline=None)
def test_the_most_devices_of_any_list_count(
    lists: list[tuple[str, int, int, Any]], pairs: list[tuple[int, int]]
) -> None:
    instructions, most = [], 0
    for form, group_count, size, order in lists:
        ids = list(range(group_count * size))
        order.shuffle(ids)
        instructions.append(fields_of(form, [ids[first : first + size] for first in range(0, len(ids), size)]))
        most = max(most, len(ids))
    permute = [pb.SourceTarget(source=source, target=target).SerializeToString() for source, target in pairs]
    instructions.append({"source_target_pairs": permute})
    assert count(program(*instructions)) == max([most, *(max(pair) + 1 for pair in pairs)])


def test_the_assignment_goes_before_lists() -> None:
    """It counts partitions, which lists of replicas leave out."""
    groups = fields_of("replica_groups", [[0, 1]])
    assignment = pb.DeviceAssignment(replica_count=2, computation_count=8).SerializeToString()
    assert count(program(groups)) == 2
    assert count(program(groups, device_assignment=assignment)) == 16


def test_what_tells_nothing_is_0() -> None:
    assert count(program({})) == 0
    assert count(b"") == 0
    assert count(program(fields_of("replica_groups", [[]]))) == 0
    negative = pb.DeviceAssignment(replica_count=-1, computation_count=8).SerializeToString()
    assert count(program({}, device_assignment=negative)) == 0


@pytest.mark.parametrize(
    "raw",
    [
        b"\x0a\xff",
        program({"iota_collective_device_list": b"\x08"}),
        program({"collective_device_list": b"\x12\x05"}),
        program({}, device_assignment=b"\x08"),
        program({"replica_groups": [b"\x0a\x09\x01"]}),
        program({"replica_groups": [pb.ReplicaGroup(replica_ids=[1 << 62] * (1 << 17)).SerializeToString()]}),
    ],
)
def test_damaged_lists_are_refused(raw: bytes) -> None:
    with pytest.raises(HloDamage, match="lists of devices"):
        count(raw)
