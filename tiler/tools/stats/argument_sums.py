"""Sums of numeric arguments of the events that start in some windows, by group: whole numbers exactly, of any size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader
from tilescope.tiler.search.hits import Finder
from tilescope.tiler.search.language import Query
from tilescope.tiler.search.leaves import leaves
from tilescope.tiler.search.selection import select
from tilescope.tiler.tools.answer import Value
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

# The groups of some events of a track: of track, names and ordinals.
GroupsOf = Callable[[int, Ints, Ints], Ints]

_LEAVES_AT_ONCE: Final = 8
_HALF: Final = 32  # bits: sums of halves of a million numbers are doubles exactly


@dataclass(slots=True)
class ArgumentSums:
    """Sums of one argument, by group."""

    whole: dict[int, int] = field(default_factory=dict)
    rest: dict[int, Fraction] = field(default_factory=dict)  # of numbers that are not whole
    numbers: int = 0
    others: int = 0  # values that are no numbers

    def add(self, group: Ints, values: Values) -> None:
        """Adds the values of some events, less than a million."""
        rows = values.where(ValueKind.INTEGER)
        self._add_whole(group[rows], values.bits[rows])
        rows = values.where(ValueKind.UNSIGNED)
        self._add_whole(group[rows], values.bits[rows].view(np.uint64))
        rows = values.where(ValueKind.REAL)
        rows = rows[np.isfinite(values.reals[rows])]
        self._add_reals(group[rows], values.reals[rows])
        for row in values.where(ValueKind.OTHER).tolist():
            value = values.value(row)
            if isinstance(value, int):
                self._add(self.whole, int(group[row]), value)
                self.numbers += 1
            else:
                self.others += 1
        self.others += len(values.where(ValueKind.TEXT)) + len(values.where(ValueKind.FLAG))

    def total(self, groups: Sequence[int]) -> Value:
        """The sum over some groups; None where none of their events has a number."""
        whole = [self.whole[group] for group in groups if group in self.whole]
        rest = [self.rest[group] for group in groups if group in self.rest]
        if rest:
            try:
                return float(sum(whole) + sum(rest, Fraction()))
            except OverflowError:
                return None  # beyond what a double holds
        return sum(whole) if whole else None

    def _add_whole(self, group: Ints, numbers: NDArray[np.int64] | NDArray[np.uint64]) -> None:
        self.numbers += len(group)
        distinct, inverse = np.unique(group, return_inverse=True)
        low = np.bincount(inverse, weights=numbers & numbers.dtype.type((1 << _HALF) - 1), minlength=len(distinct))
        high = np.bincount(inverse, weights=numbers >> numbers.dtype.type(_HALF), minlength=len(distinct))
        for group_number, upper, lower in zip(distinct.tolist(), high.tolist(), low.tolist(), strict=True):
            self._add(self.whole, group_number, (int(upper) << _HALF) + int(lower))

    def _add_reals(self, group: Ints, numbers: NDArray[np.float64]) -> None:
        self.numbers += len(group)
        order = np.argsort(group, kind="stable")
        distinct, first = np.unique(group[order], return_index=True)
        for group_number, part in zip(
            distinct.tolist(), np.split(numbers[order], first[1:]) if len(first) else (), strict=True
        ):
            self._add(self.rest, group_number, _exact_sum(part.tolist()))

    @staticmethod
    def _add(sums: dict[int, int] | dict[int, Fraction], group: int, more: int | Fraction) -> None:
        sums[group] = sums.get(group, 0) + more  # type: ignore[assignment]  # both are of one kind


def argument_sums(
    reader: QueryReader, windows_of: WindowsOf, tracks: Sequence[int], names: Sequence[str], groups_of: GroupsOf
) -> Interruptible[list[ArgumentSums]]:
    """Sums of each argument. All events are read: there is no index of arguments. Raises DamagedStore."""
    sums = [ArgumentSums() for _ in names]
    selection = yield from select(reader, Query(), tracks)
    arguments = ArgumentReader(reader.store)
    finder = Finder(reader, selection)
    for track in selection.tracks:
        left_out = None if reader.outliers is None else reader.outliers.ordinals(track)
        for track_leaves in leaves(reader, replace(selection, tracks=[track]), windows_of, reaching=False):
            in_time = track_leaves.take(np.argsort(track_leaves.first, kind="stable"))
            for first in range(0, len(in_time), _LEAVES_AT_ONCE):
                batch = in_time.take(slice(first, first + _LEAVES_AT_ONCE))
                hits = yield from finder.find([batch.take(np.argsort(batch.tile))])
                hits = hits.take(np.argsort(hits.ordinal, kind="stable"))
                if left_out is not None:
                    hits = hits.take(~np.isin(hits.ordinal, left_out))
                for chunk in arguments.values(track, hits.ordinal, names):
                    group = groups_of(track, hits.name[chunk.which], hits.ordinal[chunk.which])
                    for summed, values in zip(sums, chunk.values, strict=True):
                        summed.add(group, values)
                    yield
    return sums


def _exact_sum(numbers: list[float]) -> Fraction:
    """The sum of doubles, of which a few doubles are left over at most."""
    total = Fraction()
    for _ in range(4):
        try:
            part = math.fsum(numbers)
        except OverflowError:
            return sum(map(Fraction, numbers), total)
        if part == 0:
            break
        total += Fraction(part)
        numbers.append(-part)
    return total
