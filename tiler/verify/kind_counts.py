"""Counts operations in steps a second time: what records of these counts are compared with."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.device.kind_counts import MAX_COMPARED, SAID, KindCounts
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.records.device.step_sums import MAX_SUMS

Ints = NDArray[np.int64]

_LARGEST: Final = (1 << 63) - 1


class PlainKindCounts:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self, start: Ints, stop: Ints) -> None:
        self._start, self._stop = start, stop
        self._kinds = 0
        self._counts: list[tuple[int, Ints]] = []  # a step, and of each kind how often it starts there; the last grows
        self._changes: list[tuple[int, int, int]] = []
        self._stat_sums: dict[tuple[int, int, int], int] = defaultdict(int)
        self._cut: list[tuple[int, int, int, int, int]] = []

    def add(self, operations: Operations, are_custom: NDArray[np.bool_], start: Ints, duration: Ints) -> None:
        """Adds operations; `are_custom` of all kinds so far, `start` and `duration` of their events, in ticks."""
        self._kinds = len(are_custom)
        if self._is_too_much():
            return
        step = np.searchsorted(self._start, start, side="right") - 1  # the last that has begun
        inside = np.flatnonzero((step >= 0) & (start < self._stop[np.maximum(step, 0)]))
        for step_row in np.unique(step[inside]).tolist():
            kinds = operations.kind[inside[step[inside] == step_row]]
            np.add.at(self._row(step_row), kinds, 1)
        cut = self._add_cut(operations.kind, start, start + np.maximum(duration, 0))
        custom = operations.told[are_custom[operations.kind[operations.told]]]
        for place in np.intersect1d(custom, sorted(cut)).tolist():
            for what, name in enumerate(SAID):
                (value,) = operations.number(name, np.array([place])).tolist()
                for step_row, kind, first, last, length in cut[place] if value >= 0 else ():
                    self._stat_sums[step_row, kind, what] += value * last // length - value * first // length
        places = np.setdiff1d(np.intersect1d(inside, custom), sorted(cut))
        for what, name in enumerate(SAID):
            columns = (
                column.tolist() for column in (step[places], operations.kind[places], operations.number(name, places))
            )
            for step_row, kind, value in zip(*columns, strict=True):
                if value >= 0:
                    self._stat_sums[step_row, kind, what] += value

    def finish(self) -> KindCounts | None:
        """None where they are not stored."""
        if len(self._counts):
            last = self._counts[-1][0]
            self._end(last)
            if last + 1 < len(self._start):  # nothing starts there
                self._changes += [(last + 1, kind, 0) for kind in np.flatnonzero(self._counts[-1][1]).tolist()]
        if self._is_too_much() or max(self._stat_sums.values(), default=0) > _LARGEST:
            return None
        changes = np.array(self._changes, np.int64).reshape(-1, 3).T
        stat_rows = (
            np.array([(*key, value) for key, value in sorted(self._stat_sums.items())], np.int64).reshape(-1, 4).T
        )
        cut = np.array(sorted(self._cut, key=lambda row: row[0]), np.int64).reshape(-1, 5).T
        return KindCounts(*changes, *stat_rows, *cut)

    def _add_cut(self, kind: Ints, start: Ints, end: Ints) -> dict[int, list[tuple[int, int, int, int, int]]]:
        """Adds what steps have of events that lie in none, or between two, as a whole. Returns it by their places."""
        cut_rows: dict[int, list[tuple[int, int, int, int, int]]] = {}
        first = np.searchsorted(self._stop, start, side="right")
        last = np.searchsorted(self._start, end, side="left")
        for place in np.flatnonzero((first < last) & (end > start)).tolist():
            begin, stop = int(start[place]), int(end[place])
            rows = [
                (
                    step,
                    int(kind[place]),
                    max(int(self._start[step]), begin) - begin,
                    min(int(self._stop[step]), stop) - begin,
                    stop - begin,
                )
                for step in range(int(first[place]), int(last[place]))
            ]
            if any(row[3] - row[2] < row[4] for row in rows):
                cut_rows[place] = rows
                self._cut += rows
        return cut_rows

    def _is_too_much(self) -> bool:
        return self._kinds * len(self._start) > MAX_COMPARED or self._held() > MAX_SUMS

    def _held(self) -> int:
        return len(self._changes) + len(self._stat_sums) + len(self._cut)

    def _row(self, step: int) -> Ints:
        """The counts of a step, to be added to."""
        if self._counts and self._counts[-1][0] != step:
            before = self._counts[-1]
            self._end(before[0])
            if before[0] + 1 < step:
                self._changes += [(before[0] + 1, kind, 0) for kind in np.flatnonzero(before[1]).tolist()]
                before = (step - 1, np.zeros_like(before[1]))
            self._counts = [before, (step, np.zeros(self._kinds, np.int64))]
        elif not self._counts:
            self._counts = [(step, np.zeros(self._kinds, np.int64))]
        step_row, row = self._counts[-1]
        if len(row) < self._kinds:
            row = np.concatenate([row, np.zeros(self._kinds - len(row), np.int64)])
            self._counts[-1] = step_row, row
        return row

    def _end(self, step: int) -> None:
        """Tells what has changed in a step."""
        row = self._counts[-1][1]
        before = np.zeros(len(row), np.int64)
        if len(self._counts) > 1:
            before[: len(self._counts[0][1])] = self._counts[0][1]
        self._changes += [(step, kind, int(row[kind])) for kind in np.flatnonzero(row - before).tolist()]
