"""Times of tools about a training with PyTorch: ten million events of eight ranks on two hosts.

The critical path of the whole run is that of one rank: more than a million slices.
"""

from __future__ import annotations

from typing import Final

import tilescope.server.services.preload  # noqa: F401  as in the processes that a server asks
from bench.answer_work import Work
from bench.kineto_run import KinetoShape
from bench.lane_answers import views
from bench.pod_answers import AgainWork, FirstWork, tenths, whole

SHAPE: Final = KinetoShape(cycles=1, steps=50, layers=396)
QUICK_SHAPE: Final = KinetoShape(cycles=1)

_RUN: Final = "10 M events of PyTorch"
_TOOLS: Final = (
    *("overview", "steps", "stats", "framework_ops", "kernels", "op_profile", "call_tree", "memory_profile"),
    *("launches", "queues", "copies", "gaps", "overlap", "pod", "collectives", "critical_path"),
)

ROWS: Final = (
    *(FirstWork(f"{tool} of {_RUN}, whole run, first", 2000, None, whole(tool), 5, 0.5) for tool in _TOOLS),
    *(Work(f"{tool} of {_RUN}, a tenth", 300, None, tenths(tool), 10, 0.5) for tool in _TOOLS),
    *(AgainWork(f"{tool} of {_RUN}, whole run, again", 50, None, whole(tool), 10) for tool in _TOOLS),
    *(Work(f"lane of {tool} in any view of {_RUN}", 50, None, views(tool)) for tool in ("queues", "copies", "overlap")),
)
