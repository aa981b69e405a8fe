"""The end of a process: what it holds is left to the system, at once.

The interpreter takes everything apart piece by piece first, names and tables of a whole run among it, and looks for
garbage: that was 0.05 s of the 3 s in which 10 million events were indexed.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """Ends the process with this exit code. What is to be done at its end is done, and nothing said is lost."""
    if threading.active_count() > 1:
        sys.exit(code)  # waits for what other threads have to end
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody is there to read it
            code = code or 1
    os._exit(code)
