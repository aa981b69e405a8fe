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
    if "mpi4py.MPI" in sys.modules:  # a rank that goes without its farewell takes the others with it
        sys.exit(code)
    # Other threads are waited for, as at any end of an interpreter. Where one was stopped by a signal, values of native
    # code may be left over: an interpreter that is taken apart complains of them.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody is there to read it
            code = code or 1
    os._exit(code)
