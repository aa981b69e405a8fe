"""Shards of one axis as one run."""

from tilescope.tiler.mount.mounted_store import MountedStore, is_outdated
from tilescope.tiler.mount.mounting import keep_merge
from tilescope.tiler.mount.open_run import (
    current_build_path,
    is_mounted,
    open_run,
    open_run_build,
    published_file,
    stores_of,
)
from tilescope.tiler.mount.proof import check_merge
from tilescope.tiler.mount.run_shifts import save_shifts
from tilescope.tiler.shards.sharded_run import is_run

__all__ = [
    "MountedStore",
    "check_merge",
    "current_build_path",
    "is_mounted",
    "is_outdated",
    "is_run",
    "keep_merge",
    "open_run",
    "open_run_build",
    "published_file",
    "save_shifts",
    "stores_of",
]
