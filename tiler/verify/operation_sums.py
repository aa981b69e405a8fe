"""Adds up operations a second time, in numpy and Python: what records of their sums are compared with."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.device.operation_sums import SUMMED, OperationSums
from tilescope.tiler.records.device.operations import Operations

Ints = NDArray[np.int64]

_LARGEST: Final = int(np.iinfo(np.int64).max)
_HELD: Final = 1 << 62  # sums from here on are not stored


class PlainSums:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self) -> None:
        self._count, self._empty = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._sums = {name: np.zeros((2, 0), np.int64) for name in ("total", "inner", *SUMMED)}  # low 32 bits, others
        self._longest, self._longest_at = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._shortest = np.zeros(0, np.int64)
        self._shares = np.zeros(0, np.bool_)
        self._numbers: set[str] = set()
        self._added = self._ticks = self._end = 0
        self._last = -1  # kind of the event that ends at `_end`

    def add(self, operations: Operations, start: Ints, duration: Ints) -> None:
        """Adds operations; `start` and `duration` of their events, in ticks."""
        self._grow(1 + max(int(operations.kind.max()), int(operations.parent.max())))
        np.add.at(self._count, operations.kind, 1)
        np.add.at(self._empty, operations.kind[operations.duration == 0], 1)
        self._sum("total", operations.kind, operations.duration)
        within = operations.parent >= 0
        self._sum("inner", operations.parent[within], operations.duration[within])
        for name in SUMMED:
            if name in operations.numbers:
                self._numbers.add(name)
                has = operations.numbers[name] >= 0
                self._sum(name, operations.kind[operations.told[has]], operations.numbers[name][has])
        lasting = operations.duration > 0
        np.minimum.at(self._shortest, operations.kind[lasting], operations.duration[lasting])
        # The longest of each kind comes first, and of these the first event.
        order = np.lexsort((-operations.duration, operations.kind))
        kind, first = np.unique(operations.kind[order], return_index=True)
        longest_rows = order[first]
        longer = operations.duration[longest_rows] > self._longest[kind]
        self._longest[kind[longer]] = operations.duration[longest_rows[longer]]
        self._longest_at[kind[longer]] = self._added + longest_rows[longer]
        self._added += len(operations)
        self._run(operations.kind, start, start + np.maximum(duration, 0))

    def finish(self, kinds: int) -> OperationSums | None:
        """Sums of so many kinds; None where they are not stored."""
        self._grow(kinds)
        sums = {
            name: halves[0].astype(object) + halves[1].astype(object) * (1 << 32) for name, halves in self._sums.items()
        }
        if any(max(column, default=0) >= _HELD for column in sums.values()):
            return None
        whole = {name: column.astype(np.int64) for name, column in sums.items()}
        return OperationSums(
            self._count,
            whole["total"],
            whole["inner"],
            self._longest,
            self._longest_at,
            self._empty,
            np.where(self._shortest == _LARGEST, -1, self._shortest),
            (~self._shares).astype(np.int64),
            self._ticks,
            {name: whole[name] for name in SUMMED if name in self._numbers},
        )

    def _grow(self, kinds: int) -> None:
        more = max(kinds - len(self._count), 0)

        def longer(column: Ints, fill: int) -> Ints:
            return np.concatenate([column, np.full(more, fill, np.int64)])

        self._count, self._empty = longer(self._count, 0), longer(self._empty, 0)
        self._longest, self._longest_at = longer(self._longest, -1), longer(self._longest_at, -1)
        self._shortest = longer(self._shortest, _LARGEST)
        self._shares = np.concatenate([self._shares, np.zeros(more, np.bool_)])
        for name, halves in self._sums.items():
            self._sums[name] = np.concatenate([halves, np.zeros((2, more), np.int64)], axis=1)

    def _sum(self, name: str, kind: Ints, values: Ints) -> None:
        low, high = self._sums[name]
        np.add.at(low, kind, values & 0xFFFFFFFF)
        np.add.at(high, kind, values >> 32)

    def _run(self, kind: Ints, start: Ints, stop: Ints) -> None:
        """Finds which events meet others: all that begin before the end of what was there, and what ends there."""
        # Of each event: when all before it have ended, and which of them ends last, the first of several.
        ends = np.maximum.accumulate(np.concatenate([[self._end], stop]))
        is_later = np.diff(ends) > 0
        last = np.maximum.accumulate(np.where(is_later, np.arange(len(kind)), -1))
        before, until = np.concatenate([[-1], last])[:-1], ends[:-1]
        outer = np.where(before < 0, self._last, kind[np.maximum(before, 0)])
        meets = (start < until) & (stop > start)
        self._shares[kind[meets]] = True
        self._shares[outer[meets]] = True
        self._ticks += int(np.maximum(stop - np.maximum(start, until), 0).sum())
        self._end = int(ends[-1])
        self._last = self._last if last[-1] < 0 else int(kind[last[-1]])
