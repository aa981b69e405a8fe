"""Stores of runs: generations that are published in one step, archives in one file, and the readers of both."""

from tilescope.tiler.store.growing import GrowingRunStore, open_growing
from tilescope.tiler.store.opening import current_build_path, is_store, open_build, open_store, published_file
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.version import STORE_VERSION

__all__ = [
    "STORE_VERSION",
    "GrowingRunStore",
    "RunStore",
    "current_build_path",
    "is_store",
    "open_build",
    "open_growing",
    "open_run_store",
    "open_store",
    "published_file",
]
