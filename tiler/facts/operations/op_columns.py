"""Sums of operations as columns: of all instructions at once, without a row of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tilescope.tiler.facts.operations.instruction_columns import Exact, InstructionColumns, Ints, Mask, exact

if TYPE_CHECKING:
    from tilescope.tiler.facts.operations.operation import Operation


@dataclass(frozen=True, slots=True)
class OpColumns:
    """A row for each operation of a table, in its order; `category` is a place in `categories`."""

    count: Exact
    total: Exact
    own: Exact
    flops: Exact
    model_flops: Exact
    bytes: Exact
    known_hbm: Exact
    tells_flops: Mask
    tells_bytes: Mask
    tells_memory: Mask
    rank: Ints  # in the order of programs and instructions
    category: Ints
    categories: Sequence[str]
    by_memory: Mapping[tuple[int, bool], Exact]  # bytes by memory and whether it is written

    @classmethod
    def of(cls, operations: Sequence[Operation]) -> OpColumns:
        """Those of some operations."""
        known = InstructionColumns.of([of.metadata for of in operations])
        return cls(
            exact(of.count for of in operations),
            exact(of.total for of in operations),
            exact(of.own for of in operations),
            exact(of.flops for of in operations),
            exact(of.model_flops for of in operations),
            exact(of.bytes for of in operations),
            exact(of.known_hbm_bytes for of in operations),
            np.array([of.tells_flops for of in operations], np.bool_),
            np.array([of.tells_bytes for of in operations], np.bool_),
            np.array([bool(of.by_memory) for of in operations], np.bool_),
            known.rank,
            known.category,
            known.categories,
            {
                (memory, written): exact(of.memory_bytes(memory, written=written) for of in operations)
                for memory, written in dict.fromkeys(key for of in operations for key in of.by_memory)
            },
        )

    def __len__(self) -> int:
        return len(self.rank)

    def are(self, wanted: Callable[[str], bool]) -> Mask:
        """Which operations are of categories that are wanted."""
        return np.array([wanted(of) for of in self.categories], np.bool_)[self.category]

    def by_time(self) -> Ints:
        """Places of the operations: those that take most time themselves first, then by program and instruction."""
        order = np.argsort(self.rank, kind="stable")
        found: Ints = order[np.argsort(-self.own[order], kind="stable")]
        return found
