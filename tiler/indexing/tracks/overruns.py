"""Kernels and copies of a stream that last beyond later ones: it runs one after the other, so their times are wrong.

The next one may begin before the end of the one before (programmatic dependent launch), but does not end before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.track_data import TrackData

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# A smaller part of a kernel may be shared with the next ones, even if one of these is short.
_OVERLAP: Final = 4

# A track on which more of the work overruns does not run it one by one, and none of it is wrong. In the traces of GPUs
# of the corpus (Kineto, of NVIDIA and AMD, 2026-11) nothing overruns.
_ONE_IN: Final = 100
_A_FEW: Final = 3
_MOST: Final = 1000


class StreamOverruns:
    """Looks through the work of one track: slices that take time, of some names or (None) of all."""

    def __init__(self, data: TrackData, is_work: Mask | None) -> None:
        """`is_work`: by name id, the last one for slices without a name."""
        self._data = data
        self._is_work = is_work
        self._ends: list[int] = []  # ordinals at which parts end
        self._before = [0]  # how much work there is before each part

    def overruns(self) -> list[tuple[int, int, int, int]]:
        """Ordinal, start, end, and how many later ones start in it, of each; none where they are no exceptions."""
        suspects = list(islice(self._suspects(), _MOST + 1))
        if len(suspects) > _MOST:
            return []
        overruns = []
        for ordinal, start, end, next_start in suspects:
            if _OVERLAP * (end - next_start) > end - start:
                overruns.append((ordinal, start, end, self._starting_between(ordinal, end)))
        total = self._before[-1]
        is_exception = len(overruns) <= max(_A_FEW, total // _ONE_IN) and 2 * len(overruns) < total
        return overruns if is_exception else []

    def _works(self, part: slice) -> Mask:
        works: Mask = self._data.duration[part] > 0
        if self._is_work is not None:
            works &= self._is_work[self._data.name[part]]
        return works

    def _suspects(self) -> Iterator[tuple[int, int, int, int]]:
        """Ordinal, start, end and start of the next of those that end after one of the next two, in their order."""
        n = len(self._data)
        work = np.zeros((3, 0), np.int64)  # ordinal, start, end
        for part in parts(n):
            ordinals = part.start + np.flatnonzero(self._works(part))
            self._ends.append(part.stop)
            self._before.append(self._before[-1] + len(ordinals))
            start = self._data.start[ordinals]
            work = np.concatenate([work, np.stack([ordinals, start, start + self._data.duration[ordinals]])], axis=1)
            if work.shape[1] < 2:
                continue
            ordinal, start, end = work
            longer = end[:-1] > end[1:]
            longer[:-1] |= end[:-2] > end[2:]
            if part.stop < n:
                longer = longer[:-1]  # the last two are looked at with what follows
            positions = np.flatnonzero(longer)
            columns = ordinal[positions], start[positions], end[positions], start[positions + 1]
            yield from zip(*(column.tolist() for column in columns), strict=True)
            work = work[:, -2:]

    def _starting_between(self, ordinal: int, end: int) -> int:
        """Amount of work that stands behind an ordinal and starts before a time."""
        stop = int(np.searchsorted(self._data.start, end, side="left"))
        return self._work_before(stop) - self._work_before(ordinal + 1)

    def _work_before(self, ordinal: int) -> int:
        part = int(np.searchsorted(self._ends, ordinal, side="right"))
        if part == len(self._ends):
            return self._before[part]
        first = self._ends[part - 1] if part else 0
        return self._before[part] + int(np.count_nonzero(self._works(slice(first, ordinal))))
