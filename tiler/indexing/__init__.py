"""Builds stores: from trace files to a published generation."""

from tilescope.tiler.garbage import collect_seldom
from tilescope.tiler.indexing.build import DEFAULT_MEMORY_BYTES, build_store
from tilescope.tiler.indexing.free_memory import keep_free_memory
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.progress import BuildProgress, ProgressCallback

__all__ = [
    "DEFAULT_MEMORY_BYTES",
    "BuildProgress",
    "Priorities",
    "ProgressCallback",
    "build_store",
    "collect_seldom",
    "keep_free_memory",
]
