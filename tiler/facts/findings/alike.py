"""Operations that take about as much as the one that a finding names: who mends that alone mends little."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.facts.busy import FIELDS
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.work import classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Name, QueryReader

# Part of the time of an operation from which on another one takes about as much.
_ABOUT: Final = 0.8

# Operations of most time: one that a finding is about is among them.
_LOOKED_AT: Final = 64


def operations_alike(reader: QueryReader, table: OpTable, part: TimePart, name: str) -> int:
    """Number of others of the same part of a device's time that take about as much as the operation of this name."""
    if not len(table.operations):
        return 0
    rules = classifier(reader.work_rules)
    order = np.argsort(-table.columns.own, kind="stable")[:_LOOKED_AT].tolist()
    rows = (row.metadata for row in some_of(table.operations, order))
    codes = [(row.name, rules.xla_operation(Name(row.name, row.category))) for row in rows]
    own = {
        operation: int(table.columns.own[place])
        for place, (operation, code) in zip(order, codes, strict=True)
        if work_of(code) is FIELDS[part]
    }
    return sum(ticks >= _ABOUT * own[name] for ticks in own.values()) - 1 if name in own else 0
