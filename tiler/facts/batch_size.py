"""Number of examples that a step takes, where the slices that mark steps say it.

Keras' `fit` writes `batch_size` with each of its steps, and so may anyone who marks steps by hand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.windows import WindowsOf

ARGUMENT: Final = "batch_size"

# Markers that are read: each may cost a chunk of arguments, about a millisecond.
_MOST_READ: Final = 32


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """Batch sizes by the markers of steps: the least and the most, and how many markers were read."""

    least: int
    most: int
    read: int  # markers; a step has one on each host
    marked: int


def batch_sizes(
    reader: QueryReader, steps: RunSteps, tracks: Collection[int], windows_of: WindowsOf
) -> Interruptible[BatchSizes | None]:
    """Batch sizes of steps that begin in some windows, on the hosts of these tracks; None: no marker says it.

    Of many steps some are read, at even distances, the first and the last among them. Raises DamagedStore.
    """
    files = {reader.file_of(track) for track in tracks}
    markers = []
    for series in steps.series:
        if series.source <= StepSource.STEPS_LINE_IN_ORDER:
            continue  # lines of devices, whose steps say nothing of what they work on
        for track in series.tracks:
            if reader.file_of(track) in files:
                rows = series.rows
                beginning = np.flatnonzero((rows.track == track) & windows_of(track).hold(rows.start))
                markers.append((track, np.sort(rows.ordinal[beginning])))
    arguments = ArgumentReader(reader.store)
    marked, read, distinct_sizes = 0, 0, set[int]()
    wanted = max(2, _MOST_READ // max(1, len(markers)))
    for track, ordinals in markers:
        places = np.unique(np.linspace(0, len(ordinals) - 1, min(wanted, len(ordinals))).astype(np.int64))
        sizes: list[int] = []
        for batch in arguments.values(track, ordinals[places], [ARGUMENT]):
            values = (batch.values[0].value(row) for row in range(len(batch.values[0])))
            sizes += [size for value in values if (size := _size(value))]
            yield
        if sizes:
            marked += len(ordinals)
            read += len(places)
            distinct_sizes.update(sizes)
    return BatchSizes(min(distinct_sizes), max(distinct_sizes), read, marked) if distinct_sizes else None


def _size(value: object) -> int:
    """0: it is none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 19:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 63 else 0
