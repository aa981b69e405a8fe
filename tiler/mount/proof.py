"""Proof of what a run of shards has beside them: that its kept merge says what the shards say."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tilescope.tiler.errors import DamagedStore, StoresDiffer
from tilescope.tiler.mount.kept_merge import open_merge
from tilescope.tiler.mount.mounting import merge_anew
from tilescope.tiler.shards.folder import MERGED
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.verify import SameEntries, compare_entries


def check_merge(path: Path, run: ShardedRun) -> SameEntries | None:
    """Compares the merge that is kept with one of the shards as they are; None: none is kept.

    Raises StoreError, DamagedStore where they differ.
    """
    kept = open_merge(path)
    if kept is None and (path / MERGED).exists():
        raise DamagedStore(f"{path / MERGED}: is damaged (index the run again)")
    if kept is None:
        return None
    with closing(kept.store):
        mounted, merged = merge_anew(path, run, wait_seconds=None)
        with closing(mounted):
            try:
                return compare_entries(kept.store, merged)
            except StoresDiffer as error:
                raise DamagedStore(f"{error} (index the run again)") from error
