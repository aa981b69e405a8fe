"""Memory that work may take: an option of whatever indexes or verifies."""

from __future__ import annotations

import argparse
from typing import Final

from tilescope.cli.sizes import parse_size

DEFAULT_MEMORY_BYTES: Final = (
    1 << 30
)  # as in tilescope.tiler.indexing and .verify, which are slow to import; a test compares them


def add_memory_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Declares --memory. `what` begins its help: of what it is the memory."""
    parser.add_argument(
        "--memory",
        type=parse_size,
        metavar="SIZE",
        default=DEFAULT_MEMORY_BYTES,
        help=f"{what}; default: 1GiB",
    )
