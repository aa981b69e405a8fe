"""Questions to tools as people write them in Python, made into fields."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Protocol, SupportsIndex, cast, runtime_checkable

import numpy as np

from tilescope.client.source import Value
from tilescope.client.times import Time, ticks_of
from tilescope.client.tracks import Tracks, ids_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import refuse_float
from tilescope.tiler.tools import FieldType, SpanQuestion, parameters, tools
from tilescope.tiler.tools.argument_names import text_of_names
from tilescope.tiler.tools.step_range import StepRange

# Steps of training: one by its number, the first and the last, or a text such as "5-9".
StepsLike = int | str | tuple[int, int] | range


@runtime_checkable
class Named(Protocol):
    """A run of either client."""

    @property
    def ref(self) -> str: ...


# Other runs to compare with: of either client, or by the paths of their stores.
Builds = Iterable[str | os.PathLike[str] | Named]

# What a field of a tool's question may be.
Asked = Time | Tracks | os.PathLike[str] | Named | Builds


def question_fields(tool: str, values: dict[str, Asked], tick_ps: int) -> dict[str, Value]:
    """The fields of a question; those that are None are left out. Raises UsageError."""
    fields: dict[str, Value] = {}
    for name, value in values.items():
        refuse_float(name, value)
        if value is not None and name in _fields_of_type(tool, "builds"):
            fields[name] = value if isinstance(value, str) else builds_text(value)
        elif isinstance(value, Named):
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


def builds_text(builds: object) -> str:
    """As questions have them: of one, or of several. Raises UsageError."""
    several = [builds] if isinstance(builds, Named | os.PathLike) or not isinstance(builds, Iterable) else builds
    return text_of_names(map(_build_name, several))


def _build_name(build: object) -> str:
    if isinstance(build, Named):
        return build.ref
    if not isinstance(build, str | os.PathLike):
        raise UsageError("other runs are those of a client, or paths of their stores")
    return os.fspath(build)


@cache
def _times(tool: str) -> frozenset[str]:
    """The fields of a tool's question that are times. Of a tool that only the server has: those of all spans."""
    local_tool = tools().get(tool)
    fields = parameters(SpanQuestion if local_tool is None else local_tool.question)
    return frozenset(field.name for field in fields if field.unit == "ticks")


@cache
def _fields_of_type(tool: str, kind: FieldType) -> frozenset[str]:
    """The fields of a type in a tool's question. Of a tool that only the server has: those of all spans."""
    local_tool = tools().get(tool)
    fields = parameters(SpanQuestion if local_tool is None else local_tool.question)
    return frozenset(field.name for field in fields if field.type == kind)
