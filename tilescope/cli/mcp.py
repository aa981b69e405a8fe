"""Answers agents about runs, by the Model Context Protocol on standard input and output.

RUN is what `tilescope ask` takes: a store, an archive or its address, a trace, a run folder, a log directory, or the
URL of a server of Tilescope. Only these runs can be asked about. A trace is indexed when an agent first lists the runs,
or asks about it.

Agents are given nine tools (runs, overview, tools, ask, compare, find, events, link, picture), and with --allow-sql a
tenth, query, which runs SQL as `tilescope query` does; an answer has at most 8 kB.
For a server that people share, see `tilescope serve --mcp`. Needs the extra: pip install 'tilescope[mcp]'.

Examples:

    tilescope mcp run.store
    tilescope mcp before.store after.store
    tilescope mcp run.store --allow-sql
    tilescope mcp --install-skill ~/.agents/skills
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.addresses import is_server_address, path_or_address
from tilescope.cli.say import say
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.client import AsyncClient
    from tilescope.mcp.links import LinkTarget
    from tilescope.mcp.runs import RunPlace

NAME = "mcp"
HELP = "answer agents about runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("runs", type=path_or_address, nargs="*", metavar="RUN", help="a run that may be asked about")
    parser.add_argument(
        "--allow-sql", action="store_true", help="agents may run SQL, which only selects; of servers where these run it"
    )
    parser.add_argument(
        "--install-skill", type=Path, metavar="DIR", help="write DIR/tilescope/SKILL.md, which agents read, and end"
    )


def run(args: argparse.Namespace) -> int:
    """Answers until standard input ends."""
    if args.install_skill is not None:
        from tilescope.mcp.skill import install_skill

        say(f"Written: {install_skill(args.install_skill)}")
        return 0
    if not args.runs:
        raise UsageError("name the runs that may be asked about: tilescope mcp RUN…")
    check_sdk()
    if args.allow_sql and find_spec("duckdb") is None:
        raise UsageError("DuckDB is not installed: pip install 'tilescope[mcp,sql]'")
    import asyncio

    with ExitStack() as opened:
        places = [run_place(name, opened) for name in dict.fromkeys(args.runs)]
        asyncio.run(_answer(places, allows_sql=args.allow_sql))
    return 0


def check_sdk() -> None:
    """Raises UsageError where the SDK of the protocol is not installed."""
    if find_spec("mcp") is None:
        raise UsageError("the SDK is not installed: pip install 'tilescope[mcp]'")


async def _answer(places: list[RunPlace], *, allows_sql: bool) -> None:
    from mcp.server.stdio import stdio_server

    from tilescope.mcp.protocol import protocol_server
    from tilescope.mcp.runs import AgentRuns

    async with AgentRuns(places, allows_sql) as runs, stdio_server() as (read, write):
        server = protocol_server(runs)
        await server.run(read, write, server.create_initialization_options())


def run_place(name: str | Path, opened: ExitStack) -> RunPlace:
    """A run as the command line names it; what it opens is closed with `opened`."""
    import asyncio

    from tilescope.cli.stores import local_store
    from tilescope.client import connect_async
    from tilescope.mcp.links import server_link, view_command
    from tilescope.mcp.runs import RunPlace

    text = str(name)
    is_server = isinstance(name, str) and is_server_address(name)

    async def client() -> AsyncClient:
        if is_server:
            return connect_async(text)
        store = await asyncio.to_thread(opened.enter_context, local_store(name))
        return connect_async(store)

    def link(run: str, target: LinkTarget) -> str:
        return server_link(text.partition("?")[0], run, target) if is_server else view_command(text, target)

    return RunPlace(text, client, link, is_server)
