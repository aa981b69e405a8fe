"""Builds a run of many files shard by shard, on any executor."""

from tilescope.tiler.shards.build import ShardOptions, build_shards
from tilescope.tiler.shards.opened_executor import OpenExecutor
from tilescope.tiler.shards.progress import ShardProgress
from tilescope.tiler.shards.sharded_run import Shard, ShardedRun, is_run_of_shards, read_sharded_run

__all__ = [
    "OpenExecutor",
    "Shard",
    "ShardOptions",
    "ShardProgress",
    "ShardedRun",
    "build_shards",
    "is_run_of_shards",
    "read_sharded_run",
]
