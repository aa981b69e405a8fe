"""What workers are forked from: all that questions need is loaded, and kept out of what collections look through.

A full collection looked through everything that was ever loaded, once in a dozen questions: 56 to 75 ms of an answer.
"""

from __future__ import annotations

import atexit
import gc

from tilescope.server.services import worker
from tilescope.tiler.tools import tools

__all__ = ["worker"]

tools()
gc.collect()
gc.freeze()
atexit.register(gc.unfreeze)  # so that all goes when the interpreter does
