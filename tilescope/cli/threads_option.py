"""Number of threads that work: an option of whatever indexes, verifies or answers questions."""

from __future__ import annotations

import argparse


def add_threads_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declares --threads."""
    parser.add_argument(
        "--threads",
        type=_parse_threads,
        metavar="N",
        help="how many threads work side by side; default: one for each processor that this process may use, by its "
        "affinity and its cgroup",
    )


def use_threads(args: argparse.Namespace) -> None:
    """Has this process, and those that it starts, work with as many threads as the option says."""
    if args.threads is not None:
        from tilescope.tiler.system import use_processors

        use_processors(args.threads)


def _parse_threads(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of threads from 1 to 1024")
    return int(text)
