"""The operation that loses most time below the roofs of its device: its time less what its costs take at peaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.operations.rates import Peaks
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Name, QueryReader

# Real programs reach half of a peak where they do well: less than a quarter is far below. Costs are estimates of a
# compiler, and small operations are often far below: one is named that takes a great part of all time.
_FAR_BELOW: Final = 0.25
_GREAT: Final = 0.2

# Operations of most time: one of a fifth of it is among the first, and waits for others are few.
_LOOKED_AT: Final = 64

_PS: Final = 10**12


@dataclass(frozen=True, slots=True)
class Roofs:
    """`greatest` takes most of the time of devices, with its share of their time.

    `slow` is the operation far below its roof; `loss`: ticks of a step.
    """

    greatest: Operation | None
    share: float
    slow: Operation | None = None
    loss: float = 0.0
    reached: float = 0.0  # part of the time in which it could be done, at most 1


def roofs_of(reader: QueryReader, table: OpTable, peaks: Peaks, step: int) -> Roofs:
    """The operations of a table, as parts of a step of so many ticks. Raises DamagedStore."""
    time = table.span
    if not len(table.operations) or not time:
        return Roofs(None, 0.0)
    rules = classifier(reader.work_rules)
    own = table.columns.own
    order = sorted(np.flatnonzero(own > 0).tolist(), key=lambda place: -int(own[place]))[:_LOOKED_AT]
    greatest: Operation | None = None
    worst: tuple[float, float, Operation] | None = None
    for row in some_of(table.operations, order):
        code = rules.xla_operation(Name(row.metadata.name, row.metadata.category))
        if work_of(code) is not Work.COMPUTATION:
            continue
        greatest = greatest or row
        seconds = max(row.flops / peaks.flops if peaks.flops else 0.0, row.hbm_bytes / peaks.hbm if peaks.hbm else 0.0)
        if row.own < _GREAT * time or not seconds or seconds * _PS >= _FAR_BELOW * row.own:
            continue
        lost = row.own - seconds * _PS
        if worst is None or lost > worst[0]:
            worst = lost, seconds * _PS / row.own, row
    share = float(greatest.own / time) if greatest is not None else 0.0
    if worst is None:
        return Roofs(greatest, share)
    return Roofs(greatest, share, worst[2], worst[0] / float(time) * step, worst[1])
