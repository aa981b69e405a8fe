"""The argument parser: one subparser per command, help as the commands' docstrings have it."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from tilescope.cli.command import EXIT_USAGE, Command
from tilescope.cli.commands import commands
from tilescope.cli.option_rules import broken_rule
from tilescope.cli.say import say
from tilescope.tiler.printable_text import printable
from tilescope.version import version_text

HELP_WIDTH = 100  # columns; fixed, so that docs/cli.md does not depend on a terminal

DESCRIPTION = """\
Indexes profiler traces of any size once and serves them as tiles, exact at every zoom level.

    tilescope view trace.xplane.pb     index it, serve it, open the browser
"""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps docstrings as they are written, and looks the same on every terminal and Python version."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=HELP_WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        # Python 3.13 changed "-o STORE, --output STORE" to "-o, --output STORE"; ours is the newer form everywhere.
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        metavar = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {metavar}"


class Parser(argparse.ArgumentParser):
    """Says on one line what is wrong with the arguments, whatever is in them, and in the same words on every Python."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._given: set[str] = set()
        self.is_command = False  # what comes behind a command is the command's alone

    def parse_known_args(  # type: ignore[override]  # of which the stubs have one overload for each kind of namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As the base class does; refuses options that would have no effect."""
        self._given.clear()
        parsed, unknown = super().parse_known_args(args, namespace)
        if self.is_command and unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        if words := broken_rule(self, self._given):
            self.error(words)
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{self.prog}: error: {printable(message)} (see {self.prog} --help)\n")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # What stands on the command line passes through here, a default does not.
        if arg_strings or action.nargs == 0:
            self._given.update(action.option_strings or [str(action.metavar)])
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        words = f"there is no {value!r}: choose from {', '.join(map(str, action.choices))}"
        if isinstance(action, argparse._SubParsersAction) and _is_tool(value):
            words = f"{value} is a tool: tilescope ask STORE {value}"
        raise argparse.ArgumentError(action, words)


class _ShowVersion(argparse.Action):
    """`--version`. The text is made only when it is asked for: git takes a while."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        say(f"tilescope {version_text()}")
        parser.exit()


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of one subcommand. The parsed `args.run` is its function."""
    parser = Parser(prog="tilescope", description=DESCRIPTION, formatter_class=HelpFormatter)
    parser.add_argument("--version", action=_ShowVersion, help="show the version and its commit")
    parser.add_argument("--debug", action="store_true", help="show a traceback when something fails")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in commands(only):
        _add_command(subparsers, command)
    return parser


def _add_command(subparsers: argparse._SubParsersAction[Parser], command: Command) -> None:
    subparser = subparsers.add_parser(
        command.NAME,
        help=command.HELP,
        description=textwrap.dedent(command.__doc__ or command.HELP).strip(),
        formatter_class=HelpFormatter,
    )
    subparser.is_command = True
    command.add_arguments(subparser)
    # Without a default of its own, so that `tilescope --debug info` is not undone by the subparser.
    subparser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks")
    subparser.set_defaults(run=command.run)


def _is_tool(name: str) -> bool:
    from tilescope.tiler.tools import tools

    return name in tools()
