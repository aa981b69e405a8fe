"""Times of questions about kernels: ten million of them on eight GPUs, of 300 names in 900 launches."""

from __future__ import annotations

from typing import Final

from bench.answer_work import Work
from bench.gpu_run import GpuShape
from bench.pod_answers import AgainWork, FirstWork, tenths, whole

SHAPE: Final = GpuShape()
QUICK_SHAPE: Final = GpuShape(gpus=2, streams=2, kernels=5_000)

ROWS = (
    FirstWork("kernels of 10 M, whole run, first", 200, None, whole("kernels"), 5),
    Work("kernels of 10 M, whole run", 200, None, whole("kernels"), 10),
    Work("kernels of 10 M, a tenth", 200, None, tenths("kernels"), 10),
    AgainWork("kernels of 10 M, whole run, again", 20, None, whole("kernels"), 10),
)
