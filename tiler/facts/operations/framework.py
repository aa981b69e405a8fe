"""Operations of devices as the framework calls them: all instructions that come from one of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from tilescope.tiler.facts.host_operations.naming import framework_op
from tilescope.tiler.facts.operations.instruction_columns import sum_of
from tilescope.tiler.facts.operations.metadata import OperationMetadata
from tilescope.tiler.facts.operations.op_table import OpTable
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.peaks import Peaks
from tilescope.tiler.facts.operations.rates import Rates, rates_of

UNKNOWN_TYPE: Final = "Unknown"

_SMALL: Final = 1 << 62


@dataclass(slots=True)
class FrameworkOperation:
    """`sums` are those of all its instructions; they occur as often as the most frequent of them does."""

    name: str  # the path in the framework's terms; that of the instruction where it has none
    type: str
    sums: Operation
    longest_part: Operation  # the instruction that takes most time
    knows_flops: bool  # of some of its instructions; else 0 means nothing
    knows_bytes: bool


def longest_framework_operations(table: OpTable, limit: int) -> list[FrameworkOperation]:
    """So many of them, those that take most time themselves first; then by name."""
    codes: dict[str, int] = {}
    code = np.array([codes.setdefault(_named(of)[0], len(codes)) for of in table.metadata], np.int64)
    own = np.zeros(len(codes), object if sum_of(table.columns.own) >= _SMALL else np.int64)
    np.add.at(own, code, table.columns.own)
    names, times = list(codes), own.tolist()
    wanted = sorted(range(len(names)), key=lambda at: (-times[at], names[at]))[:limit]
    places = np.flatnonzero(np.isin(code, wanted)).tolist()
    found = {of.name: of for of in framework_operations([table.operations[place] for place in places])}
    return [found[names[at]] for at in wanted]


def framework_operations(operations: Sequence[Operation]) -> list[FrameworkOperation]:
    """Those that some instructions come from, in the order in which they are met."""
    found: dict[str, FrameworkOperation] = {}
    for of in operations:
        name, kind = _named(of.metadata)
        row = found.get(name)
        if row is None:
            row = found[name] = FrameworkOperation(name, kind, Operation(of.metadata, track=of.track), of, False, False)
        _add(row.sums, of)
        row.knows_flops = row.knows_flops or bool(of.flops) or of.metadata.flops is not None
        row.knows_bytes = row.knows_bytes or bool(of.bytes) or of.metadata.bytes is not None
        if of.own > row.longest_part.own:
            row.longest_part, row.sums.track, row.sums.metadata = of, of.track, of.metadata
    return list(found.values())


def _named(of: OperationMetadata) -> tuple[str, str]:
    """What the framework's operation that an instruction comes from is called, and its type."""
    return _op(of.framework) if of.framework else (of.name, UNKNOWN_TYPE)


# Asked of each of maybe 40,000 instructions, for each question.
@lru_cache(1 << 16)
def _op(framework: str) -> tuple[str, str]:
    op = framework_op(framework)
    return op.name, op.type or UNKNOWN_TYPE


def known_rates(of: FrameworkOperation, peaks: Peaks) -> Rates:
    """Its rates, as far as the trace or the programs tell."""
    rates = rates_of(of.sums, peaks)
    if not of.knows_flops:
        rates = replace(rates, flops=None, model_flops=None, intensity=None)
    return rates if of.knows_bytes else replace(rates, bytes=None, hbm=None, intensity=None)


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
