"""Busy time of the names of a shard, from the sums of its tracks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tilescope.tiler.lookup.histograms import StoredTiles, histogram_parts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import SLICE_KINDS
from tilescope.tiler.records.histogram import BUSY_LIMIT
from tilescope.tiler.store.store import Store
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

_WHOLE: Final = Windows.single(0, TICK_LIMIT)


def busy_names(store: Store, tracks: Sequence[dict[str, Any]]) -> dict[int, int]:
    """Ticks by name id, of the slices on these tracks of a manifest. Raises DamagedStore."""
    by_block: defaultdict[int, list[int]] = defaultdict(list)
    for number, track in enumerate(tracks):
        if track["kind"] in SLICE_KINDS and track["events"]:
            by_block[number // TRACKS_PER_BLOCK].append(number)
    busy: defaultdict[int, int] = defaultdict(int)
    for block, numbers in by_block.items():
        is_exact = sum(int(tracks[number]["busy"]) for number in numbers) < BUSY_LIMIT
        windows = {number % TRACKS_PER_BLOCK: _WHOLE for number in numbers}
        for part in histogram_parts(StoredTiles(store), block, windows, np.int64 if is_exact else object):
            for name, ticks in zip(part.name.tolist(), part.busy.tolist(), strict=True):
                busy[name] += ticks
    return {name: ticks for name, ticks in busy.items() if name >= 0 and ticks}
