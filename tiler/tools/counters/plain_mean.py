"""The means of counters' samples, each sample of the same weight."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.events import EventPlan, LeafRun
from tilescope.tiler.windows import WindowsOf


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
            samples = plan.events(run, page)
            if reader.outliers is not None:
                samples = reader.outliers.without(samples)
            try:
                sums[place].append(math.fsum(samples.value.tolist()))
            except (OverflowError, ValueError):  # too large; infinities of both signs
                sums[place].append(math.nan)
            counts[place] += len(samples)
        yield
    return [_mean(*each) for each in zip(sums, counts, strict=True)]


def _mean(sums: Sequence[float], count: int) -> float | None:
    if not count:
        return None
    mean = math.fsum(sums) / count if all(map(math.isfinite, sums)) else math.nan
    return mean if math.isfinite(mean) else None
