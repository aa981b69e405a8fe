"""Operations that reach little of the peaks of their device, and what keeps each from it.

Costs are those that a program says, at the peaks that the trace has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.hlo.layouts import padding, shape_of_text
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse
from tilescope.tiler.facts.matrix_unit import is_product, read_matrix_use
from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.operations.rates import Peaks
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Interruptible, Name, QueryReader

# Real programs reach half of a peak where they do well: less than a quarter is far below. Costs are estimates of a
# compiler, and small operations are often far below: one is named that takes a great part of all time.
_FAR_BELOW: Final = 0.25
_GREAT: Final = 0.2

# Memory limits what takes at least half of its time to move its bytes at the peak.
_BOUND: Final = 0.5

# Half of a matrix unit is common (64 channels in 128 lanes): less than that is a choice of sizes.
_LITTLE_USE: Final = 0.5

# Operations of most time: one of a fifth of it is among the first, and waits for others are few.
_LOOKED_AT: Final = 64

_PS: Final = 10**12


@dataclass(frozen=True, slots=True)
class SlowOperation:
    """An operation, and what keeps it from its peaks. `loss`: ticks of a step.

    `compute` and `memory`: parts of its time in which its FLOPs, and its bytes, could be done. `padding`: of its value.
    `matrix_use`: how much of the matrix unit it uses, if it is a product with few FLOPs.
    """

    operation: Operation
    cause: Cause
    loss: float
    compute: float
    memory: float
    padding: float = 0.0
    matrix_use: MatrixUse | None = None

    @property
    def reached(self) -> float:
        """Part of its time in which it could be done."""
        return max(self.compute, self.memory)


@dataclass(frozen=True, slots=True)
class Roofs:
    """`greatest` takes most of the time of devices, with its share of their time; `slow`: the worst of each cause."""

    greatest: Operation | None
    share: float
    slow: tuple[SlowOperation, ...] = ()


def roofs_of(reader: QueryReader, table: OpTable, peaks: Peaks, step: int) -> Interruptible[Roofs]:
    """The operations of a table, as parts of a step of so many ticks. Raises DamagedStore."""
    time = table.span
    if not len(table.operations) or not time:
        return Roofs(None, 0.0)
    rules = classifier(reader.work_rules)
    own = table.columns.own
    order = np.argsort(-own, kind="stable")[:_LOOKED_AT]
    order = order[own[order] > 0].tolist()
    greatest: Operation | None = None
    worst: dict[Cause, SlowOperation] = {}
    for row in some_of(table.operations, order):
        code = rules.xla_operation(Name(row.metadata.name, row.metadata.category))
        if work_of(code) is not Work.COMPUTATION:
            continue
        greatest = greatest or row
        slow = None
        if row.own >= _GREAT * time:
            slow = yield from _judged(reader, row, peaks, step / float(time))
        if slow is not None and (slow.cause not in worst or slow.loss > worst[slow.cause].loss):
            worst[slow.cause] = slow
    share = float(greatest.own / time) if greatest is not None else 0.0
    return Roofs(greatest, share, tuple(worst.values()))


def _judged(reader: QueryReader, row: Operation, peaks: Peaks, scale: float) -> Interruptible[SlowOperation | None]:
    """The cause for which an operation reaches little; None where it does well. `scale`: ticks for each ps."""
    compute = row.flops / peaks.flops * _PS / row.own if peaks.flops else 0.0
    memory = row.hbm_bytes / peaks.hbm * _PS / row.own if peaks.hbm else 0.0
    reached = max(compute, memory)
    if not reached:
        return None
    has_few_flops = is_product(row) and 0 < compute < _FAR_BELOW
    use = (yield from read_matrix_use(reader, row)) if has_few_flops else None
    if has_few_flops and memory >= _BOUND:
        cause, lost = Cause.MEMORY_BOUND, min(memory, 1.0) - compute
    elif use is not None and use.share < _LITTLE_USE:
        # Padding is multiplied as values are: without it they take their part of the time.
        cause, lost = Cause.PADDING, min(1 - use.share, 1 - reached)
    elif reached < _FAR_BELOW:
        cause, lost = Cause.INEFFICIENT_OP, 1 - reached
    else:
        return None
    return SlowOperation(row, cause, lost * row.own * scale, compute, memory, _padding(row), use)


def _padding(row: Operation) -> float:
    shape = shape_of_text(row.metadata.shape)
    return 0.0 if shape is None else padding(shape) or 0.0
