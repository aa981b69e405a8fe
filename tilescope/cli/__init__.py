"""The command line: finds the subcommand, runs it, and turns errors into one line and an exit code."""

from tilescope.cli.dispatch import main

__all__ = ["main"]
