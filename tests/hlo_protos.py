"""HLO protos, and an XSpace that has some, as plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tilescope.hlo import hlo_pb2 as pb

TYPES = {"pred": 1, "s4": 21, "s32": 4, "u8": 6, "f16": 10, "f32": 11, "f64": 12, "bf16": 16, "token": 17}


def shape(element: str, *dimensions: int, tile: Sequence[int] = (), space: int = 0, bits: int = 0) -> bytes:
    """An array whose last dimension is the minor one."""
    order = list(reversed(range(len(dimensions))))
    layout = pb.Layout(minor_to_major=order, memory_space=space, element_size_in_bits=bits)
    if tile:
        layout.tiles.add(dimensions=tile)
    of = pb.Shape(element_type=TYPES[element], dimensions=dimensions, layout=layout.SerializeToString())
    return bytes(of.SerializeToString())


def tuple_of(*parts: bytes) -> bytes:
    return bytes(pb.Shape(element_type=13, tuple_shapes=parts).SerializeToString())


def instruction(
    number: int, name: str, opcode: str, of: bytes, *operands: int, op_name: str = "", **more: Any
) -> bytes:
    """`more`: other fields of the message; messages among them as bytes, texts as str."""
    metadata = pb.OpMetadata(op_name=op_name.encode()).SerializeToString()
    fields = {key: value.encode() if isinstance(value, str) else value for key, value in more.items()}
    one = pb.HloInstruction(id=number, name=name.encode(), opcode=opcode.encode(), shape=of, operand_ids=operands)
    for key, value in {"metadata": metadata, **fields}.items():
        if isinstance(value, list):
            getattr(one, key).extend(value)
        else:
            setattr(one, key, value)
    return bytes(one.SerializeToString())


def computation(number: int, name: str, *instructions: bytes, root: int = 0, is_fusion: bool = False) -> bytes:
    of = pb.HloComputation(id=number, name=name.encode(), root_id=root, is_fusion_computation=is_fusion)
    of.instructions.extend(instructions)
    return bytes(of.SerializeToString())


def hlo_proto(name: str, *computations: bytes, entry: int = 0, **more: bytes) -> bytes:
    """The entry is the last of the computations where none is named; `more`: other fields of proto or module."""
    last = entry or pb.HloComputation.FromString(computations[-1]).id
    of = pb.HloModule(name=name.encode(), entry_computation_id=last)
    of.computations.extend(computations)
    for name in ("stack_frame_index", "schedule", "device_assignment"):
        if name in more:
            setattr(of, name, more[name])
    proto = pb.HloProto(hlo_module=of.SerializeToString(), buffer_assignment=more.get("buffer_assignment", b""))
    return bytes(proto.SerializeToString())


def schedule(orders: Mapping[int, Sequence[int]]) -> bytes:
    """In which order the instructions of computations run, by ids."""
    entries = pb.HloSchedule()
    for key, ids in orders.items():
        sequence = pb.InstructionSequence(instruction_ids=ids).SerializeToString()
        entries.sequences.append(pb.ScheduledComputation(computation_id=key, sequence=sequence).SerializeToString())
    return bytes(entries.SerializeToString())


def hlo_plane(protos: Mapping[str, bytes], *, on_events: bool = False) -> bytes:
    """The plane of an XSpace that has them, by labels such as "jit_f(7)"; in old traces on events."""
    parts = [data(2, "/host:metadata"), stat_metadata(1, "Hlo Proto")]
    for key, (label, proto) in enumerate(protos.items(), 1):
        held = [] if on_events else [message(5, number(1, 1), data(6, proto))]
        parts.append(event_metadata(key, label, "", *held))
        if on_events:
            event = message(4, number(1, key), number(2, key), message(4, number(1, 1), data(6, proto)))
            parts.append(message(3, number(1, key), data(2, "HLO"), event))
    return message(1, *parts)


def write_space(path: Path, *planes: bytes) -> Path:
    path.write_bytes(b"".join(planes))
    return path


def buffers(
    made: Mapping[int, tuple[int, int]], events: Sequence[tuple[int, int, str, int]], indefinite: Sequence[int] = ()
) -> bytes:
    """A buffer assignment of one memory space. `made`: of each buffer its instruction and size.

    `events` are those of its heap trace: kind, buffer, instruction, and with whose memory it shares. `indefinite` are
    buffers of parameters, each in an allocation of its own; the others lie in one.
    """
    of = pb.BufferAssignment()
    temporary = pb.BufferAllocation(index=0, size=sum(size for _, size in made.values()))
    for key, (defined, size) in made.items():
        at = pb.LogicalBuffer.Location(instruction_id=defined)
        of.logical_buffers.append(pb.LogicalBuffer(id=key, size=size, defined_at=at).SerializeToString())
        assigned = pb.BufferAllocation.Assigned(logical_buffer_id=key, size=size).SerializeToString()
        if key in indefinite:
            alone = pb.BufferAllocation(index=key, size=size, is_entry_computation_parameter=True)
            alone.assigned.append(assigned)
            of.buffer_allocations.append(alone.SerializeToString())
        else:
            temporary.assigned.append(assigned)
    of.buffer_allocations.append(temporary.SerializeToString())
    trace = pb.HeapSimulatorTrace()
    for kind, buffer, name, other in events:
        event = pb.HeapSimulatorTrace.Event(
            kind=kind, buffer_id=buffer, instruction_name=name.encode(), share_with_canonical_id=other
        )
        trace.events.append(event.SerializeToString())
    of.heap_simulator_traces.append(trace.SerializeToString())
    return bytes(of.SerializeToString())


def small_program() -> bytes:
    """One of three instructions, with its memory."""
    of = shape("f32", 7, 9, tile=(8, 128))
    x, y = instruction(1, "x", "parameter", of), instruction(2, "y", "negate", of, 1)
    z = instruction(3, "z", "add", of, 1, 2)
    plan = buffers({1: (1, 4096), 2: (2, 4096), 3: (3, 4096)}, [(0, 2, "y", 0), (0, 3, "z", 0), (1, 2, "z", 0)], [1])
    return hlo_proto("jit_f", computation(1, "main", x, y, z, root=3), buffer_assignment=plan)
