"""`with tilescope.profile(logdir):` records what the code of this process does, and leaves a run in a log directory."""

from tilescope.profiling.profile import Profile, profile
from tilescope.profiling.recorder import RecordingFailed

__all__ = ["Profile", "RecordingFailed", "profile"]
