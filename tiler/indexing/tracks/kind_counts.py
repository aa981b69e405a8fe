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
        self._at = 0  # the step
        self._is_empty = self._was_empty = True  # that step, and the one before
        self._changes: list[tuple[Ints, Ints, Ints]] = []
        self._said: dict[tuple[int, int, int], int] = {}
        self._cut: list[tuple[int, int, int, int, int]] = []
        self._held = 0
        self._is_too_much = False

    def add_kinds(self, are_custom: NDArray[np.bool_]) -> None:
        """More kinds, and which of them are of custom calls."""
        self._custom = np.concatenate([self._custom, are_custom])
        more = np.zeros(len(are_custom), np.int64)
        self._now, self._before = np.concatenate([self._now, more]), np.concatenate([self._before, more])
        self._is_too_much |= len(self._custom) * len(self._start) > MAX_COMPARED

    def add(self, of: Operations, start: Ints, duration: Ints) -> None:
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
                _native.count_kinds(of.kind[begin:end], self._now)
                self._is_empty = False
        cut = self._cut_by_steps(start, start + np.maximum(duration, 0))
        if len(cut):
            ends = np.searchsorted(self._start, start[cut] + duration[cut])
            self._hold_cut(int((ends - np.searchsorted(self._stop, start[cut], side="right")).sum()))
            if self._is_too_much:
                return
        self._add_said(of, start, cut)
        for place in cut.tolist():
            self._add_cut(of, place, int(start[place]), int(duration[place]))
        self._hold(0)

    def found(self) -> KindCounts | None:
        """None: more than is stored, which is left to those who ask."""
        self._go_to(len(self._start))
        said = sorted((*key, value) for key, value in self._said.items())
        if self._is_too_much or any(value > _LARGEST for *_, value in said):
            return None
        changes = [np.concatenate(column) for column in zip(_NO_CHANGE, *self._changes, strict=True)]
        cut = np.array(sorted(self._cut, key=lambda row: row[0]), np.int64).reshape(-1, 5)
        return KindCounts(*changes, *np.array(said, np.int64).reshape(-1, 4).T, *cut.T)

    def _go_to(self, step: int) -> None:
        """Ends the steps before that one."""
        while self._at < step and not self._is_too_much:
            if self._is_empty and self._was_empty:
                self._at = step
                return
            changed = np.flatnonzero(self._now != self._before)
            if len(changed):
                self._changes.append((np.full(len(changed), self._at), changed, self._now[changed]))
                self._hold(len(changed))
            self._before, self._now = self._now, self._before
            self._now[:] = 0
            self._was_empty, self._is_empty = self._is_empty, True
            self._at += 1

    def _cut_by_steps(self, start: Ints, end: Ints) -> Ints:
        """Which events have ticks in a step and outside of it."""
        step = np.searchsorted(self._stop, start, side="right")
        at = np.minimum(step, len(self._stop) - 1)
        begins, ends = self._start[at], self._stop[at]
        return np.flatnonzero((step < len(self._stop)) & (end > begins) & ((start < begins) | (end > ends)))

    def _add_cut(self, of: Operations, place: int, start: int, length: int) -> None:
        """Adds what each step has of an operation that steps cut."""
        kind, end = int(of.kind[place]), start + length
        says = []
        if self._custom[kind] and len(of.told):
            at = of.told[of.told == place]
            says = [(what, int(value)) for what, name in enumerate(SAID) for value in of.number(name, at) if value >= 0]
        first_step = int(np.searchsorted(self._stop, start, side="right"))
        for step in range(first_step, int(np.searchsorted(self._start, end))):
            first = max(int(self._start[step]) - start, 0)
            last = min(int(self._stop[step]), end) - start
            self._cut.append((step, kind, first, last, length))
            for what, value in says:
                part = value * last // length - value * first // length
                self._said[step, kind, what] = self._said.get((step, kind, what), 0) + part

    def _add_said(self, of: Operations, start: Ints, cut: Ints) -> None:
        """Adds what operations say that steps do not cut."""
        told = np.setdiff1d(of.told[self._custom[of.kind[of.told]]], cut) if len(of.told) else of.told
        if not len(told):
            return
        at = np.minimum(np.searchsorted(self._stop, start[told], side="right"), len(self._start) - 1)
        is_in = (self._start[at] <= start[told]) & (start[told] < self._stop[at])
        for what, name in enumerate(SAID):
            values = of.number(name, told)
            some = is_in & (values >= 0)
            keys, place = np.unique(at[some] * len(self._now) + of.kind[told[some]], return_inverse=True)
            is_large = int(values.max()) >= _SMALL
            sums: NDArray[Any] = np.zeros(len(keys), object if is_large else np.int64)
            np.add.at(sums, place, values[some])
            for key, value in zip(keys.tolist(), sums.tolist(), strict=True):
                whole = (*divmod(key, len(self._now)), what)
                self._said[whole] = self._said.get(whole, 0) + value

    def _hold_cut(self, rows: int) -> None:
        """Before so many rows are made of what steps cut: a few long operations may meet all steps."""
        self._is_too_much |= len(self._cut) + rows > MAX_SUMS

    def _hold(self, more: int) -> None:
        self._held += more
        self._is_too_much |= self._held + len(self._said) + len(self._cut) > MAX_SUMS


_NO_CHANGE: Final = (np.zeros(0, np.int64),) * 3
