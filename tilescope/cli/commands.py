"""The list of subcommands, in the order in which the help shows them."""

from __future__ import annotations

from tilescope.cli import ask, attachments, capture, export, gc, index, info, monitor, serve, synth, tools, verify, view
from tilescope.cli.command import Command

COMMANDS: tuple[Command, ...] = (
    view,
    index,
    capture,
    monitor,
    serve,
    info,
    attachments,
    ask,
    tools,
    export,
    verify,
    gc,
    synth,
)
