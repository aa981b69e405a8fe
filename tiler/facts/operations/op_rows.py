"""Operations of which a row is made only when it is looked at: of tens of thousands a tool lists a few hundred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.operations.instruction_columns import Exact, Ints
from tilescope.tiler.facts.operations.instruction_places import InstructionPlaces
from tilescope.tiler.facts.operations.metadata import OperationMetadata
from tilescope.tiler.facts.operations.op_columns import OpColumns
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.overloads import overload

_AT_ONCE: Final = 1024  # rows that are made together


class OpRows(Sequence[Operation]):
    """A row stays the same when it is asked for again."""

    def __init__(
        self,
        columns: OpColumns,
        instructions: InstructionPlaces,
        places: Ints,
        shortest: Ints,
        longest: Ints,
        stall: Exact,
        track: Ints,
    ) -> None:
        self.columns = columns
        self._instructions, self._places = instructions, places
        self._shortest, self._longest, self._stall = shortest, longest, stall
        self._track = track
        self._made: dict[int, Operation] = {}

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, place: int) -> Operation: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Operation]: ...

    def __getitem__(self, place: int | slice) -> Operation | Sequence[Operation]:
        if isinstance(place, slice):
            return self.some(range(len(self))[place])
        return self.some([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[Operation]:
        for first in range(0, len(self), _AT_ONCE):
            yield from self[first : first + _AT_ONCE]

    def some(self, places: Sequence[int]) -> list[Operation]:
        """Some rows, which are made together."""
        new = [at for at in dict.fromkeys(places) if at not in self._made]
        if new:
            self._made.update(zip(new, self._rows(np.array(new, np.int64)), strict=True))
        return [self._made[at] for at in places]

    def frameworks(self) -> tuple[Sequence[str], Ints]:
        """What operations of the framework are called, and of each row which of them it is of."""
        names, framework = self._instructions.frameworks()
        return names, framework[self._places]

    def track(self, row: int) -> int:
        """One on which the operation of a row occurs."""
        return int(self._track[row])

    def said(self, stat: str) -> tuple[Sequence[str], Ints]:
        """What a stat says of the instructions, and of each row which of these."""
        return self._instructions.said(stat, self._places)

    def originals(self) -> Ints:
        """Of each row a number that an instruction shares with its copies, among those of one program."""
        return self._instructions.originals(self._places)

    def names(self) -> Ints:
        """Of each row a number that instructions of one name share."""
        return self._instructions.names(self._places)

    @property
    def made(self) -> int:
        """How many rows have been looked at."""
        return len(self._made)

    def _rows(self, places: Ints) -> list[Operation]:
        of, metadata = self.columns, self._instructions.some(self._places[places].tolist())
        times = of.count, of.total, of.own, self._shortest, self._longest, self._stall
        columns = *times, of.flops, of.model_flops, of.bytes
        by_memory = {key: column[places].tolist() for key, column in of.by_memory.items()}
        memories = [{key: by_memory[key][at] for key in _memories(one)} for at, one in enumerate(metadata)]
        track = self._track[places].tolist()
        each = zip(metadata, *(column[places].tolist() for column in columns), memories, track, strict=True)
        return [_row(*one) for one in each]


def _row(
    metadata: OperationMetadata,
    count: int,
    total: int,
    own: int,
    shortest: int,
    longest: int,
    stall: int,
    flops: int,
    model_flops: int,
    moved: int,
    by_memory: dict[tuple[int, bool], int],
    track: int,
) -> Operation:
    least, most = (shortest, longest) if count else (None, None)
    return Operation(metadata, count, total, own, least, most, stall, flops, model_flops, moved, by_memory, track)


def _memories(metadata: OperationMetadata) -> dict[tuple[int, bool], None]:
    """The memories that an instruction reads, or writes to, in the order in which the trace tells them."""
    return dict.fromkeys((traffic.memory, traffic.is_write) for traffic in metadata.traffic)


def some_of(operations: Sequence[Operation], places: Sequence[int]) -> list[Operation]:
    """Those at some places."""
    return operations.some(places) if isinstance(operations, OpRows) else [operations[at] for at in places]
