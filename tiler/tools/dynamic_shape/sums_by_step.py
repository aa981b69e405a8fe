"""Sums of runs by type or name and step, of all tables together, as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.shaped_runs import ShapedRuns
from tilescope.tiler.facts.tables import Ints
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.run_sum import RunSum

NO_STEP: Final = -1

RunKind = tuple[bool, str]  # True for kernels, and the type or name

_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class SumsByStep:
    """Columns of shape (n,), each pair of kind and step once, by kind; times are picoseconds."""

    words: Sequence[str]  # the type or name of each kind
    are_kernels: NDArray[np.bool_]  # of these
    kind: Ints  # a place among them
    step: Ints  # NO_STEP: not recorded
    count: Ints
    timed: Ints  # runs with a time
    total: WideSums

    def longest(self) -> Ints:
        """The places of the kinds, those with most time first."""
        return np.argsort(-self.total.regrouped(self.kind, len(self.words)).doubles(), kind="stable")

    def of_kinds(self, places: Ints) -> list[tuple[RunKind, RunSum, int]]:
        """All runs of some kinds, and in how many steps they are."""
        size = len(self.words)
        steps = counts_of(self.kind, self.step != NO_STEP, size)[places].tolist()
        count, timed = (np.bincount(self.kind, column, size)[places].astype(int) for column in (self.count, self.timed))
        total = self.total.regrouped(self.kind, size).take(places).integers()
        figures = zip(steps, count.tolist(), timed.tolist(), total, strict=True)
        kinds = [(bool(self.are_kernels[place]), self.words[place]) for place in places.tolist()]
        return [
            (kind, RunSum(runs, time if with_time else None, with_time), own_steps)
            for kind, (own_steps, runs, with_time, time) in zip(kinds, figures, strict=True)
        ]

    def by_step(self, place: int, most: int) -> dict[int, RunSum]:
        """The runs of a kind in each of its first steps."""
        rows = np.flatnonzero((self.kind == place) & (self.step != NO_STEP))[:most]
        figures = zip(
            self.step[rows].tolist(),
            self.count[rows].tolist(),
            self.timed[rows].tolist(),
            self.total.take(rows).integers(),
            strict=True,
        )
        return {step: RunSum(count, time if timed else None, timed) for step, count, timed, time in figures}


def sums_by_step(chosen: Sequence[tuple[ShapedRuns, Ints]], *, by_name: bool) -> Interruptible[SumsByStep]:
    """The sums of some rows of tables. Yields between columns."""
    number = count().__next__
    places = {are_kernels: defaultdict[str, int](number) for are_kernels in (False, True)}
    parts: list[tuple[Ints, Ints, Ints, Ints, WideSums]] = []
    for runs, rows in chosen:
        texts = (yield from runs.names()) if by_name else runs.types
        used, codes = distinct(texts.codes[rows])
        kinds = np.zeros(len(used), np.int64)
        for first in range(0, len(used), _AT_ONCE):
            batch = map(texts.words.__getitem__, used[first : first + _AT_ONCE].tolist())
            part = list(map(places[runs.are_kernels].__getitem__, batch))
            kinds[first : first + len(part)] = part
            yield
        kind, step, groups = _pairs(kinds[codes], runs.step.filled(NO_STEP)[rows])
        yield
        time, size = runs.time[rows], len(kind)
        timed = counts_of(groups, ~np.ma.getmaskarray(time), size)
        counts = np.bincount(groups, minlength=size).astype(np.int64)
        parts.append((kind, step, counts, timed, WideSums.from_groups(time, groups, size)))
        yield
    kind, step, groups = _pairs(_joined([part[0] for part in parts]), _joined([part[1] for part in parts]))
    size = len(kind)
    counts, timed = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(counts, groups, _joined([part[2] for part in parts]))
    np.add.at(timed, groups, _joined([part[3] for part in parts]))
    totals = WideSums.joined([WideSums.nothing(), *(part[4] for part in parts)])
    words, are_kernels = _kinds(places[False], places[True])
    return SumsByStep(words, are_kernels, kind, step, counts, timed, totals.regrouped(groups, size))


def _kinds(operators: Mapping[str, int], kernels: Mapping[str, int]) -> tuple[list[str], NDArray[np.bool_]]:
    """The words by their places, of both together, and which of them are of kernels."""
    are_kernels = np.zeros(len(operators) + len(kernels), np.bool_)
    are_kernels[list(kernels.values())] = True
    if not kernels:
        return list(operators), are_kernels  # places are in the order of the words
    words = [""] * len(are_kernels)
    for word, place in (*operators.items(), *kernels.items()):
        words[place] = word
    return words, are_kernels


def _pairs(kind: Ints, step: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of two columns, each once, by the first, and of each row its place among them."""
    steps, places = distinct(step)
    width = max(len(steps), 1)
    keys, groups = distinct(kind * width + places)
    return keys // width, steps[keys % width] if len(steps) else keys, groups


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *columns])
