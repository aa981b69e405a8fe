"""The number of devices that run a program as one, as its HLO proto says, whether or not all of them were recorded.

The device assignment says it; where a proto has none, the lists of devices that communicate do: ids in them are from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.parsing import INSTRUCTION_BYTES, MAX_MODEL_BYTES, MODULE

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_Spans = tuple[Ints, Ints]  # starts and stops of messages in a proto

# Devices of a job whose places in a program are read.
_MOST_DEVICES: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class DeviceAssignment:
    """Places of devices in a program."""

    places: Mapping[int, tuple[int, int]]  # by device: its replica, and its partition
    partitions: int


_MOST: Final = MAX_MODEL_BYTES // INSTRUCTION_BYTES

# Of one list: a pod of 10,000 devices takes 30 kB, and numbers grow eightfold when they are read.
_MOST_LIST_BYTES: Final = 1 << 20


def program_devices(raw: Bytes) -> int:
    """The number of devices of the program of an `HloProto`; 0 where nothing tells it. Raises HloDamage."""
    try:
        module = _last(_parts(raw, (np.zeros(1, np.int64), np.full(1, len(raw))), MODULE))
        assignment = _last(_parts(raw, module, pb.HloModule.DEVICE_ASSIGNMENT_FIELD_NUMBER))
        if len(assignment[0]):
            return max(map(_assigned, _texts(raw, assignment)))
        computations = _parts(raw, module, pb.HloModule.COMPUTATIONS_FIELD_NUMBER)
        instructions = _parts(raw, computations, pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER)
        lists = ((count, _texts(raw, _parts(raw, instructions, field))) for field, count in _COUNTS.items())
        return max((count(text) for count, texts in lists for text in texts), default=0)
    except (ValueError, DecodeError) as error:
        raise HloDamage(f"its lists of devices are damaged: {error}") from None


def program_assignment(raw: Bytes) -> DeviceAssignment | None:
    """The places of devices in the program of an `HloProto`; None: it does not say them. Raises HloDamage."""
    try:
        module = _last(_parts(raw, (np.zeros(1, np.int64), np.full(1, len(raw))), MODULE))
        spans = _last(_parts(raw, module, pb.HloModule.DEVICE_ASSIGNMENT_FIELD_NUMBER))
        assignment = pb.DeviceAssignment.FromString(next(iter(_texts(raw, spans)), b""))
    except (ValueError, DecodeError) as error:
        raise HloDamage(f"its assignment of devices is damaged: {error}") from None
    partitions = assignment.computation_devices
    if sum(len(devices.replica_device_ids) for devices in partitions) > _MOST_DEVICES:
        return None
    places = {
        device: (replica, partition)
        for partition, devices in enumerate(partitions)
        for replica, device in enumerate(devices.replica_device_ids)
    }
    return DeviceAssignment(places, len(partitions)) if places else None


def _parts(raw: Bytes, messages: _Spans, field: int) -> _Spans:
    """The parts that are a field of some messages. Raises ValueError."""
    _, starts, stops = _native.message_parts(raw, *messages, field, _MOST)
    return starts, stops


def _last(spans: _Spans) -> _Spans:
    return spans[0][-1:], spans[1][-1:]


def _texts(raw: Bytes, spans: _Spans) -> set[bytes]:
    """The different ones: most instructions of a program have the same list. Raises ValueError."""
    if len(spans[0]) and int((spans[1] - spans[0]).max()) > _MOST_LIST_BYTES:
        raise ValueError(f"one has more than {_MOST_LIST_BYTES:,} bytes")
    return {raw[start:stop].tobytes() for start, stop in zip(*(ends.tolist() for ends in spans), strict=True)}


def _assigned(text: bytes) -> int:
    assignment = pb.DeviceAssignment.FromString(text)
    return max(assignment.replica_count, 0) * max(assignment.computation_count, 0)


def _count_to(ids: Iterable[int]) -> int:
    return max(ids, default=-1) + 1


def _in_group(text: bytes) -> int:
    return _count_to(pb.ReplicaGroup.FromString(text).replica_ids)


def _in_pair(text: bytes) -> int:
    pair = pb.SourceTarget.FromString(text)
    return _count_to((pair.source, pair.target))


def _in_list(text: bytes) -> int:
    devices = pb.CollectiveDeviceList.FromString(text)
    groups = (_count_to(group.replica_ids) for group in devices.replica_groups)
    return max(_in_grid(devices.iota_replica_group_list), *groups, 0)


def _in_grid(grid: pb.IotaReplicaGroupList) -> int:
    return max(grid.num_replica_groups, 0) * max(grid.num_devices_per_group, 0)


def _in_iota(text: bytes) -> int:
    return _in_grid(pb.IotaReplicaGroupList.FromString(text))


# By the field of an instruction.
_COUNTS: Final[Mapping[int, Callable[[bytes], int]]] = {
    pb.HloInstruction.REPLICA_GROUPS_FIELD_NUMBER: _in_group,
    pb.HloInstruction.SOURCE_TARGET_PAIRS_FIELD_NUMBER: _in_pair,
    pb.HloInstruction.COLLECTIVE_DEVICE_LIST_FIELD_NUMBER: _in_list,
    pb.HloInstruction.IOTA_COLLECTIVE_DEVICE_LIST_FIELD_NUMBER: _in_iota,
}
