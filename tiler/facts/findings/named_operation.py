"""The operation that a finding names: others that take about as much, and copies from or to the host's memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.busy import FIELDS
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.findings.where import short
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
# What is written, which is the first part of what a copy that starts has: (destination, source, context).
_RESULT: Final = re.compile(r"(?:ROOT )?%\S+ = \(?(\S+?),?\s")


def named_operation_text(reader: QueryReader, table: OpTable, part: TimePart, name: str) -> str:
    """Words about the operation of a name, one of a part of a device's time; none where there is nothing to say."""
    if not len(table.operations):
        return ""
    rules = classifier(reader.work_rules)
    order = np.argsort(-table.columns.own, kind="stable")[:_LOOKED_AT].tolist()
    times: list[int] = []
    named: list[tuple[int, str]] = []  # of each program
    for place, row in zip(order, some_of(table.operations, order), strict=True):
        metadata, own = row.metadata, int(table.columns.own[place])
        if work_of(rules.xla_operation(Name(metadata.name, metadata.category))) is FIELDS[part]:
            times.append(own)
            if short(metadata.name) == name:
                named.append((own, _host_memory(metadata.expression)))
    if not named:
        return ""
    are_all = len(order) == len(table.operations) or int(table.columns.own[order[-1]]) < _ABOUT * named[0][0]
    memories = {memory for _, memory in named}
    memory = memories.pop() if FIELDS[part] is Work.COPY and len(memories) == 1 else ""
    return ", and ".join(text for text in (memory, _alike(times, named[0][0], are_all=are_all)) if text)


def _alike(times: Sequence[int], own: int, *, are_all: bool) -> str:
    """Words on operations that take as much as one of them. `are_all` False: there may be others that do."""
    others = sum(ticks >= _ABOUT * own for ticks in times) - 1
    if not others:
        return ""
    least = "" if are_all else "at least "
    more = " or more" if max(times) * _ABOUT > own else ""
    return f"{least}{plural(others, 'other operation takes', 'other operations take')} about as much{more}"


def _host_memory(expression: str) -> str:
    """Words on a copy from the host's memory, or to it; none of another one."""
    result = _RESULT.match(expression)
    if _HOST_MEMORY not in expression or result is None:
        return ""
    return f"it copies {'to' if result[1].endswith(_HOST_MEMORY) else 'from'} the host's memory"
