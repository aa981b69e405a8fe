"""The trace that ships with the project: a real capture that every test may read."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.tools.catalogue import known

DEMO_LOGDIR = Path(__file__).resolve().parent.parent / "docs" / "demo"
(DEMO_TRACE,) = DEMO_LOGDIR.glob("plugins/profile/*/*.xplane.pb")

# Tools that have no answer for it: it has no counters, no operations of devices, and nothing about allocations.
LACKING = {
    "counters",
    "memory_profile",
    *(name for name, tool in known().tools.items() if tool.group == "devices"),
}
