"""Runs of operators and kernels by step, with the shapes that they had: of networks whose shapes change.

MindSpore's first profiler writes `dynamic_shape_info` for them; later files of runs say of each whether its shapes are
dynamic (`OP State`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import (
    CodedTexts,
    column_named,
    figures_named,
    texts_named,
    times_named,
    unread_cells,
)
from tilescope.tiler.facts.ascend.operator_families import KERNEL_DETAILS
from tilescope.tiler.facts.cell_figures import Figures
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader

OPERATORS: Final = "dynamic_shape_info.operator"
KERNELS: Final = "dynamic_shape_info.kernel"
MINDSPORE: Final = (OPERATORS, KERNELS)
STATE: Final = "opstate"

_US: Final = 6


class _Columns(Struct, frozen=True):
    """Plain names of columns. Kernels of GPUs are all of the type `cuLaunchKernel`: their names are types here."""

    step: str
    type: str
    name: str
    time: str
    side: str
    shapes: str
    state: str = ""


_COLUMNS: Final[Mapping[str, _Columns]] = {
    OPERATORS: _Columns("step", "op_type", "op_name", "dur", "op_side", "shape_info"),
    KERNELS: _Columns("step", "op_name", "op_full_name", "dur", "op_side", "shape_info"),
    KERNEL_DETAILS: _Columns("stepid", "type", "name", "duration", "acceleratorcore", "inputshapes", STATE),
}


@dataclass(frozen=True, slots=True)
class ShapedRuns:
    """The rows of one table."""

    table: RunTable
    step: Figures
    types: CodedTexts
    time: Figures  # picoseconds
    is_dynamic: NDArray[np.bool_]
    unread: int  # steps and times that are no numbers, or beyond 64 bits

    @property
    def are_kernels(self) -> bool:
        """True for kernels of GPUs, else they are operators."""
        return self.table.entry.family == KERNELS

    def header(self, column: str) -> str | None:
        """The header of `type`, `name`, `side`, `shapes`, `block_dim` or `grid_dim`."""
        columns = _COLUMNS[self.table.entry.family]
        return column_named(self.table, getattr(columns, column, column))

    def names(self) -> Interruptible[CodedTexts]:
        """The full names, most of which are different in most tables. Yields between chunks."""
        return (yield from texts_named(self.table, (_COLUMNS[self.table.entry.family].name,)))


def shaped_runs(table: RunTable) -> Interruptible[ShapedRuns]:
    """The rows of a table of one of the families. Yields between columns."""
    columns = _COLUMNS[table.entry.family]
    is_dynamic = np.ones(len(table), np.bool_)
    if columns.state:
        states = yield from texts_named(table, (columns.state,))
        is_dynamic = np.array([word.casefold() == "dynamic" for word in states.words], np.bool_)[states.codes]
    step = yield from figures_named(table, (columns.step,), 0)
    types = yield from texts_named(table, (columns.type,))
    time = yield from times_named(table, (columns.time,), _US)
    unread = yield from unread_cells(table, (columns.step,), step)
    unread += yield from unread_cells(table, (columns.time,), time)
    return ShapedRuns(table, step, types, time, is_dynamic, unread)


def has_shapes(table: RunTable) -> bool:
    """True for a table of these families that says which shapes are dynamic."""
    family = table.entry.family
    return family in MINDSPORE or (family == KERNEL_DETAILS and column_named(table, STATE) is not None)


def network_has_dynamic_shapes(reader: QueryReader) -> bool:
    """True if MindSpore's first profiler wrote the shapes of each step, and so no step trace."""
    return bool(run_tables(reader, *MINDSPORE))
