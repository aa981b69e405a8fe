"""The type of work that may be interrupted by its name of version 0.2, which tools of other packages import."""

from tilescope.tiler.query.interruptible import Interruptible as Steps
from tilescope.tiler.query.interruptible import finish

__all__ = ["Steps", "finish"]
