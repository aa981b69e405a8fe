"""Parts of a program: an instruction, with what it calls, is parsed when somebody asks for it.

What looks at some instructions of a large program does not wait until all of it is parsed. What is never asked for is
not checked either.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.matrix_use import PRODUCTS
from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction
from tilescope.tiler.facts.hlo.parsing import (
    INSTRUCTION_BYTES,
    MAX_MODEL_BYTES,
    MODULE,
    ModuleParser,
)

# Of a proto: whoever has it changes nothing of it.
Bytes = bytes | NDArray[np.uint8]

_MOST: Final = MAX_MODEL_BYTES // INSTRUCTION_BYTES
_MOST_NAMES: Final = 8  # a product has two operands, after its own name


class ProgramParts:
    """Places of the computations and instructions of a program in the bytes of its module."""

    def __init__(self, parts: _native.NamedParts, size_bytes: int) -> None:
        """Raises HloDamage."""
        self._parser = ModuleParser()
        self._parser.taken.take(INSTRUCTION_BYTES * (parts.inner + parts.names))
        self._parts, self._computation_ids = parts, _ComputationIds(parts)
        self._places = HloModule("", {}, 0)  # lines of the source alone
        self.size_bytes = size_bytes + self._parser.taken.bytes

    def read_places(self) -> Generator[None, None, None]:
        """Finds the lines of the source. Raises HloDamage."""
        self._places.frames = yield from self._parser.frames(self._parts.other)

    def part(self, name: str, operands: Sequence[str] = ()) -> Generator[None, None, HloModule | None]:
        """A module of one instruction with all that it calls; None: there is no such instruction. Raises HloDamage.

        `operands`: names among which are those of the operands of a product, which are in the module, too.
        """
        place = self._parts.find(name.encode("utf-8", "surrogateescape"))
        if place is None:
            return None
        root, raw = place
        instruction = self._parser.instruction(raw, name)
        beside = self._operands(root, instruction, operands) if instruction.opcode in PRODUCTS else {}
        computations = {root: Computation(-1, "", {**beside, instruction.id: instruction}, instruction.id)}
        waiting = [(root, called) for called in instruction.called]
        while waiting:
            user, called = waiting.pop()
            place_of_called = self._parts.place_of(called)
            if not 0 <= place_of_called < user:
                raise HloDamage(f"{name} calls a computation that does not come before its own")
            if place_of_called not in computations:
                computations[place_of_called] = yield from self._parser.computation(
                    self._parts.outer_at(place_of_called), place_of_called, self._computation_ids
                )
                waiting += [
                    (place_of_called, inner)
                    for instruction in computations[place_of_called].instructions.values()
                    for inner in instruction.called
                ]
        return HloModule(
            "", {computation.id: computation for _, computation in sorted(computations.items())}, 0, self._places.frames
        )

    def _operands(self, root: int, product: Instruction, names: Sequence[str]) -> dict[int, Instruction]:
        """Operands of a product by their ids, as far as they are among some names. Raises HloDamage."""
        operands: dict[int, Instruction] = {}
        for name in names[:_MOST_NAMES]:
            place = self._parts.find(name.encode("utf-8", "surrogateescape"))
            if place is not None and place[0] == root:
                operand = self._parser.instruction(place[1], name)
                if operand.id in product.operands:
                    operands[operand.id] = operand
        return operands


def find_parts(raw: Bytes) -> _native.NamedParts:
    """The parts of the program of an `HloProto`, in one call that other threads do not wait for. Raises HloDamage."""
    what = "it"
    try:
        _, starts, stops = _native.message_parts(raw, np.zeros(1, np.int64), np.full(1, len(raw)), MODULE, _MOST)
        start, stop = (int(starts[-1]), int(stops[-1])) if len(starts) else (0, 0)
        what = "the module"
        return _native.NamedParts(
            raw,
            start,
            stop,
            pb.HloModule.COMPUTATIONS_FIELD_NUMBER,
            pb.HloComputation.ID_FIELD_NUMBER,
            pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER,
            pb.HloInstruction.NAME_FIELD_NUMBER,
            pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER,
            _MOST,
        )
    except ValueError as error:
        raise HloDamage(f"{what} is damaged: {error}") from None


def parse_parts(raw: Bytes) -> Generator[None, None, ProgramParts]:
    """Places of the parts of the program of an `HloProto`. Raises HloDamage."""
    return (yield from program_of_parts(find_parts(raw), len(raw)))


def program_of_parts(parts: _native.NamedParts, size_bytes: int) -> Generator[None, None, ProgramParts]:
    """The program that has these parts, of a proto of that size. Raises HloDamage."""
    program = ProgramParts(parts, size_bytes)
    yield
    yield from program.read_places()
    return program


class _ComputationIds:
    """The computations of a program, by their ids."""

    def __init__(self, parts: _native.NamedParts) -> None:
        self._parts = parts

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self._parts.place_of(number) >= 0
