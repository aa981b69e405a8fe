"""Modules that workers are forked with: all that questions need is loaded, and collections do not look through it.

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
