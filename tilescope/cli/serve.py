"""Serves finished stores and the runs of log directories over HTTP.

A run is indexed when somebody opens it in the viewer or sends POST /api/v1/runs/RUN/index. Runs that are
added to a log directory later are found without a restart. Ctrl-C or SIGTERM ends the server.

By default the server listens on this machine only. To reach it from elsewhere, use a tunnel
(ssh -L 8808:localhost:8808 HOST), or --host. On any address but 127.0.0.1 a token is required: the one you
give, or a random one, which is printed as part of the URL. Programs send it as "Authorization: Bearer TOKEN".

gRPC (protos/tilescope/v1/tiles.proto) is served on the next port, with the same token and certificate.

Examples:

    tilescope serve logs/
    tilescope serve big.store other.store --port 9000
    tilescope serve /profiles --host 0.0.0.0 --cache-dir /scratch/tilescope
    tilescope serve /profiles --host 0.0.0.0 --token-file token --certificate chain.pem --private-key key.pem
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tilescope.cli.access_options import make_settings, warn_of_strangers
from tilescope.cli.addresses import local_paths, mirror_folder, path_or_address
from tilescope.cli.cache_options import cache_directory
from tilescope.cli.option_rules import not_with
from tilescope.cli.say import complain, say
from tilescope.cli.server_options import add_server_options, log_to_stderr, make_registry, parse_port
from tilescope.cli.sql_option import add_sql_option, with_sql
from tilescope.cli.upload_options import add_upload_options, make_addresses, make_shelf, with_uploads
from tilescope.tiler.errors import TilescopeError

if TYPE_CHECKING:
    from aiohttp.web import Application

NAME = "serve"
HELP = "serve stores and log directories"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "paths", type=path_or_address, nargs="+", metavar="LOGDIR_OR_STORE", help="what to serve, or its address"
    )
    add_server_options(parser, has_grpc=True)
    add_upload_options(parser, is_view=False)
    add_sql_option(parser, is_view=False)
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--grpc-port",
        type=parse_port,
        metavar="N",
        help="port of gRPC; default: the one after that of HTTP, if it is free; 0: any free one",
    )
    group.add_argument("--no-grpc", action="store_true", help="serve HTTP only")
    parser.add_argument(
        "--mcp",
        action="store_true",
        help="answer agents by the Model Context Protocol at /mcp, with the same token: needs tilescope[mcp]",
    )
    not_with(parser, "--no-grpc", "--questions-per-connection")


def run(args: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    with local_paths(args.paths, mirror_folder(cache_directory(args).root), args.scratch, is_server=True) as args.paths:
        return _serve(args)


def _serve(args: argparse.Namespace) -> int:
    import asyncio

    from tilescope.cli.indexing_progress import with_progress
    from tilescope.server.access_log import access_log
    from tilescope.server.app import make_app
    from tilescope.server.runs.run import RunState
    from tilescope.server.serving import DEFAULT_PORT, bind, run_until_signalled, url_of, with_token

    settings = with_sql(with_uploads(make_settings(args), args, is_view=False), args, is_view=False)
    shelf = make_shelf(settings, args, NAME)
    addresses = make_addresses(args, mirror_folder(cache_directory(args).root), shelf)
    registry = make_registry(args, index_all=False, shelf=shelf, addresses=addresses)
    listening = bind(args.host, DEFAULT_PORT if args.port is None else args.port)
    warn_of_strangers(settings)

    grpc_port: list[int] = []

    async def announce() -> None:
        runs = await registry.list_runs()
        count = len(runs)
        for run in runs:
            if run.state is RunState.FAILED:
                complain(f"{run.run.name}: {run.error}")
        url = url_of(listening, settings)
        if settings.access.is_made_up:
            url = with_token(url, settings.access)
        if not count:
            complain(
                f"{', '.join(map(str, args.paths))}: there are no traces here yet: runs are shown when jobs write them"
            )
        say(f"Serving {count} {'run' if count == 1 else 'runs'} at {url} (Ctrl-C stops)")
        for port in grpc_port:
            say(f"gRPC at {settings.host}:{port}")

    app = make_app(registry, settings=settings, shelf=shelf, addresses=addresses)
    if args.mcp:
        _add_agents(app)
    if not args.no_grpc:
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it would say to standard error, we say better
        from tilescope.server.rpc import beside_http

        wanted = args.grpc_port
        next_port = min(listening.getsockname()[1] + 1, 65535)
        app.cleanup_ctx.append(
            beside_http(
                next_port if wanted is None else wanted,
                grpc_port.append,
                _without_grpc if wanted is None else None,
            )
        )
    with log_to_stderr(), access_log(args.access_log):
        asyncio.run(with_progress(registry, run_until_signalled(app, listening, announce)))
    return 0


def _add_agents(app: Application) -> None:
    """Raises UsageError without the SDK."""
    from tilescope.cli.mcp import check_sdk

    check_sdk()
    from tilescope.server.agents.agents import add_agents

    add_agents(app)


def _without_grpc(error: TilescopeError) -> None:
    complain(f"HTTP alone: {error}")
