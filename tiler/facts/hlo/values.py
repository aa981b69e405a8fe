"""The instructions of a program whose values lie in memory: each is parsed when somebody asks for it.

What looks at some values of a large program does not wait until all of it is parsed. What is never asked for is not
checked either.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, Protocol, TypeVar

import numpy as np

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import HloModule, Instruction
from tilescope.tiler.facts.hlo.parsing import (
    MAX_MODEL_BYTES,
    MODULE,
    ModuleParser,
    message_in,
    payload,
    pieces,
    text,
)

K_contra = TypeVar("K_contra", contravariant=True)


class KnownInstructions(Protocol[K_contra]):
    """Some that are known by their ids, or by their names."""

    def get(self, key: K_contra, /) -> Instruction | None:
        """None: there is no such instruction."""


class InstructionFinder(Protocol):
    """A program for readers of single instructions; an `HloModule` is such a finder, too."""

    @property
    def by_id(self) -> KnownInstructions[int]: ...

    @property
    def by_name(self) -> KnownInstructions[str]: ...

    def source(self, instruction: Instruction) -> str:
        """The line of an instruction: "train.py:43"; "" unknown."""


class _ById:
    """Instructions that are parsed once, when they are first asked for. Raises HloDamage."""

    def __init__(self, parser: ModuleParser) -> None:
        self._parser = parser
        self.raw: dict[int, bytes] = {}
        self._parsed: dict[int, Instruction] = {}

    def get(self, key: int, /) -> Instruction | None:
        instruction = self._parsed.get(key)
        if instruction is None and key in self.raw:
            instruction = self._parsed[key] = self._parser.instruction(self.raw[key], f"instruction {key}")
        return instruction


class _ByName:
    """The same, for old protos, whose buffers know no ids."""

    def __init__(self, by_id: _ById) -> None:
        self._by_id = by_id
        self._ids: dict[str, int] | None = None

    def get(self, key: str, /) -> Instruction | None:
        if self._ids is None:
            raw = self._by_id.raw
            self._ids = {text(pb.HloInstruction.FromString(encoded).name): number for number, encoded in raw.items()}
        number = self._ids.get(key)
        return None if number is None else self._by_id.get(number)


class ProgramValues:
    """Values of a program that is not parsed as a whole."""

    def __init__(self, parser: ModuleParser) -> None:
        self.by_id = _ById(parser)
        self.by_name = _ByName(self.by_id)
        self.places = HloModule("", {}, 0)  # lines of the source alone
        self.size_bytes = 0  # about what it takes in memory

    def source(self, instruction: Instruction) -> str:
        """The line of an instruction: "train.py:43"; "" unknown."""
        return self.places.source(instruction)


def parse_values(raw: bytes) -> Generator[None, None, ProgramValues]:
    """Places of the instructions of an `HloProto`. Raises HloDamage."""
    parser = ModuleParser()
    values = ProgramValues(parser)
    computations = 0
    for number, value in pieces(message_in(raw, MODULE), "the module"):
        if number == pb.HloModule.COMPUTATIONS_FIELD_NUMBER:
            yield from _index(payload(number, value), f"computation {computations}", parser, values.by_id.raw)
            computations += 1
        elif number == pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER:
            values.places.frames = yield from parser.frames(payload(number, value))
    values.size_bytes = parser.taken.bytes
    return values


def _index(raw: bytes, what: str, parser: ModuleParser, raw_by_id: dict[int, bytes]) -> Generator[None, None, None]:
    all_of_it = np.zeros(1, np.int64), np.full(1, len(raw))
    try:
        _, starts, stops = _native.message_parts(raw, *all_of_it, _INSTRUCTIONS, MAX_MODEL_BYTES // _INDEX_BYTES)
        ids = _native.message_numbers(raw, starts, stops, pb.HloInstruction.ID_FIELD_NUMBER)
    except ValueError as error:
        raise HloDamage(f"{what} is damaged: {error}") from None
    parser.taken.take(_INDEX_BYTES * len(ids) + int((stops - starts).sum()))
    yield
    for number, start, stop in zip(ids.tolist(), starts.tolist(), stops.tolist(), strict=True):
        raw_by_id[number] = raw[start:stop]


_INSTRUCTIONS: Final = pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER
_INDEX_BYTES: Final = 500
