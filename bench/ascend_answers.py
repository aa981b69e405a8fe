"""Times of tools about a training on Ascend devices: ten million events, a million kernels of each of eight ranks."""

from __future__ import annotations

from typing import Final

import tilescope.server.services.preload  # noqa: F401  as in the processes that a server asks
from bench.answer_work import Work
from bench.ascend_run import AscendShape
from bench.pod_answers import AgainWork, FirstWork, tenths, whole

SHAPE: Final = AscendShape(ranks=8, steps=10, layers=6662, reduce_every=100, pause_every=8, launches=0)
QUICK_SHAPE: Final = AscendShape(ranks=2, stages=1, steps=3)

_RUN: Final = "10 M events on Ascend"
_OF_ANY_RANGE: Final = (
    *("overview", "steps", "call_tree", "stats", "input_pipeline", "gaps", "overlap", "pod", "collectives"),
    *("memory_profile", "counters"),
)
_OF_THE_WHOLE_RUN: Final = ("operators", "flops")

ROWS: Final = (
    *(
        FirstWork(f"{tool} of {_RUN}, whole run, first", 2000, None, whole(tool), 5, 0.5)
        for tool in (*_OF_ANY_RANGE, *_OF_THE_WHOLE_RUN)
    ),
    *(Work(f"{tool} of {_RUN}, a tenth", 300, None, tenths(tool), 10, 0.5) for tool in _OF_ANY_RANGE),
    *(
        AgainWork(f"{tool} of {_RUN}, whole run, again", 50, None, whole(tool), 10)
        for tool in (*_OF_ANY_RANGE, *_OF_THE_WHOLE_RUN)
    ),
)
