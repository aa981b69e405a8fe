"""Questions to tools as people write them in Python, made into fields."""

from __future__ import annotations

import operator
import os
from datetime import timedelta
from functools import cache
from typing import Protocol, SupportsIndex, cast, runtime_checkable

import numpy as np

from tilescope.client.source import Value
from tilescope.client.times import Time, ticks_of
from tilescope.client.tracks import Tracks, ids_of
from tilescope.tiler.ticks import refuse_float
from tilescope.tiler.tools import SpanQuestion, parameters, tools
from tilescope.tiler.tools.step_range import StepRange

# Steps of training: one by its number, the first and the last, or a text such as "5-9".
StepsLike = int | str | tuple[int, int] | range


@runtime_checkable
class Named(Protocol):
    """A run of either client."""

    @property
    def ref(self) -> str: ...


# What a field of a tool's question may be.
Asked = Time | Tracks | os.PathLike[str] | Named


def question_fields(tool: str, values: dict[str, Asked], tick_ps: int) -> dict[str, Value]:
    """The fields of a question; those that are None are left out. Raises UsageError."""
    fields: dict[str, Value] = {}
    for name, value in values.items():
        refuse_float(name, value)
        if isinstance(value, Named):
            fields[name] = value.ref
        elif isinstance(value, os.PathLike):
            fields[name] = os.fspath(value)
        elif isinstance(value, timedelta | np.timedelta64) or (value is not None and name in _times(tool)):
            fields[name] = ticks_of(cast("Time", value), tick_ps, name)
        elif isinstance(value, str):
            fields[name] = value
        elif name == "steps" and value is not None:
            fields[name] = steps_text(cast("StepsLike", value)) or ""
        elif isinstance(value, SupportsIndex):
            fields[name] = operator.index(value)
        elif (ids := ids_of(cast("Tracks", value))) is not None:
            fields[name] = ids
    return fields


def steps_text(steps: StepsLike | None) -> str | None:
    """As questions have them. Raises UsageError."""
    return None if steps is None else StepRange.convert(steps).text()


@cache
def _times(tool: str) -> frozenset[str]:
    """The fields of a tool's question that are times. Of a tool that only the server has: those of all spans."""
    local_tool = tools().get(tool)
    fields = parameters(SpanQuestion if local_tool is None else local_tool.question)
    return frozenset(field.name for field in fields if field.unit == "ticks")
