"""Common ground of `serve` and `view`: options, and a registry made from them."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.access_options import add_access_options
from tilescope.cli.addresses import add_scratch_option, mirror_folder
from tilescope.cli.cache_options import add_cache_options, cache_directory
from tilescope.cli.inflation_option import add_inflation_option
from tilescope.cli.limit_options import add_limit_options
from tilescope.cli.memory_option import add_memory_option
from tilescope.cli.say import LogToStderr
from tilescope.cli.seldom import Seldom
from tilescope.cli.separate_option import add_separate_option
from tilescope.cli.sizes import parse_size
from tilescope.cli.threads_option import TOOL_LIMIT, add_threads_option, use_threads
from tilescope.cli.time_unit_option import add_time_unit_option
from tilescope.cli.work_rules_option import add_work_rules_option
from tilescope.tiler.errors import NOTHING_THERE, TraceError

if TYPE_CHECKING:
    from tilescope.server.runs.opened_addresses import OpenedAddresses
    from tilescope.server.runs.registry import Registry
    from tilescope.server.uploads.shelf import Shelf

# As in tilescope.server.serving and .settings, which are slow to import; a test compares them.
_DEFAULT_PORT = 8808
KEPT_ANSWERS_BYTES = 64 * 10**6
QUESTION_CACHE_BYTES = 512 << 20


def add_server_options(parser: argparse.ArgumentParser, *, has_grpc: bool) -> None:
    """Declares where to listen, who may ask, and how much memory and disk there is for what."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1, this machine only"
    )
    parser.add_argument(
        "--port", type=parse_port, metavar="N", help=f"port to listen on; default: {_DEFAULT_PORT}; 0: any free one"
    )
    parser.add_argument(
        "--access-log",
        type=Path,
        metavar="FILE",
        help="write a line of JSON per request to FILE (-: standard error)",
    )
    add_cache_options(parser)
    add_memory_option(parser, "approximate memory for indexing; the rest goes to scratch files in the cache directory")
    add_threads_option(parser, TOOL_LIMIT)
    add_scratch_option(parser)
    parser.add_argument(
        "--kept-answers",
        type=parse_size,
        metavar="SIZE",
        default=KEPT_ANSWERS_BYTES,
        help="memory for caching the answers of tools; 0: none; default: 64MB",
    )
    parser.add_argument(
        "--question-cache",
        type=parse_size,
        metavar="SIZE",
        default=QUESTION_CACHE_BYTES,
        help="memory for caches in each of the two processes that answer questions; 0: every question starts anew; "
        "default: 512MiB",
    )
    add_separate_option(parser)
    add_inflation_option(parser)
    add_time_unit_option(parser)
    add_work_rules_option(parser)
    add_access_options(parser)
    add_limit_options(parser, has_grpc=has_grpc)


def make_registry(
    args: argparse.Namespace,
    *,
    index_all: bool,
    shelf: Shelf | None = None,
    addresses: OpenedAddresses | None = None,
) -> Registry:
    """The runs at the paths of the command line, on the shelf, and at addresses that are opened.

    Raises `TraceError` for a path that does not exist, or is no file.
    """
    from tilescope.server.guard.roots import within
    from tilescope.server.runs.arrivals import NOTHING_ARRIVES
    from tilescope.server.runs.open_stores import OpenStores
    from tilescope.server.runs.registry import Registry
    from tilescope.server.runs.remote_opening import RemoteOpening
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.readers import discover
    from tilescope.tiler.readers.container import holding_archive
    from tilescope.tiler.readers.pipes import kind_of

    use_threads(args)
    for path in args.paths:
        if not path.exists() and holding_archive(path) is None:
            raise TraceError(path, NOTHING_THERE)
        if kind := kind_of(path):
            raise TraceError(
                path, f"is {kind}", advice="index it first" if kind == "a pipe" else "name a file or a folder"
            )
    cache = cache_directory(args)
    served = [*args.paths, *([] if shelf is None else [shelf.folder])]
    served += [] if addresses is None else [mirror_folder(cache.root)]
    confined = within(served, partial(discover, max_inflated=args.max_inflated, separate=args.separate))
    opening = RemoteOpening(open_run)
    return Registry(
        args.paths,
        cache,
        OpenStores(opening.open),
        confined,
        index_all=index_all,
        memory_bytes=args.memory,
        max_inflated=args.max_inflated,
        time_unit=args.time_unit,
        arrivals=addresses or shelf or NOTHING_ARRIVES,
        opening=opening,
    )


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Lets the server say on standard error, within the block, what it indexes and what fails."""
    handler = LogToStderr()
    handler.addFilter(Seldom())
    # On the root, so that asyncio, aiohttp and gRPC, which complain of what clients send, do so in this form as well.
    root, logger = logging.getLogger(), logging.getLogger("tilescope.server")
    root.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)


def parse_port(text: str) -> int:
    """A port number, for argparse."""
    port = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= port < 65536:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port
