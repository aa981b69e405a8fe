"""The list of subcommands, in the order in which the help shows them."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from tilescope.cli.command import Command

NAMES: Final = (
    "view",
    "index",
    "capture",
    "monitor",
    "serve",
    "info",
    "attachments",
    "ask",
    "compare",
    "tools",
    "query",
    "export",
    "archive",
    "verify",
    "shift",
    "mcp",
    "picture",
    "gc",
    "synth",
)


def commands(only: str | None = None) -> tuple[Command, ...]:
    """All of them, or one alone: whoever gives a command does not wait until the others are loaded."""
    names = (only,) if only is not None else NAMES
    return tuple(cast(Command, import_module(f"tilescope.cli.{name}")) for name in names)
