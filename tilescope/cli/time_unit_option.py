"""The unit of times in traces whose format does not say it: an option of whatever indexes traces."""

from __future__ import annotations

import argparse


def add_time_unit_option(parser: argparse.ArgumentParser) -> None:
    """Declares --time-unit."""
    parser.add_argument(
        "--time-unit",
        choices=("us", "ns"),
        default="us",
        help="unit of ts and dur in trace-event JSON: us, as the format has it (the default), or ns, as some writers "
        "have it",
    )
