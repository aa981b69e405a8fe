"""Clocks of the ranks of a run: by how much each differs, by the collectives whose ends coincide."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler.facts.collectives.calls import collective_calls
from tilescope.tiler.facts.collectives.instances import ClockOffset, clock_offsets, matched
from tilescope.tiler.query import Interruptible, QueryReader


def run_clocks(reader: QueryReader) -> Interruptible[Mapping[int, ClockOffset]]:
    """The clock of each rank, by its group; none without collectives of several. Raises DamagedStore, NotBuilt."""
    calls = yield from collective_calls(reader)
    return clock_offsets(matched(calls, np.ones(len(calls), np.bool_)))
