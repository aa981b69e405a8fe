"""Traces of a folder one by one, where a layout would join them: an option of whatever looks for runs."""

from __future__ import annotations

import argparse


def add_separate_option(parser: argparse.ArgumentParser) -> None:
    """Declares --separate."""
    parser.add_argument(
        "--separate",
        action="store_true",
        help="take the traces of the ranks of a job for a run each, and not for one run",
    )
