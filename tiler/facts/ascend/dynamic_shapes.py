"""Runs of operators and kernels in networks of dynamic shapes: times by step, from MindSpore's `dynamic_shape_info`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.table_figures import Figures, WideSums, whole_figures
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible

Codes = NDArray[np.int64]

OPERATORS: Final = "dynamic_shape_info.operator"
KERNELS: Final = "dynamic_shape_info.kernel"

# The column that tells what is the same in each step: kernels are all of the type `cuLaunchKernel`.
_TYPE: Final[Mapping[str, str]] = {OPERATORS: "op_type", KERNELS: "op_name"}
_NAME: Final[Mapping[str, str]] = {OPERATORS: "op_name", KERNELS: "op_full_name"}
_US: Final = 6


@dataclass(frozen=True, slots=True)
class ShapedRuns:
    """The rows of one table. Codes are places in the texts, of which the last is empty."""

    table: RunTable
    step: Figures
    types: Sequence[str]
    type: Codes
    names: Sequence[str]
    name: Codes
    time: Figures  # picoseconds

    @property
    def are_kernels(self) -> bool:
        """True for kernels of GPUs, else they are operators."""
        return self.table.entry.family == KERNELS

    def sums(self, rows: Codes, *, by_name: bool) -> dict[tuple[str, int], tuple[int, int]]:
        """Runs and picoseconds of some rows by type or name, and step."""
        texts, codes = (self.names, self.name) if by_name else (self.types, self.type)
        numbers, steps = np.unique(self.step.filled(-1)[rows], return_inverse=True)
        width = max(len(numbers), 1)
        keys, groups = np.unique(codes[rows] * width + steps, return_inverse=True)
        times = WideSums.from_groups(self.time[rows], groups, len(keys)).integers()
        counts = np.bincount(groups, minlength=len(keys)).tolist()
        places = [(texts[key // width], int(numbers[key % width])) for key in keys.tolist()]
        return {place: (count, time) for place, count, time in zip(places, counts, times, strict=True)}


def shaped_runs(table: RunTable) -> Interruptible[ShapedRuns]:
    """The rows of a table of one of the two families. Yields between columns."""
    family = table.entry.family
    step = yield from _figures(table, "step", 0)
    time = yield from _figures(table, "dur", _US)
    types, type_codes = yield from _texts(table, _TYPE[family])
    names, name = yield from _texts(table, _NAME[family])
    return ShapedRuns(table, step, types, type_codes, names, name, time)


def _figures(table: RunTable, plain: str, exponent: int) -> Interruptible[Figures]:
    header = column_named(table, plain)
    if header is None:
        return np.ma.MaskedArray(np.zeros(len(table), np.int64), True)
    return whole_figures((yield from table.column(header)), exponent)


def _texts(table: RunTable, plain: str) -> Interruptible[tuple[list[str], Codes]]:
    header = column_named(table, plain)
    if header is None:
        return [""], np.zeros(len(table), np.int64)
    codes, words = (yield from table.column(header)).coded()
    yield
    return [*words, ""], np.where(codes < 0, len(words), codes).astype(np.int64)
