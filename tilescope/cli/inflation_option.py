"""To how many bytes a file may inflate: an option of whatever reads traces."""

from __future__ import annotations

import argparse

from tilescope.cli.sizes import parse_size


def add_inflation_option(parser: argparse.ArgumentParser) -> None:
    """Declares --max-inflated."""
    parser.add_argument(
        "--max-inflated",
        type=parse_size,
        metavar="SIZE",
        help="limit for the decompressed size of a file, or of all members of an archive together; default: 100 times "
        "the size of the file, but at least 1GiB",
    )
