"""Causes of lost time: each measured by what steps would be shorter without it."""

from tilescope.tiler.facts.findings.finding import Cause, Finding, Spot
from tilescope.tiler.facts.findings.findings import LEAST_SHARE, NO_FINDINGS, RunFindings, findings_of

__all__ = ["LEAST_SHARE", "NO_FINDINGS", "Cause", "Finding", "RunFindings", "Spot", "findings_of"]
