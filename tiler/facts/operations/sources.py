"""All sources of operations, in the order in which they are asked: the first that has devices in a run answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tilescope.tiler.facts.operations.gpu_source import GpuSource
from tilescope.tiler.facts.operations.launched_source import LaunchedSource
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.tpu_source import TpuSource
from tilescope.tiler.query import QueryReader

OPERATION_SOURCES: Final[Sequence[OperationSource[Any]]] = (TpuSource(), GpuSource())

_LAUNCHED: Final = LaunchedSource()  # has operators of a framework, and no instructions


def operation_source(reader: QueryReader) -> OperationSource[Any]:
    """The source of a run; the last one where none has devices."""
    return next((source for source in OPERATION_SOURCES if source.devices(reader)), OPERATION_SOURCES[-1])


def has_operations(reader: QueryReader) -> bool:
    """True where some source has devices."""
    return bool(operation_source(reader).devices(reader))


def framework_source(reader: QueryReader) -> OperationSource[Any]:
    """The source of operations of a framework: that of a run, or where none has devices, launches by operators."""
    source = operation_source(reader)
    return source if source.devices(reader) or not _LAUNCHED.devices(reader) else _LAUNCHED
