"""The trace that ships with the project: a real capture that every test may read."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.tools.catalogue import installed_tools

DEMO_LOGDIR = Path(__file__).resolve().parent.parent / "docs" / "demo"
(DEMO_TRACE,) = DEMO_LOGDIR.glob("plugins/profile/*/*.xplane.pb")

# Tools about what other runs have: operations of devices, allocations, pages of other profilers.
ABOUT_OTHER_RUNS = {
    name
    for name, one in installed_tools().tools.items()
    if one.group in ("devices", "memory", "imports")
    and name not in ("framework_ops", "input_pipeline", "overview", "pod")
}

# Tools that have no answer for it: it has neither counters nor launches, either, nor what Ascend's profilers write.
LACKING = {
    *("collectives", "counters", "dynamic_shape", "flops", "operators", "queues", "step_trace", "tables"),
    *ABOUT_OTHER_RUNS,
}
