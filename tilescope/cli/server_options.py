"""What `serve` and `view` have in common: options, and a registry made from them."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tilescope.cli.cache_options import add_cache_options, cache_directory
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.server.runs.registry import Registry
    from tilescope.server.settings import Settings

_DEFAULT_PORT = 8808  # as in tilescope.server.serving, which is slow to import; a test compares them


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Declares where to listen, who may ask, --cache-dir and --cache-size."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1, this machine alone"
    )
    parser.add_argument("--port", type=_port, metavar="N", help=f"default: {_DEFAULT_PORT}; 0: any free one")
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages of this origin (https://HOST) use the API; may be given several times",
    )
    add_cache_options(parser)


def make_registry(args: argparse.Namespace, *, index_all: bool) -> Registry:
    """The runs at the paths of the command line. Raises `UsageError` for a path that does not exist."""
    from tilescope.server.runs.open_stores import OpenStores
    from tilescope.server.runs.registry import Registry
    from tilescope.tiler.readers import discover
    from tilescope.tiler.store import open_run_store

    for path in args.paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
    return Registry(args.paths, cache_directory(args), OpenStores(open_run_store), discover, index_all=index_all)


def make_settings(args: argparse.Namespace) -> Settings:
    """How the server treats those who ask it. Raises `UsageError`."""
    from tilescope.server.settings import Settings, parse_origin

    return Settings(host=args.host, allow_origins=frozenset(map(parse_origin, args.allow_origin)))


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Lets the server say on standard error, within the block, what it indexes and what fails."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("tilescope: %(message)s"))
    logger = logging.getLogger("tilescope.server")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def warn_of_strangers(host: str) -> None:
    """Says so when others than this machine's users can read the traces."""
    from tilescope.server.access import is_loopback

    if not is_loopback(host):
        print(f"tilescope: listening on {host}: whoever reaches this machine can read these traces", file=sys.stderr)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 65536:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port
