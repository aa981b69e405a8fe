"""Profiles that are samples of stacks: a slice for each function, as long as samples in a row have it."""

from tilescope.tiler.readers.sampled.formats import COLLAPSED, CPU_PROFILE, FIREFOX, PERF_SCRIPT, SPEEDSCOPE

__all__ = ["COLLAPSED", "CPU_PROFILE", "FIREFOX", "PERF_SCRIPT", "SPEEDSCOPE"]
