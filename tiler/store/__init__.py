"""Stores of tiles: an ordered map, generations that are published in one step, and the reader of a run."""

from tilescope.tiler.store.generation import is_store
from tilescope.tiler.store.growing import GrowingRunStore, open_growing
from tilescope.tiler.store.run_store import RunStore, open_build, open_run_store
from tilescope.tiler.store.version import STORE_VERSION

__all__ = [
    "STORE_VERSION",
    "GrowingRunStore",
    "RunStore",
    "is_store",
    "open_build",
    "open_growing",
    "open_run_store",
]
