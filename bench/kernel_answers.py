"""Times of questions about kernels: ten million of them on eight GPUs, of 300 names in 900 launches."""

from __future__ import annotations

from typing import Final

from bench.gpu_run import GpuShape
from bench.pod_answers import tool_works

SHAPE: Final = GpuShape()
QUICK_SHAPE: Final = GpuShape(gpus=2, streams=2, kernels=5_000)

ROWS = (*(work for tool in ("kernels", "overview") for work in tool_works(tool, "10 M kernels")),)
