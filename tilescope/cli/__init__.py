"""The command line: finds the subcommand, runs it, and turns errors into one line and an exit code."""

import os

# numpy brings a linear algebra library that starts a thread per core, and these spin for a while. Nothing here needs
# them. The variable is read when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import signal
from typing import NoReturn

from tilescope.cli.dispatch import main
from tilescope.cli.process_exit import leave

__all__ = ["command", "main"]


def command() -> NoReturn:
    """Entry point of the shell. SIGTERM is as Ctrl-C: what has been begun is removed on the way out."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    leave(main())
