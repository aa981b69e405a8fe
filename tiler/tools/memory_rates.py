"""Columns of the rates at which operations move bytes in the memories of a chip: of those that some of them use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation import Memory
from tilescope.tiler.facts.operations.rates import ASYNC, Rates
from tilescope.tiler.tools.answer import Column

_MEMORIES: Final = (
    ("cmem_read", "CMEM read", Memory.CMEM, False),
    ("cmem_write", "CMEM write", Memory.CMEM, True),
    ("vmem_read", "VMEM read", Memory.VMEM, False),
    ("vmem_write", "VMEM write", Memory.VMEM, True),
)


def memory_columns(operations: Sequence[tuple[Operation, Rates]]) -> list[Column]:
    """One for each memory, and each way."""
    found = []
    for name, title, memory, written in _MEMORIES:
        moved = [of.memory_bytes(memory, written=written) for of, _ in operations]
        if any(moved):
            rates = [
                count / (of.total / 1e12) if of.total and rates.bound_by != ASYNC else None
                for (of, rates), count in zip(operations, moved, strict=True)
            ]
            found.append(Column(f"{name}_rate", title, "rate", rates, "B/s", total="none"))
    return found
