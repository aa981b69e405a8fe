"""The list of subcommands, in the order in which the help shows them."""

from __future__ import annotations

from tilescope.cli import index, info, synth
from tilescope.cli.command import Command

COMMANDS: tuple[Command, ...] = (index, info, synth)
