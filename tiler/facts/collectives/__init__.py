"""Collectives of PyTorch: calls of each rank, and the instances that several ranks take part in."""

from tilescope.tiler.facts.collectives.calls import (
    SENT,
    CollectiveCalls,
    CollectiveKind,
    collective_calls,
    may_have_calls,
)
from tilescope.tiler.facts.collectives.clocks import run_clocks
from tilescope.tiler.facts.collectives.instances import ClockOffset, Instances, bus_factor, clock_offsets, matched

__all__ = [
    "SENT",
    "ClockOffset",
    "CollectiveCalls",
    "CollectiveKind",
    "Instances",
    "bus_factor",
    "clock_offsets",
    "collective_calls",
    "matched",
    "may_have_calls",
    "run_clocks",
]
