"""Number of threads that work: an option of whatever indexes, verifies or answers questions."""

from __future__ import annotations

import argparse
from typing import Final

from tilescope.tiler.system import MOST_PROCESSORS, use_processors

TOOL_LIMIT: Final = "; a tool has two of them at most"


def add_threads_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup, limit: str = "") -> None:
    """Declares --threads. `limit`: what has fewer."""
    parser.add_argument(
        "--threads",
        type=_parse_threads,
        metavar="N",
        help=f"how many threads work side by side{limit}; default: one for each processor that this process may use, "
        "by its affinity and its cgroup",
    )


def use_threads(args: argparse.Namespace) -> None:
    """Has this process, and those that it starts, work with as many threads as the option says."""
    if args.threads is not None:
        use_processors(args.threads)


def _parse_threads(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_PROCESSORS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of threads from 1 to {MOST_PROCESSORS}")
    return int(text)
