"""Parts of a program: an instruction, with what it calls, is parsed when somebody asks for it.

What looks at some instructions of a large program does not wait until all of it is parsed. What is never asked for is
not checked either.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import numpy as np
from numpy.typing import NDArray

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

Ints = NDArray[np.int64]

_MOST: Final = MAX_MODEL_BYTES // INSTRUCTION_BYTES


class ProgramParts:
    """Where the computations and instructions of a program lie in the bytes of its module."""

    def __init__(self, raw: bytes, parser: ModuleParser) -> None:
        """Raises HloDamage."""
        self._raw = raw
        self._parser = parser
        try:
            _, self._starts, self._stops = _parts(raw, [0], [len(raw)], pb.HloModule.COMPUTATIONS_FIELD_NUMBER)
            ids = _native.message_numbers(raw, self._starts, self._stops, pb.HloComputation.ID_FIELD_NUMBER).tolist()
            self._within, self._first, self._last = _parts(
                raw, self._starts, self._stops, pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER
            )
            of, first, last = _parts(raw, self._first, self._last, pb.HloInstruction.NAME_FIELD_NUMBER)
        except ValueError as error:
            raise HloDamage(f"the module is damaged: {error}") from None
        parser.taken.take(INSTRUCTION_BYTES * (len(self._first) + len(of)))
        self._places = {number: place for place, number in enumerate(ids)}  # of computations, by id
        names = [raw[start:stop] for start, stop in zip(first.tolist(), last.tolist(), strict=True)]
        self._names = dict(zip(names, of.tolist(), strict=True))  # of instructions, the last of a name
        self.places = HloModule("", {}, 0)  # lines of the source alone
        self.size_bytes = len(raw) + parser.taken.bytes

    def part(self, name: str) -> Generator[None, None, HloModule | None]:
        """A module of one instruction with all that it calls; None: there is no such instruction. Raises HloDamage."""
        place = self._names.get(name.encode("utf-8", "surrogateescape"))
        if place is None:
            return None
        instruction = self._parser.instruction(self._raw[self._first[place] : self._last[place]], name)
        root = int(self._within[place])
        found = {root: Computation(-1, "", {instruction.id: instruction}, instruction.id)}
        waiting = [(root, called) for called in instruction.called]
        while waiting:
            user, called = waiting.pop()
            at = self._places.get(called, user)
            if at >= user:
                raise HloDamage(f"{name} calls a computation that does not come before its own")
            if at not in found:
                raw = self._raw[self._starts[at] : self._stops[at]]
                found[at] = yield from self._parser.computation(raw, at, self._places)
                waiting += [(at, one) for of in found[at].instructions.values() for one in of.called]
        return HloModule("", {of.id: of for _, of in sorted(found.items())}, 0, self.places.frames)


def parse_parts(raw: bytes) -> Generator[None, None, ProgramParts]:
    """Where the parts of the program of an `HloProto` are. Raises HloDamage."""
    module, parser = message_in(raw, MODULE), ModuleParser()
    found = ProgramParts(module, parser)
    yield
    # However many fields there are, one of them is looked at: the last, as of any message.
    _, starts, stops = _parts(module, [0], [len(module)], pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER)
    found.places.frames = yield from parser.frames(module[starts[-1] : stops[-1]] if len(starts) else b"")
    return found


def _parts(raw: bytes, starts: Ints | list[int], stops: Ints | list[int], field: int) -> tuple[Ints, Ints, Ints]:
    return _native.message_parts(raw, np.asarray(starts, np.int64), np.asarray(stops, np.int64), field, _MOST)
