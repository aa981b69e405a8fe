"""Interface of a module that is a subcommand."""

from __future__ import annotations

import argparse
from typing import Final, Protocol

EXIT_BAD: Final = 1  # the trace or the store is bad
EXIT_USAGE: Final = 2  # as argparse does
EXIT_FAILED: Final = 3  # a rule of `compare` failed
EXIT_UNKNOWN: Final = 4  # a rule of `compare` cannot be told, and none failed
EXIT_INTERRUPTED: Final = 130  # 128 + SIGINT, as shells report it


class Command(Protocol):
    """A module of `tilescope.cli`. Its docstring is the long help, as written, examples included."""

    NAME: str
    HELP: str  # one line, for the list of commands
    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int:
        """Does the work and returns the exit code; raises `TilescopeError` when it cannot."""
