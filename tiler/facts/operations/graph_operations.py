"""The operations of graphs on a track, and the kinds that they are of: columns that are laid over what is stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from tilescope.tiler.records.device.graph_executions import GraphExecutions
from tilescope.tiler.records.device.operations import Operations

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class GraphOperations:
    """The operations of graphs on a track. Columns have a row for each operation of a pattern, pattern by pattern."""

    executions: GraphExecutions
    offset: Ints  # of each pattern its first row
    kind: Ints  # the kind of each, among those of the track and the further ones
    is_left: Mask  # those whose instruction is not known
    begins: Mask  # the first of these in each pattern

    def rows(self, first: int, count: int) -> tuple[Ints, Ints]:
        """Operations of graphs among `count` of the track from an ordinal on: their places there, and rows."""
        executions = self.executions
        start = executions.first
        size = np.diff(self.offset)[executions.pattern]
        begin, end = np.searchsorted(start + size, first, "right"), np.searchsorted(start, first + count)
        start, size, offset = start[begin:end], size[begin:end], self.offset[executions.pattern[begin:end]]
        from_place = np.maximum(first - start, 0)
        to_place = np.minimum(size, first + count - start)
        lengths = to_place - from_place
        ramp = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        place = np.repeat(from_place, lengths) + ramp
        return np.repeat(start, lengths) + place - first, np.repeat(offset, lengths) + place

    def applied(self, operations: Operations, first: int) -> Operations:
        """Operations of a record, the first of which has an ordinal, with their kinds."""
        places, rows = self.rows(first, len(operations))
        kind = operations.kind.copy()
        kind[places] = self.kind[rows]
        return structs.replace(operations, kind=kind)

    def counted(self, counted: Mask, first: int) -> Mask:
        """Mask of the operations that begin an occurrence: of what is left to a graph the first of each execution."""
        places, rows = self.rows(first, len(counted))
        left = self.is_left[rows]
        begins = counted.copy()
        begins[places[left]] = self.begins[rows[left]]
        return begins
