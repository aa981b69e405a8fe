"""The trace that ships with the project: a real capture that every test may read."""

from __future__ import annotations

from pathlib import Path

DEMO_LOGDIR = Path(__file__).resolve().parent.parent / "docs" / "demo"
(DEMO_TRACE,) = DEMO_LOGDIR.glob("plugins/profile/*/*.xplane.pb")

# Tools that have no answer for it: it has neither operations of devices, allocations, counters and launches, nor what
# other profilers write.
LACKING = {
    *("collectives", "copies", "counters", "cpu", "critical_path", "dynamic_shape", "flops", "graph", "hlo_stats"),
    *("imported", "kernels", "launches", "memory_profile", "memory_viewer", "model_graph", "op_profile"),
    *("operators", "queues", "roofline", "step_trace", "tables"),
}
