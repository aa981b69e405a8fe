"""Executors on which runs are indexed shard by shard."""

from tilescope.executors.addresses import open_executor

__all__ = ["open_executor"]
