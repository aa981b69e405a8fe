"""Counts the operations of a track while they are written, by the steps of their device and by kind."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.records.device.kind_counts import MAX_COMPARED, SAID, KindCounts
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.records.device.step_sums import MAX_SUMS

Ints = NDArray[np.int64]

_LARGEST: Final = int(np.iinfo(np.int64).max)
_SMALL: Final = 1 << 45  # sums of those of a record fit into 64 bits


class KindCountMaker:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self, start: Ints, stop: Ints) -> None:
        """Steps are windows that share no time."""
        self._start, self._stop = start, stop
        self._custom = np.zeros(0, np.bool_)  # of each kind
        self._now: Ints = np.zeros(0, np.int64)  # of each kind how often it started in the step
        self._before: Ints = np.zeros(0, np.int64)
        self._step = 0
        self._is_empty = self._was_empty = True  # that step, and the one before
        self._changes: list[tuple[Ints, Ints, Ints]] = []
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._cut: list[tuple[int, int, int, int, int]] = []
        self._held = 0
        self._is_too_much = False

    def add_kinds(self, are_custom: NDArray[np.bool_]) -> None:
        """More kinds, and which of them are of custom calls."""
        self._custom = np.concatenate([self._custom, are_custom])
        more = np.zeros(len(are_custom), np.int64)
        self._now, self._before = np.concatenate([self._now, more]), np.concatenate([self._before, more])
        self._is_too_much |= len(self._custom) * len(self._start) > MAX_COMPARED

    def add(self, operations: Operations, start: Ints, duration: Ints) -> None:
        """Adds operations; `start` and `duration` of their events, in ticks."""
        if self._is_too_much or not len(start) or not len(self._start):
            return
        first = int(np.searchsorted(self._stop, start[0], side="right"))
        last = int(np.searchsorted(self._start, start[-1], side="right"))
        begins = np.searchsorted(start, self._start[first:last]).tolist()
        ends = np.searchsorted(start, self._stop[first:last]).tolist()
        for step, begin, end in zip(range(first, last), begins, ends, strict=True):
            self._go_to(step)
            if end > begin:
                _native.count_kinds(operations.kind[begin:end], self._now)
                self._is_empty = False
        cut = self._cut_by_steps(start, start + np.maximum(duration, 0))
        if len(cut):
            ends = np.searchsorted(self._start, start[cut] + duration[cut])
            self._hold_cut(int((ends - np.searchsorted(self._stop, start[cut], side="right")).sum()))
            if self._is_too_much:
                return
        self._add_said(operations, start, cut)
        for place in cut.tolist():
            self._add_cut(operations, place, int(start[place]), int(duration[place]))
        self._hold(0)

    def counts(self) -> KindCounts | None:
        """None: more than is stored, which is left to those who ask."""
        self._go_to(len(self._start))
        numbers = sorted((*key, value) for key, value in self._numbers.items())
        if self._is_too_much or any(value > _LARGEST for *_, value in numbers):
            return None
        changes = [np.concatenate(column) for column in zip(_NO_CHANGE, *self._changes, strict=True)]
        cut = np.array(sorted(self._cut, key=lambda row: row[0]), np.int64).reshape(-1, 5)
        return KindCounts(*changes, *np.array(numbers, np.int64).reshape(-1, 4).T, *cut.T)

    def _go_to(self, step: int) -> None:
        """Ends the steps before that one."""
        while self._step < step and not self._is_too_much:
            if self._is_empty and self._was_empty:
                self._step = step
                return
            changed = np.flatnonzero(self._now != self._before)
            if len(changed):
                self._changes.append((np.full(len(changed), self._step), changed, self._now[changed]))
                self._hold(len(changed))
            self._before, self._now = self._now, self._before
            self._now[:] = 0
            self._was_empty, self._is_empty = self._is_empty, True
            self._step += 1

    def _cut_by_steps(self, start: Ints, end: Ints) -> Ints:
        """True for each event that has ticks in a step and outside of it."""
        step = np.searchsorted(self._stop, start, side="right")
        steps = np.minimum(step, len(self._stop) - 1)
        begins, ends = self._start[steps], self._stop[steps]
        return np.flatnonzero((step < len(self._stop)) & (end > begins) & ((start < begins) | (end > ends)))

    def _add_cut(self, operations: Operations, place: int, start: int, length: int) -> None:
        """Adds what each step has of an operation that steps cut."""
        kind, end = int(operations.kind[place]), start + length
        says = []
        if self._custom[kind] and len(operations.told):
            places = operations.told[operations.told == place]
            says = [
                (what, int(value))
                for what, name in enumerate(SAID)
                for value in operations.number(name, places)
                if value >= 0
            ]
        first_step = int(np.searchsorted(self._stop, start, side="right"))
        for step in range(first_step, int(np.searchsorted(self._start, end))):
            first = max(int(self._start[step]) - start, 0)
            last = min(int(self._stop[step]), end) - start
            self._cut.append((step, kind, first, last, length))
            for what, value in says:
                part = value * last // length - value * first // length
                self._numbers[step, kind, what] = self._numbers.get((step, kind, what), 0) + part

    def _add_said(self, operations: Operations, start: Ints, cut: Ints) -> None:
        """Adds what operations say that steps do not cut."""
        places = (
            np.setdiff1d(operations.told[self._custom[operations.kind[operations.told]]], cut)
            if len(operations.told)
            else operations.told
        )
        if not len(places):
            return
        steps = np.minimum(np.searchsorted(self._stop, start[places], side="right"), len(self._start) - 1)
        is_in = (self._start[steps] <= start[places]) & (start[places] < self._stop[steps])
        for what, name in enumerate(SAID):
            values = operations.number(name, places)
            counted = is_in & (values >= 0)
            keys, place = np.unique(
                steps[counted] * len(self._now) + operations.kind[places[counted]], return_inverse=True
            )
            is_large = int(values.max()) >= _SMALL
            sums: NDArray[Any] = np.zeros(len(keys), object if is_large else np.int64)
            np.add.at(sums, place, values[counted])
            for key, value in zip(keys.tolist(), sums.tolist(), strict=True):
                whole = (*divmod(key, len(self._now)), what)
                self._numbers[whole] = self._numbers.get(whole, 0) + value

    def _hold_cut(self, rows: int) -> None:
        """Before so many rows are made of what steps cut: a few long operations may meet all steps."""
        self._is_too_much |= len(self._cut) + rows > MAX_SUMS

    def _hold(self, more: int) -> None:
        self._held += more
        self._is_too_much |= self._held + len(self._numbers) + len(self._cut) > MAX_SUMS


_NO_CHANGE: Final = (np.zeros(0, np.int64),) * 3
