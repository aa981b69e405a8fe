"""Profiles of this program's own work, for those who make it faster."""

from tilescope.tiler.profile.spans import WorkProfile, stage, staged, unlocked, waiting

__all__ = ["WorkProfile", "stage", "staged", "unlocked", "waiting"]
