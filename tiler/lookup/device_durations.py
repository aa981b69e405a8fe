"""Durations of operations on their devices: chunks of their arguments leave them out, their records have them."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import DurationsOf
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, OPERATIONS, Operations
from tilescope.tiler.store.store import Store, need

_KEPT_RECORDS: Final = 32  # each of 128 KB


def device_durations(store: Store, track: int) -> DurationsOf:
    """A function that returns the durations of some operations of a track, ps."""
    return partial(_durations, store, track)


def _durations(store: Store, track: int, first: int, count: int) -> NDArray[np.int64]:
    """Durations of events that are all in one record. Raises DamagedStore."""
    position = first % CHUNK_OPERATIONS
    return _record_durations(store, track, first - position)[position : position + count]


@kept_with_store(_KEPT_RECORDS)
def _record_durations(store: Store, track: int, first: int) -> NDArray[np.int64]:
    return Operations.decode(decompress(need(store, OPERATIONS, track, first)), track).duration
