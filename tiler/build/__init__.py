"""Builds stores: from trace files to a published generation."""

from tilescope.tiler.build.build import build_store
from tilescope.tiler.build.progress import Progress, ProgressCallback

__all__ = ["Progress", "ProgressCallback", "build_store"]
