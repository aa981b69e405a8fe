"""How long the events of each name take together, for the families that viewers tell apart first."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.schema import FAMILY_NAMES, busiest_families

# Events that are summed at a time: their halves add up to less than 2**53, so that floats count them exactly.
_AT_ONCE = 1 << 20
_HALF = 32

# Names are counted by their ids where these are not much more than the events.
_IDS_PER_EVENT = 4


class BusyNames:
    """Sums by name id. Tracks are added from any thread."""

    def __init__(self) -> None:
        self._low = np.zeros(0, np.int64)
        self._high = np.zeros(0, np.int64)
        self._adding = threading.Lock()

    def add(self, data: TrackData) -> None:
        """The slices of a track; counters last no time."""
        if data.value is not None:
            return
        for first in range(0, len(data.name), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            self._add(data.name[some], data.duration[some])

    def families(self, names: RunNames) -> list[str]:
        """The busiest families of the run."""
        # Their order decides which names count at all: it must not depend on which thread came first.
        known = len(names)
        low, high = self._low[:known], self._high[:known]
        order = np.lexsort((np.arange(len(low)), -low, -high))[:FAMILY_NAMES]
        return busiest_families(
            (_as_stored(names[k]), _as_stored(names.category(k)), (int(self._high[k]) << _HALF) + int(self._low[k]))
            for k in order.tolist()
        )

    def _add(self, name: NDArray[np.int32], duration: NDArray[np.int64]) -> None:
        """Events without a name, of which the id is -1, have no family."""
        shifted = name + 1
        where: NDArray[Any] = shifted
        if int(shifted.max()) <= _IDS_PER_EVENT * len(name):
            ids: NDArray[Any] = np.arange(int(shifted.max()) + 1)
        else:
            ids, where = np.unique(shifted, return_inverse=True)
        low = np.bincount(where, weights=duration & ((1 << _HALF) - 1), minlength=len(ids)).astype(np.int64)
        upper = duration >> _HALF
        high = np.bincount(where, weights=upper, minlength=len(ids)).astype(np.int64) if upper.any() else None
        named = ids > 0
        ids = ids[named] - 1
        with self._adding:
            if not len(ids):
                return
            self._grow(int(ids[-1]) + 1)
            self._low[ids] += low[named]
            if high is not None:
                self._high[ids] += high[named]
            self._high[ids] += self._low[ids] >> _HALF
            self._low[ids] &= (1 << _HALF) - 1

    def _grow(self, length: int) -> None:
        if length > len(self._low):
            more = np.zeros(max(length, 2 * len(self._low)) - len(self._low), np.int64)
            self._low = np.concatenate([self._low, more])
            self._high = np.concatenate([self._high, more])


def _as_stored(text: str) -> str:
    """As pages of names have it: halves of surrogate pairs are no text."""
    return text.encode("utf-8", "replace").decode()
