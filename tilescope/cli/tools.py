"""Lists the tools that answer questions about a run: those that come with Tilescope, and those of other packages.

With --markdown it prints a page of documentation: each tool with all its parameters.

Examples:

    tilescope tools
    tilescope tools --markdown
"""

from __future__ import annotations

import argparse

NAME = "tools"
HELP = "list the tools that answer questions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("--markdown", action="store_true", help="a page with all parameters, in Markdown")


def run(args: argparse.Namespace) -> int:
    """Prints the list or the page."""
    from tilescope.cli.say import complain, say
    from tilescope.cli.tools_page import page
    from tilescope.tiler.tools import left_out, tools

    for line in left_out():
        complain(line)
    listed_tools = list(tools().values())
    if args.markdown:
        for line in page(listed_tools).splitlines():
            say(line)
        return 0
    width = max(len(tool.id) for tool in listed_tools)
    for tool in listed_tools:
        say(f"{tool.id:<{width}}  {tool.help}")
    return 0
