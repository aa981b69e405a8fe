"""The executor of a run that is indexed shard by shard: options of `index`."""

from __future__ import annotations

import argparse


def add_executor_options(parser: argparse.ArgumentParser) -> None:
    """Declares --executor and --jobs."""
    parser.add_argument(
        "--executor",
        metavar="EXECUTOR",
        help="index each file as a shard: processes, dask://HOST:PORT, dask+tls://HOST:PORT, mpi or MODULE:OBJECT",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes that index at the same time; default: one per core"
    )
