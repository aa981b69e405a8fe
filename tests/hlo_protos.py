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
    if "stack_frame_index" in more:
        of.stack_frame_index = more["stack_frame_index"]
    proto = pb.HloProto(hlo_module=of.SerializeToString(), buffer_assignment=more.get("buffer_assignment", b""))
    return bytes(proto.SerializeToString())


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
