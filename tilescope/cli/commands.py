"""The list of subcommands, in the order in which the help shows them."""

from __future__ import annotations

from tilescope.cli import gc, index, info, serve, synth, verify, view
from tilescope.cli.command import Command

COMMANDS: tuple[Command, ...] = (view, index, serve, info, verify, gc, synth)
