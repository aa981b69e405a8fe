"""A program of a device, as XLA compiled it: its computations and their instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tilescope.tiler.facts.hlo.shapes import ValueShape


@dataclass(slots=True)
class Instruction:
    """One instruction. Ids of operands are those of instructions before it in its computation."""

    id: int
    name: str
    opcode: str
    shape: ValueShape
    operands: tuple[int, ...] = ()
    called: tuple[int, ...] = ()  # ids of computations before its own
    op_type: str = ""
    op_name: str = ""  # path in the framework's terms: "jit(step)/jvp(main)/conv1/add"
    source_file: str = ""
    source_line: int = 0
    frame: int = 0  # of `HloModule.stack`; 0 none
    duplicate_of: str = ""  # the instruction that it is a copy of
    parameter_number: int = 0
    tuple_index: int = 0
    dimensions: tuple[int, ...] = ()
    fusion_kind: str = ""
    custom_call_target: str = ""
    channel: int = 0
    feature_groups: int = 1
    batch_groups: int = 1
    # As they are in the proto, for those who know the opcode.
    window: bytes = b""
    dimension_numbers: bytes = b""  # of a dot or a convolution
    backend_config: bytes = b""

    @property
    def is_fusion(self) -> bool:
        """True if it runs other instructions as one."""
        return self.opcode == "fusion"


@dataclass(slots=True)
class Computation:
    """Instructions, operands before their users."""

    id: int
    name: str
    instructions: dict[int, Instruction]
    root: int  # id of the instruction whose value it has
    is_fusion: bool = False

    @property
    def root_instruction(self) -> Instruction:
        """The one whose value it has."""
        return self.instructions[self.root]


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the source."""

    file: str
    function: str
    line: int
    column: int

    @property
    def text(self) -> str:
        """As compilers have it."""
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass
class HloModule:
    """A program. Computations come after those that they call, so that neither these nor operands go in circles."""

    name: str
    computations: dict[int, Computation]
    entry: int  # id of a computation; 0 where there is none
    frames: list[tuple[Frame, int]] = field(default_factory=list)  # each with the one that called it, from 1; 0 none
    size_bytes: int = 0  # about what it takes in memory
    schedule: dict[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # of computations the order of their instructions

    @property
    def entry_computation(self) -> Computation | None:
        """The one that runs."""
        return self.computations.get(self.entry)

    def instructions(self) -> Iterator[Instruction]:
        """All of them, callees first."""
        for computation in self.computations.values():
            yield from computation.instructions.values()

    @cached_property
    def by_name(self) -> dict[str, Instruction]:
        """Instructions by their names, which a program has once each."""
        return {instruction.name: instruction for instruction in self.instructions()}

    @cached_property
    def within(self) -> dict[str, tuple[Computation, Instruction]]:
        """Instructions by their names, each with the computation that it belongs to."""
        return {
            instruction.name: (computation, instruction)
            for computation in self.computations.values()
            for instruction in computation.instructions.values()
        }

    @cached_property
    def by_id(self) -> dict[int, Instruction]:
        """Instructions by their ids."""
        return {instruction.id: instruction for instruction in self.instructions()}

    def stack(self, frame: int) -> list[Frame]:
        """Lines of the source that an instruction comes from, innermost first."""
        frames: list[Frame] = []
        seen: set[int] = set()
        while 0 < frame <= len(self.frames) and frame not in seen:
            seen.add(frame)
            place, frame = self.frames[frame - 1]
            frames.append(place)
        return frames

    def source(self, instruction: Instruction) -> str:
        """The line of an instruction: "train.py:43"; "" unknown."""
        if instruction.source_file:
            return f"{instruction.source_file}:{instruction.source_line}"
        stack = self.stack(instruction.frame)
        return f"{stack[0].file}:{stack[0].line}" if stack else ""

    def source_stack(self, instruction: Instruction) -> str:
        """The lines that it comes from, a line of text for each frame."""
        return "\n".join(frame.text for frame in self.stack(instruction.frame))
