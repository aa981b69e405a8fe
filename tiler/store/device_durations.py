"""How long operations took on their devices: what chunks of their arguments leave out, as it is in their records."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import DurationsOf
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, Operations

_KEPT_RECORDS: Final = 32  # each of 128 KB


class DeviceDurations:
    """Of all tracks of a store. `record` gives the one of a track that begins with an event, compressed."""

    def __init__(self, record: Callable[[int, int], bytes]) -> None:
        self._record = record
        self._kept = lru_cache(_KEPT_RECORDS)(self._decoded)

    def of(self, track: int) -> DurationsOf:
        """Those of a track."""
        return partial(self._some, track)

    def _some(self, track: int, first: int, count: int) -> NDArray[np.int64]:
        """Of events that are all in one record. Raises DamagedStore."""
        at = first % CHUNK_OPERATIONS
        found: NDArray[np.int64] = self._kept(track, first - at)[at : at + count]
        return found

    def _decoded(self, track: int, first: int) -> NDArray[np.int64]:
        return Operations.decode(decompress(self._record(track, first)), track).duration
