"""The operation that a finding names: others that take about as much, and copies from or to the host's memory."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.busy import FIELDS
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Name, QueryReader

# Part of the time of an operation from which on another one takes about as much.
_ABOUT: Final = 0.8

# Operations of most time: one that a finding is about is among them.
_LOOKED_AT: Final = 64

# The end of a layout in the memory space of the host, as XLA writes it: f32[8,128]{1,0:T(8,128)S(5)}.
_HOST_MEMORY: Final = "S(5)}"
_RESULT: Final = re.compile(r"%\S+ = [^(]\S*")


def named_operation_text(reader: QueryReader, table: OpTable, part: TimePart, name: str) -> str:
    """Words about the operation of a name, one of a part of a device's time; none where there is nothing to say."""
    if not len(table.operations):
        return ""
    rules = classifier(reader.work_rules)
    order = np.argsort(-table.columns.own, kind="stable")[:_LOOKED_AT].tolist()
    own: dict[str, int] = {}
    expression = ""
    for place, row in zip(order, some_of(table.operations, order), strict=True):
        metadata = row.metadata
        if work_of(rules.xla_operation(Name(metadata.name, metadata.category))) is FIELDS[part]:
            own[metadata.name] = int(table.columns.own[place])
            expression = metadata.expression if metadata.name == name else expression
    if name not in own:
        return ""
    memory = _host_memory(expression) if FIELDS[part] is Work.COPY else ""
    others = sum(ticks >= _ABOUT * own[name] for ticks in own.values()) - 1
    alike = f"{plural(others, 'other operation takes', 'other operations take')} about as much" if others else ""
    return ", and ".join(text for text in (memory, alike) if text)


def _host_memory(expression: str) -> str:
    """Words on a copy from the host's memory, or to it; none of another one."""
    if _HOST_MEMORY not in expression:
        return ""
    result = _RESULT.match(expression)
    is_to_host = result is not None and result[0].endswith(_HOST_MEMORY)
    return f"it copies {'to' if is_to_host else 'from'} the host's memory"
