"""Operations of which a row is made only when it is looked at: of tens of thousands a tool lists a few hundred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from tilescope.tiler.facts.operations.instruction_columns import Exact, Ints
from tilescope.tiler.facts.operations.metadata import OperationMetadata
from tilescope.tiler.facts.operations.op_columns import OpColumns
from tilescope.tiler.facts.operations.operation import Operation


class OpRows(Sequence[Operation]):
    """A row stays the same when it is asked for again."""

    def __init__(
        self,
        columns: OpColumns,
        metadata: Sequence[OperationMetadata],
        shortest: Ints,
        longest: Ints,
        stall: Exact,
        track: Ints,
    ) -> None:
        self.columns = columns
        self.metadata = metadata
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

    def by_memory(self, places: Ints) -> dict[tuple[int, bool], int]:
        """Bytes of some of them, as a row has them."""
        found: dict[tuple[int, bool], int] = {}
        for place, count in zip(places.tolist(), self.columns.count[places].tolist(), strict=True):
            for traffic in self.metadata[place].traffic:
                key = traffic.memory, traffic.is_write
                found[key] = found.get(key, 0) + traffic.bytes * count
        return found

    def _row(self, at: int) -> Operation:
        of, metadata = self.columns, self.metadata[at]
        count = int(of.count[at])
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
            self.by_memory(np.array([at])),
            int(self._track[at]),
        )
