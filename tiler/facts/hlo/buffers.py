"""Use of memory by a program: its buffers, how they share allocations, and when they are alive."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import Instruction
from tilescope.tiler.facts.hlo.parsing import (
    AT_ONCE,
    MAX_BYTES,
    MAX_MODEL_BYTES,
    Taken,
    message_in,
    parsed,
    payload,
    pieces,
    text,
)
from tilescope.tiler.facts.hlo.shapes import ValueShape
from tilescope.tiler.facts.hlo.values import InstructionFinder


@dataclass(frozen=True, slots=True)
class LogicalBuffer:
    """A value of an instruction, or a part of one that is a tuple."""

    id: int
    size: int  # bytes, padding included
    instruction_id: int  # 0 in old traces
    instruction_name: str  # "" in new ones
    shape_index: tuple[int, ...]
    color: int  # the memory space

    def instruction(self, module: InstructionFinder) -> Instruction | None:
        """The one that it is a value of."""
        if self.instruction_name:
            return module.by_name.get(self.instruction_name)
        return module.by_id.get(self.instruction_id)

    def shape(self, module: InstructionFinder) -> ValueShape | None:
        """Shape of the value."""
        instruction = self.instruction(module)
        return None if instruction is None else instruction.shape.part_at(self.shape_index)


@dataclass(frozen=True, slots=True)
class Assigned:
    """Place of a buffer in an allocation."""

    buffer: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """Memory that buffers share."""

    index: int
    size: int
    color: int
    is_thread_local: bool
    is_parameter: bool  # of the program
    parameter_number: int
    parameter_shape_index: tuple[int, ...]
    is_live_out: bool  # may outlive the program
    is_tuple: bool
    is_constant: bool
    assigned: tuple[Assigned, ...]

    @property
    def is_indefinite(self) -> bool:
        """True if it lives as long as the program, or longer."""
        return self.is_parameter or self.is_constant or self.is_live_out


class HeapEventKind(IntEnum):
    """Kind of an event of a buffer."""

    ALLOC = 0
    FREE = 1
    SHARE_WITH = 2


@dataclass(frozen=True, slots=True)
class HeapEvent:
    """In the order in which the program runs. `kind`: a `HeapEventKind`, or another number."""

    kind: int
    buffer: int
    instruction: str
    shares_with: int  # id of a buffer


@dataclass(frozen=True, slots=True)
class HeapTrace:
    """Events by which the compiler filled an allocation."""

    events: tuple[HeapEvent, ...]
    allocation: int  # index


@dataclass(frozen=True, slots=True)
class BufferAssignment:
    """All of a program."""

    buffers: dict[int, LogicalBuffer]
    allocations: tuple[Allocation, ...]
    traces: tuple[HeapTrace, ...]
    size_bytes: int  # about what it takes in memory


def parse_buffers(raw: bytes) -> Generator[None, None, BufferAssignment]:
    """The buffers of an `HloProto`, none where it has none. Raises HloDamage."""
    taken = Taken()
    buffers: dict[int, LogicalBuffer] = {}
    allocations: list[Allocation] = []
    traces: list[HeapTrace] = []
    names: dict[bytes, str] = {}
    assignment = message_in(raw, pb.HloProto.BUFFER_ASSIGNMENT_FIELD_NUMBER)
    for count, (number, value) in enumerate(pieces(assignment, "the assignment of buffers")):
        if number == pb.BufferAssignment.LOGICAL_BUFFERS_FIELD_NUMBER:
            buffer = _buffer(payload(number, value), taken)
            buffers[buffer.id] = buffer
        elif number == pb.BufferAssignment.BUFFER_ALLOCATIONS_FIELD_NUMBER:
            allocations.append(_allocation(payload(number, value), taken))
        elif number == pb.BufferAssignment.HEAP_SIMULATOR_TRACES_FIELD_NUMBER:
            traces.append((yield from _trace(payload(number, value), names, taken)))
        if count % AT_ONCE == 0:
            yield
    return BufferAssignment(buffers, tuple(allocations), tuple(traces), taken.bytes)


def _trace(raw: bytes, names: dict[bytes, str], taken: Taken) -> Generator[None, None, HeapTrace]:
    all_of_it = np.zeros(1, np.int64), np.full(1, len(raw))
    try:
        _, starts, stops = _native.message_parts(raw, *all_of_it, _EVENTS, MAX_MODEL_BYTES // _EVENT_BYTES)
        allocation = int(_native.message_numbers(raw, *all_of_it, _ALLOCATION)[0])
    except ValueError as error:
        raise HloDamage(f"a heap trace is damaged: {error}") from None
    events: list[HeapEvent] = []
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        events.append(_event(raw[start:stop], names, taken))
        if len(events) % AT_ONCE == 0:
            yield
    return HeapTrace(tuple(events), allocation)


def _buffer(raw: bytes, taken: Taken) -> LogicalBuffer:
    proto = parsed(pb.LogicalBuffer, raw, "a logical buffer")
    defined_at = proto.defined_at
    taken.take(_BUFFER_BYTES + len(defined_at.instruction_name) + _NUMBER_BYTES * len(defined_at.shape_index))
    size = _size(proto.size, f"buffer {proto.id}")
    return LogicalBuffer(
        proto.id,
        size,
        defined_at.instruction_id,
        text(defined_at.instruction_name),
        tuple(defined_at.shape_index),
        proto.color,
    )


def _allocation(raw: bytes, taken: Taken) -> Allocation:
    proto = parsed(pb.BufferAllocation, raw, "an allocation")
    taken.take(_BUFFER_BYTES * (1 + len(proto.assigned)) + _NUMBER_BYTES * len(proto.parameter_shape_index))
    assigned = []
    for piece in proto.assigned:
        assigned_proto = parsed(pb.BufferAllocation.Assigned, piece, f"what allocation {proto.index} is for")
        what = f"a buffer of allocation {proto.index}"
        assigned.append(
            Assigned(
                assigned_proto.logical_buffer_id, _size(assigned_proto.offset, what), _size(assigned_proto.size, what)
            )
        )
    return Allocation(
        proto.index,
        _size(proto.size, f"allocation {proto.index}"),
        proto.color,
        proto.is_thread_local,
        proto.is_entry_computation_parameter,
        proto.parameter_number,
        tuple(proto.parameter_shape_index),
        proto.maybe_live_out,
        proto.is_tuple,
        proto.is_constant,
        tuple(assigned),
    )


def _event(raw: bytes, names: dict[bytes, str], taken: Taken) -> HeapEvent:
    proto = parsed(pb.HeapSimulatorTrace.Event, raw, "an event of a heap trace")
    taken.take(_EVENT_BYTES)
    return HeapEvent(
        proto.kind, proto.buffer_id, _name(proto.instruction_name, names, taken), proto.share_with_canonical_id
    )


def _name(raw: bytes, names: dict[bytes, str], taken: Taken) -> str:
    if raw not in names:
        taken.take(2 * len(raw) + _NUMBER_BYTES)
        names[raw] = text(raw)
    return names[raw]


def _size(size: int, what: str) -> int:
    if not 0 <= size <= MAX_BYTES:
        raise HloDamage(f"{what} has a size of {size:,} bytes")
    return size


_EVENTS: Final = pb.HeapSimulatorTrace.EVENTS_FIELD_NUMBER
_ALLOCATION: Final = pb.HeapSimulatorTrace.BUFFER_ALLOCATION_INDEX_FIELD_NUMBER

_BUFFER_BYTES: Final = 250
_EVENT_BYTES: Final = 120
_NUMBER_BYTES: Final = 40
