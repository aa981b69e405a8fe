"""Parts of a program: an instruction, with what it calls, is parsed when somebody asks for it.

What looks at some instructions of a large program does not wait until all of it is parsed. What is never asked for is
not checked either.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import numpy as np

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import Computation, HloModule
from tilescope.tiler.facts.hlo.parsing import (
    INSTRUCTION_BYTES,
    MAX_MODEL_BYTES,
    MODULE,
    ModuleParser,
    message_in,
)

_MOST: Final = MAX_MODEL_BYTES // INSTRUCTION_BYTES


class ProgramParts:
    """Where the computations and instructions of a program lie in the bytes of its module."""

    def __init__(self, raw: bytes, parser: ModuleParser) -> None:
        """Raises HloDamage."""
        self._parser = parser
        try:
            self._parts = _native.NamedParts(
                raw,
                pb.HloModule.COMPUTATIONS_FIELD_NUMBER,
                pb.HloComputation.ID_FIELD_NUMBER,
                pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER,
                pb.HloInstruction.NAME_FIELD_NUMBER,
                _MOST,
            )
        except ValueError as error:
            raise HloDamage(f"the module is damaged: {error}") from None
        parser.taken.take(INSTRUCTION_BYTES * (self._parts.inner + self._parts.names))
        self._known = _Known(self._parts)
        self.places = HloModule("", {}, 0)  # lines of the source alone
        self.size_bytes = len(raw) + parser.taken.bytes

    def part(self, name: str) -> Generator[None, None, HloModule | None]:
        """A module of one instruction with all that it calls; None: there is no such instruction. Raises HloDamage."""
        place = self._parts.find(name.encode("utf-8", "surrogateescape"))
        if place is None:
            return None
        root, raw = place
        instruction = self._parser.instruction(raw, name)
        found = {root: Computation(-1, "", {instruction.id: instruction}, instruction.id)}
        waiting = [(root, called) for called in instruction.called]
        while waiting:
            user, called = waiting.pop()
            at = self._parts.place_of(called)
            if not 0 <= at < user:
                raise HloDamage(f"{name} calls a computation that does not come before its own")
            if at not in found:
                found[at] = yield from self._parser.computation(self._parts.outer_at(at), at, self._known)
                waiting += [(at, one) for of in found[at].instructions.values() for one in of.called]
        return HloModule("", {of.id: of for _, of in sorted(found.items())}, 0, self.places.frames)


def parse_parts(raw: bytes) -> Generator[None, None, ProgramParts]:
    """Where the parts of the program of an `HloProto` are. Raises HloDamage."""
    module, parser = message_in(raw, MODULE), ModuleParser()
    found = ProgramParts(module, parser)
    yield
    # However many fields there are, one of them is looked at: the last, as of any message.
    try:
        _, starts, stops = _native.message_parts(
            module, np.zeros(1, np.int64), np.full(1, len(module)), pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER, _MOST
        )
    except ValueError as error:
        raise HloDamage(f"the module is damaged: {error}") from None
    found.places.frames = yield from parser.frames(module[starts[-1] : stops[-1]] if len(starts) else b"")
    return found


class _Known:
    """The computations of a program, by their ids."""

    def __init__(self, parts: _native.NamedParts) -> None:
        self._parts = parts

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self._parts.place_of(number) >= 0
