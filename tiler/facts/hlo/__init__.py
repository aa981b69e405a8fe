"""The programs of devices, as their HLO protos have them."""

from tilescope.tiler.facts.hlo.buffers import (
    Allocation,
    Assigned,
    BufferAssignment,
    HeapEvent,
    HeapEventKind,
    HeapTrace,
    LogicalBuffer,
)
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import Computation, Frame, HloModule, Instruction
from tilescope.tiler.facts.hlo.program_devices import DeviceAssignment
from tilescope.tiler.facts.hlo.program_parts import ProgramParts
from tilescope.tiler.facts.hlo.programs import (
    Program,
    buffer_assignment,
    device_assignment,
    device_count,
    hlo_module,
    left_out_words,
    parts_ahead,
    program_parts,
    program_values,
    programs_of,
)
from tilescope.tiler.facts.hlo.shapes import ArrayLayout, ValueShape
from tilescope.tiler.facts.hlo.values import InstructionFinder

__all__ = [
    "Allocation",
    "ArrayLayout",
    "Assigned",
    "BufferAssignment",
    "Computation",
    "DeviceAssignment",
    "Frame",
    "HeapEvent",
    "HeapEventKind",
    "HeapTrace",
    "HloDamage",
    "HloModule",
    "Instruction",
    "InstructionFinder",
    "LogicalBuffer",
    "Program",
    "ProgramParts",
    "ValueShape",
    "buffer_assignment",
    "device_assignment",
    "device_count",
    "hlo_module",
    "left_out_words",
    "parts_ahead",
    "program_parts",
    "program_values",
    "programs_of",
]
