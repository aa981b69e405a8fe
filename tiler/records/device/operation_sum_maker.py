"""Adds up the operations of a track while they are written, by kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.records.device.operation_sums import SUMMED, OperationSums
from tilescope.tiler.records.device.operations import Operations

Ints = NDArray[np.int64]


class OperationSumMaker:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self) -> None:
        self._sums = _native.KindSums(0, len(SUMMED))
        self._spans = _native.LoneSpans()
        self._numbers: set[str] = set()
        self._added = 0

    def add(self, operations: Operations, start: Ints, duration: Ints) -> None:
        """Adds operations; `start` and `duration` of their events, in ticks."""
        sums = self._sums
        sums.add_growing(operations.kind, operations.parent, operations.duration, self._added)
        for place, name in enumerate(SUMMED):
            if name in operations.numbers:
                self._numbers.add(name)
                sums.add_number(
                    place,
                    operations.kind[operations.told],
                    operations.numbers[name],
                    np.ones(len(operations.told), np.uint8),
                )
        self._spans.add(operations.kind, start, duration)
        self._added += len(operations)

    def finish(self, kinds: int) -> OperationSums | None:
        """Sums of so many kinds; None: sums that 64 bits do not hold, which are computed when they are asked for."""
        sums = self._sums
        sums.grow(kinds)
        of_numbers = [sums.number(place) for place in range(len(SUMMED))]
        count, empty, _, longest, longest_at, shortest_lasting, *both = sums.take()
        wide = [*both, *of_numbers]
        if any(high.any() or int(low.max(initial=0)) >= 1 << 62 for low, high in wide):
            return None
        total, inner, *numbers = (low.astype(np.int64) for low, _ in wide)
        return OperationSums(
            count,
            total,
            inner,
            longest,
            longest_at,
            empty,
            shortest_lasting,
            self._spans.alone(kinds),
            self._spans.ticks(),
            {name: sum_columns for name, sum_columns in zip(SUMMED, numbers, strict=True) if name in self._numbers},
        )
