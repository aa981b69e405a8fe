"""The means of counters' samples, each sample of the same weight."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.events import EventPlan, LeafRun
from tilescope.tiler.windows import WindowsOf

_EXACT: Final = float(1 << 62)  # sums below are 64-bit integers


def plain_means(reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf) -> Interruptible[list[float | None]]:
    """Means of the samples of some counters in windows; None without a finite one. Bins know no sums: leaves are read.

    Page by page, each of which has leaves of many counters. Raises DamagedStore.
    """
    runs: dict[PageKey, list[tuple[int, EventPlan, LeafRun]]] = defaultdict(list)
    for place, track in enumerate(tracks):
        plan = reader.plan(track, windows_of(track))
        for run in plan.leaf_runs:
            runs[run.page].append((place, plan, run))
        yield
    sums: list[list[float]] = [[] for _ in tracks]
    counts = [0] * len(tracks)
    for key, of_page in runs.items():
        page = reader.decoded_page(key)
        for place, plan, run in of_page:
            samples = plan.samples(run, page)
            if reader.outliers is not None:
                samples = reader.outliers.without(samples)
            sums[place].append(_sum(samples.value))
            counts[place] += len(samples)
        yield
    return [_mean(*each) for each in zip(sums, counts, strict=True)]


def _sum(values: NDArray[np.float64]) -> float:
    """Sum of values, rounded once; NaN where it is too large, or one of infinities of both signs."""
    most = float(np.abs(values).max(initial=0))
    if most * len(values) < _EXACT and bool((np.rint(values) == values).all()):  # whole numbers, such as bytes
        return float(values.astype(np.int64).sum())
    try:
        return math.fsum(values.tolist())
    except (OverflowError, ValueError):
        return math.nan


def _mean(sums: Sequence[float], count: int) -> float | None:
    if not count:
        return None
    mean = math.fsum(sums) / count if all(map(math.isfinite, sums)) else math.nan
    return mean if math.isfinite(mean) else None
