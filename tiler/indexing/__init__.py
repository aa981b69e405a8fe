"""Builds stores: from trace files to a published generation."""

from tilescope.tiler.indexing.build import DEFAULT_MEMORY_BYTES, build_store
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.progress import Progress, ProgressCallback

__all__ = ["DEFAULT_MEMORY_BYTES", "Priorities", "Progress", "ProgressCallback", "build_store"]
