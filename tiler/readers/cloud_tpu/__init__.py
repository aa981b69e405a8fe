"""JSON of pages that the Cloud TPU profiler showed: no trace, but what somebody has kept of one."""

from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.cloud_tpu.reader import ID, CloudTpuReader
from tilescope.tiler.readers.cloud_tpu.signature import looks_like_page
from tilescope.tiler.readers.format import Format

CLOUD_TPU: Final = Format(
    id=ID,
    title="pages of the Cloud TPU profiler",
    looks_like=looks_like_page,
    open=CloudTpuReader,
    args=json_args.CODEC,
    suffixes=tuple(
        f".{page}.json" for page in ("pod_viewer", "op_profile", "input_pipeline", "overview_page", "memory_viewer")
    ),
    endings=(".json",),
)

__all__ = ["CLOUD_TPU"]
