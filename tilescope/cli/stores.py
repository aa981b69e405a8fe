"""Stores as people name them on a command line: by their paths, or archives by their addresses."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.cli.addresses import local_paths, path_or_address
from tilescope.tiler.errors import UsageError


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Declares STORE."""
    parser.add_argument(
        "store",
        type=path_or_address,
        metavar="STORE",
        help="a store, as `tilescope index` writes it, or an archive or its address",
    )


@contextmanager
def local_store(store: Path | str) -> Iterator[Path]:
    """A store by its path, or a path that stands for an address until the block ends.

    Raises UsageError for a file that is no archive: most often it is the trace; and `BlobError`s.
    """
    with local_paths([store], Path(tempfile.gettempdir())) as (path,):
        refuse_file(path)
        yield path


def refuse_file(store: Path) -> None:
    """Raises UsageError for a file that is no archive where a store should be: most often it is the trace."""
    from tilescope.tiler.store import is_store

    if store.is_file() and not is_store(store):
        raise UsageError(f"{store}: this is a file, not a store (index it first: tilescope index {store} -o STORE)")
