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
    columns = []
    for name, title, memory, written in _MEMORIES:
        moved = [operation.memory_bytes(memory, written=written) for operation, _ in operations]
        if any(moved):
            values = [
                count / (operation.total / 1e12) if operation.total and rates.bound_by != ASYNC else None
                for (operation, rates), count in zip(operations, moved, strict=True)
            ]
            columns.append(Column(f"{name}_rate", title, "rate", values, "B/s", total="none"))
    return columns
