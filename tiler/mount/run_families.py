"""The busiest families of a mounted run, from the sums of its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilescope.tiler.lookup.histograms import StoredTiles, histogram_parts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query.names import Names
from tilescope.tiler.records.histogram import BUSY_LIMIT
from tilescope.tiler.schema import FAMILY_NAMES, busiest_families
from tilescope.tiler.store.store import Store
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows


def run_families(store: Store, tracks: Sequence[dict[str, Any]], kinds: frozenset[str], names: Names) -> list[str]:
    """The busiest families of the slices on these tracks of a manifest, of the kinds that have names and durations.

    Raises DamagedStore.
    """
    whole = Windows.single(0, TICK_LIMIT)
    by_block: defaultdict[int, list[int]] = defaultdict(list)
    for number, track in enumerate(tracks):
        if track["kind"] in kinds and track["events"]:
            by_block[number // TRACKS_PER_BLOCK].append(number)
    busy: defaultdict[int, int] = defaultdict(int)
    for block, numbers in by_block.items():
        is_exact = sum(int(tracks[number]["busy"]) for number in numbers) < BUSY_LIMIT
        windows = {number % TRACKS_PER_BLOCK: whole for number in numbers}
        for part in histogram_parts(StoredTiles(store), block, windows, np.int64 if is_exact else object):
            for name, ticks in zip(part.name.tolist(), part.busy.tolist(), strict=True):
                busy[name] += ticks
    busiest = sorted(((-ticks, name) for name, ticks in busy.items() if name >= 0 and ticks))[:FAMILY_NAMES]
    return busiest_families((*_text_and_category(names, name), -ticks) for ticks, name in busiest)


def _text_and_category(names: Names, name: int) -> tuple[str, str]:
    entry = names[name]
    return entry.text, entry.category
