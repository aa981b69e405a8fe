"""Adds up the operations of a track while they are written, by the steps of their device and by category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.running_ticks import RunningTicks
from tilescope.tiler.records.device.kind_count_maker import KindCountMaker
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.records.device.step_sums import MAX_SUMS, StepSums
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID, CUSTOM_CALL

Ints = NDArray[np.int64]

_NOTHING: Final = np.zeros(0, np.int64)


class StepSumMaker:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self, start: Ints, stop: Ints, texts: Sequence[str], text_of: NDArray[np.int32]) -> None:
        """Steps are windows that share no time. `text_of`: of each number of metadata its category in `texts`."""
        self._start, self._stop = start, stop
        self._texts = texts
        self._text_of = text_of
        self._sums = _native.StepSums(start, stop, MAX_SUMS)
        self._counts = KindCountMaker(start, stop)
        self._running = RunningTicks()
        self._times = np.unique(np.concatenate([start, stop]))
        self._busy: list[Ints] = []  # of the first times: how long any event runs before them
        self._custom = texts.index(CUSTOM_CALL) if CUSTOM_CALL in texts else -1

    def add_kinds(self, metadata: Ints) -> None:
        """The metadata of more kinds, -1 none."""
        self._sums.add_kinds(metadata, self._text_of)
        is_known = (metadata >= 0) & (metadata < len(self._text_of))
        are_custom = np.zeros(len(metadata), np.bool_)
        are_custom[is_known] = self._text_of[metadata[is_known]] == self._custom
        self._counts.add_kinds(are_custom)

    def add(self, operations: Operations, start: Ints, duration: Ints) -> None:
        """Adds operations; `start` and `duration` of their events, in ticks."""
        numbers = operations.numbers.get(ALL_REDUCE_ID)
        places, numbers = (_NOTHING, _NOTHING) if numbers is None else (operations.told, numbers)
        self._sums.add(operations.kind, operations.parent, operations.duration, start, duration, places, numbers)
        self._counts.add(operations, start, duration)
        self._settle(int(start[-1]), start, duration)

    def finish(self) -> StepSums | None:
        """Sums in the steps; None: more than is stored, which are computed when they are asked for."""
        if self._sums.is_too_much:
            return None
        sums, reduces = self._sums.sums(), _added(*self._sums.told())
        categories = tuple(self._texts[text] for text in self._sums.texts().tolist())
        self._settle(int(self._times.max(initial=0)), _NOTHING, _NOTHING)
        busy = np.concatenate(self._busy)
        at_start, at_stop = (busy[np.searchsorted(self._times, times)] for times in (self._start, self._stop))
        marks = self._start, self._stop, at_start, at_stop
        return StepSums(*marks, categories, *sums, *reduces, counts=self._counts.counts())

    def _settle(self, until: int, start: Ints, duration: Ints) -> None:
        """Adds events; of all times until then it is known how long any has run."""
        done = sum(map(len, self._busy))
        last = int(np.searchsorted(self._times, until, side="right"))
        self._busy.append(self._running.add(start, duration, self._times[done:last]))


def _added(step: Ints, category: Ints, number: Ints, ps: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Pieces of all-reduces, each all-reduce of a step once."""
    order = np.lexsort((number, category, step))
    step, category, number, ps = step[order], category[order], number[order], ps[order]
    changes = np.diff(step, prepend=-1) | np.diff(category, prepend=-1) | np.diff(number, prepend=-1)
    first = np.flatnonzero(changes)
    return step[first], category[first], number[first], np.add.reduceat(ps, first) if len(first) else ps
