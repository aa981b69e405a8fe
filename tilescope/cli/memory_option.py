"""How much memory indexing may take: an option of whatever indexes."""

from __future__ import annotations

import argparse
from typing import Final

from tilescope.cli.sizes import parse_size

DEFAULT_MEMORY_BYTES: Final = 1 << 30  # as in tilescope.tiler.build, which is slow to import; a test compares them


def add_memory_option(parser: argparse.ArgumentParser, where: str) -> None:
    """Declares --memory. `where`: in what place scratch files lie, for the help text."""
    parser.add_argument(
        "--memory",
        type=parse_size,
        metavar="SIZE",
        default=DEFAULT_MEMORY_BYTES,
        help=f"about what indexing may take; what is beyond lies in scratch files {where}; default: 1GiB",
    )
