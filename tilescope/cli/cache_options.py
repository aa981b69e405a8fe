"""The directory of indexes that were given no place of their own, and the room that they may take."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.sizes import parse_size

if TYPE_CHECKING:
    from tilescope.server.runs.cache import CacheDirectory

_DEFAULT_CAPACITY_BYTES = 20 * 10**9  # as in tilescope.server.runs.cache, which is slow to import; a test compares them


def add_cache_options(parser: argparse.ArgumentParser) -> None:
    """Declares --cache-dir and --cache-size."""
    parser.add_argument(
        "--cache-dir",
        type=Path,
        metavar="DIR",
        help="where indexes are kept; default: tilescope/stores in $XDG_CACHE_HOME or ~/.cache",
    )
    parser.add_argument(
        "--cache-size",
        type=parse_size,
        metavar="SIZE",
        default=_DEFAULT_CAPACITY_BYTES,
        help="when indexes take more space, the least recently used are removed; default: 20GB",
    )


def cache_directory(args: argparse.Namespace) -> CacheDirectory:
    """The directory that the options name."""
    from tilescope.server.runs.cache import CacheDirectory
    from tilescope.tiler.store.cache_place import default_cache_dir

    return CacheDirectory((args.cache_dir or default_cache_dir()).absolute(), args.cache_size)
