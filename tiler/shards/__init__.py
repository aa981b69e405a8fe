"""Builds a run of many files shard by shard, on any executor."""
