"""The operations of devices as a table: sums as columns, and a row only where one is looked at.

Of tens of thousands of operations a tool lists a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from tilescope.tiler.facts.host_operations.operator_split import OperatorKey
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, sum_of
from tilescope.tiler.facts.operations.operation import OpColumns, Operation, OperationMetadata
from tilescope.tiler.facts.operations.xla_instructions import InstructionPlaces
from tilescope.tiler.overloads import overload

_AT_ONCE: Final = 1024  # rows that are made together

_COLUMN_BYTES: Final = 220  # of a row that is numbers in columns
_OBJECT_BYTES: Final = 1200  # of one that is an object


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
        self.instructions, self.places = instructions, places
        self._shortest, self._longest, self._stall = shortest, longest, stall
        self._track = track
        self._made: dict[int, Operation] = {}

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> Operation: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Operation]: ...

    def __getitem__(self, place: int | slice) -> Operation | Sequence[Operation]:
        if isinstance(place, slice):
            return self.at_places(range(len(self))[place])
        return self.at_places([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[Operation]:
        for first in range(0, len(self), _AT_ONCE):
            yield from self[first : first + _AT_ONCE]

    def at_places(self, places: Sequence[int]) -> list[Operation]:
        """Rows at these places, which are made together."""
        new = [place for place in dict.fromkeys(places) if place not in self._made]
        if new:
            self._made.update(zip(new, self._rows(np.array(new, np.int64)), strict=True))
        return [self._made[place] for place in places]

    def track(self, row: int) -> int:
        """One on which the operation of a row occurs."""
        return int(self._track[row])

    def programs(self) -> tuple[Sequence[str], Ints]:
        """Ids of programs, and of each row the number of its program among them."""
        return self.instructions.programs(self.places)

    def categories(self) -> tuple[Sequence[str], Ints]:
        """Categories of operations, and of each row the number of its category among them."""
        return self.instructions.categories(self.places)

    def originals(self) -> Ints:
        """A number for each row, which an instruction shares with its copies, among those of one program."""
        return self.instructions.originals(self.places)

    def names(self) -> Ints:
        """A number for each row, which instructions of one name share."""
        return self.instructions.names(self.places)

    def mark_used(self) -> None:
        """Has the instructions, which the table holds and shares, count as used now."""
        self.instructions.mark_used()

    @property
    def made(self) -> int:
        """Number of rows that have been looked at."""
        return len(self._made)

    def _rows(self, places: Ints) -> list[Operation]:
        sums, metadata = self.columns, self.instructions.metadata_of(self.places[places].tolist())
        times = sums.count, sums.total, sums.own, self._shortest, self._longest, self._stall
        columns = *times, sums.flops, sums.model_flops, sums.bytes
        by_memory = {key: column[places].tolist() for key, column in sums.by_memory.items()}
        memories = [
            {key: by_memory[key][place] for key in _memories(row_metadata)}
            for place, row_metadata in enumerate(metadata)
        ]
        track = self._track[places].tolist()
        rows = zip(metadata, *(column[places].tolist() for column in columns), memories, track, strict=True)
        return [_row(*row) for row in rows]


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
    """Operations at these places."""
    return operations.at_places(places) if isinstance(operations, OpRows) else [operations[place] for place in places]


@dataclass(slots=True)
class LaunchedWork:
    """Work of devices that an operator of the framework launches, itself or by operators in it. Times in ps."""

    count: int = 0
    total: int = 0
    own: int = 0  # of what it launches itself
    tensor: int = 0  # of `total`, in kernels that use tensor cores
    name: int = -1  # what its events are called: id of the name, one where there are several


@dataclass(eq=False)
class OpTable:
    """`operations` by program and symbol, in the order in which they are first met."""

    operations: Sequence[Operation]
    span: int  # of all devices together, from the first operation of each to the end of its last one: shares are of it
    cores: int
    tracks: list[int]  # that were looked at
    # By how much operations take more than the busy time of devices: on streams of GPUs, ps. None: nobody asked.
    overlap: int | None = 0
    program_names: dict[str, str] = field(default_factory=dict)  # by id, where operations tell them
    notes: list[str] = field(default_factory=list)  # what is missing, and why
    graph_times: Mapping[str, int] = field(default_factory=dict)  # of kernels of graphs by `AttributedKinds.ways`, ps
    launched: Mapping[OperatorKey, LaunchedWork] | None = None  # by operator; None: no launches tell it

    @cached_property
    def columns(self) -> OpColumns:
        """Sums of the operations. To be asked when all are there: they are kept."""
        rows = self.operations
        return rows.columns if isinstance(rows, OpRows) else OpColumns.from_operations(rows)

    @cached_property
    def busy(self) -> int:
        """Time that operations take, ps. To be asked when all are there: it is kept."""
        return sum_of(self.columns.own)

    def mark_used(self) -> None:
        """Has what the table holds and does not count count as used now: caches keep it as long as the table."""
        if isinstance(self.operations, OpRows):
            self.operations.mark_used()

    @property
    def size_bytes(self) -> int:
        """About what it takes, without instructions that tables share."""
        rows = self.operations
        if isinstance(rows, OpRows):
            return len(rows) * _COLUMN_BYTES + rows.made * _OBJECT_BYTES
        return len(rows) * _OBJECT_BYTES

    @property
    def idle(self) -> int:
        """Time in which nothing runs, ps, of a table that has it."""
        assert self.overlap is not None
        return self.span - self.busy + self.overlap
