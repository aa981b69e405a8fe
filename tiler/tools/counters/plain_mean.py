"""The mean of a counter's samples, each of the same weight."""

from __future__ import annotations

import math

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.windows import Windows


def plain_mean(reader: QueryReader, track: int, windows: Windows) -> Interruptible[float | None]:
    """Mean of the samples in some windows; None without a finite one. Bins know no sums: leaves are read.

    Raises DamagedStore.
    """
    plan = reader.plan(track, windows)
    sums: list[float] = []
    n = 0
    for samples in Reading(reader).events(plan, plan.leaf_runs):
        try:
            sums.append(math.fsum(samples.value.tolist()))
        except (OverflowError, ValueError):  # too large; infinities of both signs
            sums.append(math.nan)
        n += len(samples)
        yield
    if not n:
        return None
    mean = math.fsum(sums) / n if all(map(math.isfinite, sums)) else math.nan
    return mean if math.isfinite(mean) else None
