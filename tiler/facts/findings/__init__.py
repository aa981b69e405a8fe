"""Causes of lost time: each measured by what steps would be shorter without it."""

from tilescope.tiler.facts.findings.finding import Cause, Finding, Spot
from tilescope.tiler.facts.findings.findings import LEAST_SHARE, NO_FINDINGS, RunFindings, findings_of
from tilescope.tiler.facts.findings.frames import NO_STEP
from tilescope.tiler.facts.findings.idle_causes import Wait
from tilescope.tiler.facts.findings.idle_reasons import WAIT_TITLES, IdleReason, idle_reasons

__all__ = [
    "LEAST_SHARE",
    "NO_FINDINGS",
    "NO_STEP",
    "WAIT_TITLES",
    "Cause",
    "Finding",
    "IdleReason",
    "RunFindings",
    "Spot",
    "Wait",
    "findings_of",
    "idle_reasons",
]
