"""Operations of which a row is made only when it is looked at: of tens of thousands a tool lists a few hundred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from tilescope.tiler.facts.operations.instruction_columns import Exact, Ints
from tilescope.tiler.facts.operations.instruction_places import InstructionPlaces
from tilescope.tiler.facts.operations.op_columns import OpColumns
from tilescope.tiler.facts.operations.operation import Operation


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
            return [self[at] for at in range(len(self))[place]]
        at = range(len(self))[place]
        if at not in self._made:
            self._made[at] = self._row(at)
        return self._made[at]

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

    def _row(self, at: int) -> Operation:
        of, metadata = self.columns, self._instructions[int(self._places[at])]
        count = int(of.count[at])
        by_memory: dict[tuple[int, bool], int] = {}
        for traffic in metadata.traffic:
            key = traffic.memory, traffic.is_write
            by_memory[key] = by_memory.get(key, 0) + traffic.bytes * count
        return Operation(
            metadata,
            count,
            int(of.total[at]),
            int(of.own[at]),
            int(self._shortest[at]) if count else None,
            int(self._longest[at]) if count else None,
            int(self._stall[at]),
            int(of.flops[at]),
            int(of.model_flops[at]),
            int(of.bytes[at]),
            by_memory,
            int(self._track[at]),
        )
