"""Operations of devices as the framework calls them: all instructions that come from one of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.host_operations.naming import framework_op
from tilescope.tiler.facts.operations.op_table import Operation

UNKNOWN_TYPE: Final = "Unknown"


@dataclass(slots=True)
class FrameworkOperation:
    """`sums` are those of all its instructions; they occur as often as the most frequent of them does."""

    name: str  # the path in the framework's terms; that of the instruction where it has none
    type: str
    sums: Operation
    longest_part: Operation  # the instruction that takes most time


def framework_operations(operations: Sequence[Operation]) -> list[FrameworkOperation]:
    """Those that some instructions come from, in the order in which they are met."""
    found: dict[str, FrameworkOperation] = {}
    for of in operations:
        op = framework_op(of.metadata.framework) if of.metadata.framework else None
        name = of.metadata.name if op is None else op.name
        row = found.get(name)
        if row is None:
            kind = (op.type if op is not None else "") or UNKNOWN_TYPE
            row = found[name] = FrameworkOperation(name, kind, Operation(of.metadata, track=of.track), of)
        _add(row.sums, of)
        if of.own > row.longest_part.own:
            row.longest_part, row.sums.track = of, of.track
    return list(found.values())


def _add(sums: Operation, of: Operation) -> None:
    sums.count = max(sums.count, of.count)
    sums.total += of.total
    sums.own += of.own
    sums.stall += of.stall
    sums.flops += of.flops
    sums.model_flops += of.model_flops
    sums.bytes += of.bytes
    for key, moved in of.by_memory.items():
        sums.by_memory[key] = sums.by_memory.get(key, 0) + moved
